// An empty panel says why, and has buttons for what would help.
import type { JSX } from 'preact';
import { change, clearFilters, popRanges, view } from '../state/store.ts';

export function EmptyPanel({ what }: { readonly what: string }): JSX.Element {
  const { ranges, preview, search, transforms, idle, implementation } = view.value;
  return (
    <div class="empty-panel" role="status">
      <h2>The {what} is empty</h2>
      <p>No samples of the selected threads are left by what is chosen here.</p>
      <div>
        {(ranges.length > 0 || preview) && <button onClick={() => (ranges.length > 0 ? popRanges(0) : change('Full range', { preview: null }))}>Full range</button>}
        {search && <button onClick={() => change('Search cleared', { search: '' })}>Clear the search</button>}
        {transforms.length > 0 && <button onClick={() => change('Transforms removed', { transforms: [] })}>Remove the transforms</button>}
        {(!idle || implementation !== 'combined') && <button onClick={() => change('Filters removed', clearFilters)}>Remove all filters</button>}
      </div>
    </div>
  );
}
