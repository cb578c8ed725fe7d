// The marker table: markers one below the other, sorted by any of its columns.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { count, duration } from '../format/numbers.ts';
import { keyOf, sortedBy, type SortKey } from '../markers/sorting.ts';
import { change, view } from '../state/store.ts';
import { selectedThreads } from '../timeline/tracks.ts';
import { EmptyMarkers } from './empty.tsx';
import { chooseMarkers, chosenMarkers, sumOf } from './marker_selection.ts';
import { MarkerRows } from './marker_rows.ts';
import { visible } from '../transport/texts.ts';

const TITLES: readonly (readonly [SortKey, string])[] = [['start', 'Start'], ['duration', 'Duration'], ['name', 'Name'], ['thread', 'Thread'], ['category', 'Category']];

function Header({ by, title }: { readonly by: SortKey; readonly title: string }): JSX.Element {
  const place = view.value.markerSort.findIndex((sorted) => keyOf(sorted) === by), isDown = view.value.markerSort[place]?.startsWith('-') ?? false;
  return (
    <span role="columnheader" class={by} aria-sort={place !== 0 ? 'none' : isDown ? 'descending' : 'ascending'}>
      <button onClick={() => change(`Sorted by ${title.toLowerCase()}`, { markerSort: sortedBy(view.peek().markerSort, by) })}>
        {title}{place === 0 && <span aria-hidden="true">{isDown ? ' ▾' : ' ▴'}</span>}
      </button>
    </span>
  );
}

/** What is chosen together. */
function ChosenLine(): JSX.Element | null {
  const { count: all, measured, total } = sumOf(chosenMarkers.value);
  if (all < 2) return null;
  return (
    <div class="chosen-line" role="status">
      <b>{count(all)} markers</b>
      {measured > 0 && <span>{duration(total)} in all</span>}
      {measured > 0 && <span>{duration(total / measured)} on average{measured < all && `, of ${count(measured)} that last`}</span>}
      <button aria-label="Choose none of them" title="Choose none of them" onClick={() => chooseMarkers([])}>×</button>
    </div>
  );
}

export function MarkerTable(): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState<MarkerRows | null>(null);
  useLayoutEffect(() => {
    if (!viewport.current) return;
    const made = new MarkerRows(viewport.current);
    setRows(made);
    return () => made.dispose();
  }, []);
  const fields = rows?.model.rows.value?.fields ?? [];
  return (
    <>
      <div class={`panel-markers${selectedThreads.value.size > 1 ? '' : ' one-thread'}${fields.length > 0 ? ' by-field' : ''}`} style={{ '--fields': String(fields.length) }} role="table" aria-label="Markers">
        <div class="marker-header" role="row">
          {TITLES.map(([by, title]) => <Header key={by} by={by} title={title} />)}
          <span role="columnheader" class="details">Details</span>
          {fields.map(({ key, label }) => <span key={key} role="columnheader" class="field" title={key}>{visible(label)}</span>)}
        </div>
        <div ref={viewport} class="rows" role="rowgroup" tabIndex={0} aria-label="Markers" />
        {rows?.model.rows.value?.count === 0 && <EmptyMarkers />}
      </div>
      <ChosenLine />
    </>
  );
}
