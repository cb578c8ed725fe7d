// An empty panel says why, and has buttons for what would help.
import type { JSX } from 'preact';
import { change, clearFilters, opened, popRanges, view } from '../state/store.ts';
import { selectedThreads } from '../timeline/tracks.ts';

function FullRange(): JSX.Element | null {
  const { ranges, preview } = view.value;
  if (ranges.length === 0 && !preview) return null;
  return <button onClick={() => (ranges.length > 0 ? popRanges(0) : change('Full range', { preview: null }))}>Full range</button>;
}

export function EmptyPanel({ what }: { readonly what: string }): JSX.Element {
  const { search, transforms, idle, implementation } = view.value;
  return (
    <div class="empty-panel" role="status">
      <h2>The {what} is empty</h2>
      <p>No samples of the selected threads are left by what is chosen here.</p>
      <div>
        <FullRange />
        {search && <button onClick={() => change('Search cleared', { search: '' })}>Clear the search</button>}
        {transforms.length > 0 && <button onClick={() => change('Transforms removed', { transforms: [] })}>Remove the transforms</button>}
        {(!idle || implementation !== 'combined') && <button onClick={() => change('Filters removed', clearFilters)}>Remove all filters</button>}
      </div>
    </div>
  );
}

export function EmptyMarkers(): JSX.Element {
  const { markerSearch } = view.value, has = [...selectedThreads.value].some((thread) => (opened.value?.threads[thread]?.markers ?? 0) > 0);
  return (
    <div class="empty-panel" role="status">
      <h2>There are no markers here</h2>
      <p>{has ? 'None of the selected threads’ markers are left by what is chosen here.' : 'The selected threads have no markers.'}</p>
      <div>
        <FullRange />
        {markerSearch && <button onClick={() => change('Search cleared', { markerSearch: '' })}>Clear the search</button>}
      </div>
    </div>
  );
}
