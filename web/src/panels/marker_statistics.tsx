// How many markers of each name there are in what is shown, and how long they last.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { count, duration } from '../format/numbers.ts';
import { showStatisticsOf } from '../markers/actions.ts';
import { barHeights, bucketBounds, BUCKETS } from '../markers/histogram.ts';
import { durationSearch, nameSearch } from '../markers/marker.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, change, file, generation, opened, view } from '../state/store.ts';
import { markerState } from '../state/view.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { hideTooltip, showTooltip } from '../widgets/tooltip.tsx';
import { useSignalRun } from '../widgets/use.ts';

interface StatsPart extends Part {
  readonly markers: number;
  readonly count: number;
  readonly columns: Columns<'name' | 'count' | 'measured' | 'total' | 'mean' | 'median' | 'p95' | 'longest' | 'low' | 'high' | 'logarithmic' | 'histogram'>;
}

const PAGE = 100;

const stats = signal<StatsPart | null>(null);
const shownNames = signal(PAGE);
let key = '';

function follow(): void {
  const state = markerState(view.value), after = shownNames.value;
  const now = JSON.stringify([state, after, generation.value, file.value?.id]);
  if (!opened.value || now === key) return;
  key = now;
  afterPanel('marker-stats', async () => {
    const reply = await ask('sidebar', state, [{ ask: 'marker_stats', row: 0, after }]);
    if (reply) stats.value = reply.parts[0] as StatsPart;
  });
}

const FIGURES = [['total', 'Total'], ['mean', 'Mean'], ['median', 'Median'], ['p95', '95 %'], ['longest', 'Longest']] as const;

/** A click on a part of it leaves the markers that it counts. */
function Histogram({ part, row, name }: { readonly part: StatsPart; readonly row: number; readonly name: string }): JSX.Element {
  const { low, high, logarithmic, histogram } = part.columns;
  const counts = histogram.subarray(row * BUCKETS, (row + 1) * BUCKETS);
  const show = (event: PointerEvent, bucket: number): void => {
    const [from, to] = bucketBounds(low[row]!, high[row]!, logarithmic[row] === 1, bucket), found = counts[bucket]!;
    showTooltip(event.clientX, event.clientY, <span>{from === to ? duration(from) : `${duration(from)} to ${duration(to)}`}: <b>{count(found)}</b> {found === 1 ? 'marker' : 'markers'}</span>);
  };
  const choose = (bucket: number): void => {
    const [from, to] = bucketBounds(low[row]!, high[row]!, logarithmic[row] === 1, bucket);
    hideTooltip();
    if (counts[bucket]! > 0) change(`${name} of ${duration(from)} to ${duration(to)}`, { markerSearch: durationSearch(name, from, to), marker: null });
  };
  return (
    <span class="histogram" role="img" aria-label={`Distribution from ${duration(low[row]!)} to ${duration(high[row]!)}`} onPointerLeave={() => hideTooltip()}>
      {barHeights(counts).map((height, bucket) => <i key={bucket} style={{ '--height': String(height) }} class={height > 0 ? 'some' : ''} onClick={() => choose(bucket)} onPointerMove={(event) => show(event, bucket)} />)}
    </span>
  );
}

function Name({ part, row }: { readonly part: StatsPart; readonly row: number }): JSX.Element {
  const { columns } = part, name = textOf(columns.name[row]), search = nameSearch(name), isChosen = view.value.markerSearch === search;
  const measured = columns.measured[row]!;
  return (
    <li>
      <button class="stats-name" aria-pressed={isChosen} title={isChosen ? 'Show all markers again' : `Show only ${name}`}
        onClick={() => (isChosen ? change('Search cleared', { markerSearch: '' }) : showStatisticsOf(name))}>
        <span>{name}</span><b>{count(columns.count[row]!)}</b>
      </button>
      {measured > 0 && (
        <div class="stats-figures">
          <dl>{FIGURES.map(([column, title]) => <div key={column}><dt>{title}</dt><dd>{duration(columns[column][row]!)}</dd></div>)}</dl>
          {measured > 1 && <Histogram part={part} row={row} name={name} />}
        </div>
      )}
    </li>
  );
}

export function MarkerStatistics(): JSX.Element | null {
  useSignalRun(follow);
  const part = stats.value;
  if (!part) return null;
  if (part.markers === 0) return <p class="sidebar-empty">There are no markers here.</p>;
  return (
    <section class="marker-stats">
      <h2>{count(part.markers)} {part.markers === 1 ? 'marker' : 'markers'}{part.count > 1 && ` of ${count(part.count)} names`}</h2>
      <ol>{Array.from(part.columns.name, (name, row) => <Name key={name} part={part} row={row} />)}</ol>
      {part.columns.name.length < part.count && <button class="stats-more" onClick={() => (shownNames.value += PAGE)}>Show more names</button>}
    </section>
  );
}
