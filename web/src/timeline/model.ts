// What tracks show: one request for all of them, whenever the view, their width or what is visible changes.
import { effect, signal, untracked } from '@preact/signals';
import type { Column, Columns, Part, Range } from '../transport/protocol.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { placeOf, queryState } from '../state/view.ts';
import { unknowingCategories } from '../theme/frame_paint.ts';
import { textOf } from '../transport/texts.ts';
import { visibleTracks } from './tracks.ts';
import type { Fill } from './activity.ts';

interface TracksPart extends Part {
  readonly range: Range;
  readonly width: number;
  readonly columns: Columns<'track' | 'category' | 'state' | 'heights' | 'totals' | 'accumulated' | 'least' | 'most'> & { readonly library?: Column };
}

export interface CounterLine {
  readonly least: Float32Array;
  readonly most: Float32Array;
  readonly accumulated: boolean;
}

export interface TrackData {
  readonly range: Range;
  readonly width: number;
  readonly fills: ReadonlyMap<number, readonly Fill[]>;
  readonly totals: ReadonlyMap<number, Uint8Array>;
  readonly counters: ReadonlyMap<number, CounterLine>;
}

export const trackData = signal<TrackData | null>(null);
/** Device pixels of the graphs. */
export const graphWidth = signal(0);

function readTracks(part: TracksPart, threads: readonly number[], counters: readonly number[]): TrackData {
  const { width, range, columns } = part;
  const fills = new Map<number, Fill[]>(threads.map((thread) => [thread, []]));
  for (let i = 0; i < columns.track.length; i++)
    fills.get(threads[columns.track[i]!]!)?.push({
      category: columns.category[i]!,
      library: textOf(columns.library?.[i]),
      state: columns.state[i]!,
      heights: columns.heights.subarray(i * width, (i + 1) * width),
    });
  const slice = <C extends { subarray(a: number, b: number): C }>(column: unknown, i: number): C => (column as C).subarray(i * width, (i + 1) * width);
  return {
    range, width, fills,
    totals: new Map(threads.map((thread, i) => [thread, slice<Uint8Array>(columns.totals, i)])),
    counters: new Map(counters.map((counter, i) => [
      counter, { least: slice<Float32Array>(columns.least, i), most: slice<Float32Array>(columns.most, i), accumulated: columns.accumulated[i] === 1 },
    ])),
  };
}

async function load(): Promise<void> {
  const { inverted } = view.value, place = placeOf(view.value, inverted);
  void generation.value;
  const width = graphWidth.value;
  if (!opened.value || width === 0) return;
  const threads = visibleTracks.value.flatMap(({ thread }) => thread ?? []);
  const counters = visibleTracks.value.flatMap(({ counter }) => counter ?? []);
  const state = queryState(view.value, { inverted, preview: false });
  const path = place.selected ? { path: place.selected, since: Math.min(place.since, view.value.transforms.length) } : {};
  const reply = await untracked(() => ask('tracks', state, [{ ask: 'tracks', threads, counters, width, by_library: unknowingCategories.value, ...path }]));
  if (reply) trackData.value = readTracks(reply.parts[0] as TracksPart, threads, counters);
}

/** Only what tracks depend on: the preview range is not. */
export function followTracks(): () => void {
  let last = '';
  return effect(() => {
    const { inverted } = view.value;
    const key = JSON.stringify([queryState(view.value, { inverted, preview: false }), placeOf(view.value, inverted).selected, graphWidth.value, generation.value, visibleTracks.value.map(({ id }) => id), opened.value !== null]);
    if (key === last) return;
    last = key;
    void load();
  });
}
