// The sidebar where no row is selected: what there is in the range that is shown.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { GroupShares } from './group_shares.tsx';
import { qualitySentences } from '../frame/quality.ts';
import { count, duration, percent } from '../format/numbers.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, change, generation, opened, shownRange, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import { counterDisplay } from '../timeline/counter_display.ts';
import { threadTitleAmong } from '../timeline/tracks.ts';
import { nameSearch } from '../markers/marker.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';
import { useSignalRun } from '../widgets/use.ts';

interface RangePart extends Part {
  readonly marker_count: number;
  readonly markers: readonly { readonly name: string; readonly count: number; readonly total: number }[];
  readonly columns: Columns<'thread' | 'samples' | 'cpu' | 'cpu_share' | 'waiting' | 'ready' | 'counter' | 'accumulated' | 'least' | 'most' | 'mean' | 'change'>;
}

const facts = signal<RangePart | null>(null);
let last = '';

function follow(): void {
  const { threads, ranges, preview } = view.value, key = JSON.stringify([threads, ranges, preview, generation.value, opened.value !== null]);
  if (!opened.value || key === last) return;
  last = key;
  afterPanel('range', async () => {
    const reply = await ask('sidebar', queryState(view.peek()), [{ ask: 'range' }]);
    if (reply && key === last) facts.value = reply.parts[0] as RangePart;
  });
}

const ms = (value: number | undefined): string => (value === undefined || Number.isNaN(value) ? '—' : duration(value));

function Threads({ columns }: { readonly columns: RangePart['columns'] }): JSX.Element {
  const order = Array.from(columns.thread.keys()).sort((a, b) => (columns.cpu[b]! || 0) - (columns.cpu[a]! || 0));
  return (
    <section>
      <h3>{order.length === 1 ? 'Thread' : 'Threads'}</h3>
      {order.map((i) => {
        const share = columns.cpu_share[i]!, waiting = columns.waiting[i]!, ready = columns.ready[i]!;
        return (
          <div key={i} class="bar-row">
            <span>{threadTitleAmong(columns.thread[i]!, columns.thread)}</span>
            <span title="Of one CPU">{Number.isNaN(share) ? '' : percent(share, 1)}</span>
            <span title={Number.isNaN(waiting) ? undefined : `It waited for ${ms(waiting)}, and for a CPU for ${ms(ready)}`}>{Number.isNaN(columns.cpu[i]!) ? `${count(columns.samples[i]!)} samples` : ms(columns.cpu[i])}</span>
            <i style={{ '--share': String(Number.isNaN(share) ? 0 : Math.min(1, share)), '--color': 'var(--accent)' }} />
          </div>
        );
      })}
    </section>
  );
}

function Counters({ columns }: { readonly columns: RangePart['columns'] }): JSX.Element | null {
  const rows = Array.from(columns.counter, (counter, i) => ({ counter, i })).filter(({ i }) => !Number.isNaN(columns.most[i]!));
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>Counters</h3>
      <table>
        <thead><tr><th scope="col" /><th scope="col">Least</th><th scope="col">Mean</th><th scope="col">Most</th></tr></thead>
        <tbody>
          {rows.map(({ counter, i }) => {
            const of = opened.value?.counters[counter];
            if (!of) return null;
            const { write } = counterDisplay(of, columns.accumulated[i] !== 0, opened.value?.cpu_unit ?? null);
            return <tr key={counter}><th scope="row" title={visible(of.description)}>{visible(of.name)}</th>{[columns.least, columns.mean, columns.most].map((column, at) => <td key={at}>{write(column[i]!)}</td>)}</tr>;
          })}
        </tbody>
      </table>
    </section>
  );
}

function Markers({ part }: { readonly part: RangePart }): JSX.Element | null {
  if (part.markers.length === 0) return null;
  return (
    <section>
      <h3>{count(part.marker_count)} {part.marker_count === 1 ? 'marker' : 'markers'}</h3>
      {part.markers.map(({ name, count: times, total }) => (
        <div key={name} class="bar-row">
          <button class="link" title="Shows them in the marker chart" onClick={() => change(`Markers ${name}`, { panel: 'marker-chart', markerSearch: nameSearch(name) })}>{visible(name)}</button>
          <span>{count(times)}</span>
          <span>{total > 0 ? duration(total) : ''}</span>
        </div>
      ))}
    </section>
  );
}

/** What the line at the top of the page says, which can be dismissed there. */
function Doubts(): JSX.Element | null {
  const sentences = qualitySentences(opened.value?.quality ?? null);
  if (sentences.length === 0) return null;
  return <section class="doubts"><h3>Quality of the recording</h3>{sentences.map((sentence) => <p key={sentence}>{visible(sentence)}</p>)}</section>;
}

export function RangeSidebar(): JSX.Element | null {
  useSignalRun(follow);
  const part = facts.value, [start, end] = shownRange.value;
  if (!part) return null;
  return (
    <div class="node-details range-details">
      <h2>{view.value.preview ? 'Selected range' : view.value.ranges.length > 0 ? 'Range' : 'All of the recording'}</h2>
      <p class="library">{duration(end - start)}; select a row to see more about it</p>
      <Doubts />
      <Threads columns={part.columns} />
      <GroupShares />
      <Counters columns={part.columns} />
      <Markers part={part} />
    </div>
  );
}
