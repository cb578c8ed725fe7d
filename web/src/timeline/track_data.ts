// What the `tracks` ask says, taken apart by thread, process and counter.
import type { Column, Columns, Part, Range } from '../transport/protocol.ts';
import type { Fill } from './activity.ts';

type ThreadColumn = 'track' | 'category' | 'state' | 'heights' | 'totals' | 'accumulated' | 'least' | 'most';
type AskedColumn = 'library' | 'strip' | 'waits' | 'wait_name';
type ProcessColumn = 'process' | 'process_track' | 'process_category' | 'process_library' | 'process_state' | 'process_heights' | 'process_totals';

export interface TracksPart extends Part {
  readonly range: Range;
  readonly width: number;
  readonly cpus?: number;
  readonly cpus_known?: boolean;
  readonly columns: Columns<ThreadColumn> & Partial<Columns<AskedColumn | ProcessColumn>>;
}

export interface CounterLine {
  readonly least: Float32Array;
  readonly most: Float32Array;
  readonly accumulated: boolean;
}

/** What a thread did, or all threads of a process: one number for each pixel, but for the fills. */
export interface Activity {
  readonly fills: readonly Fill[];
  /** 255: one CPU, or all of them where it is a process. */
  readonly totals: Uint8Array;
  /** See `tracks` in docs/api.md. */
  readonly strip?: Uint8Array;
  readonly waits?: Uint8Array;
  readonly waitNames?: Uint32Array;
}

export interface TrackData {
  readonly range: Range;
  readonly width: number;
  readonly threads: ReadonlyMap<number, Activity>;
  /** By their places in `tracks` of `open`: those that are folded. */
  readonly processes: ReadonlyMap<number, Activity>;
  readonly cpus: number;
  readonly cpusKnown: boolean;
  readonly counters: ReadonlyMap<number, CounterLine>;
}

type TextOf = (id: number | undefined) => string;

interface FillColumns {
  readonly track: Column;
  readonly category: Column;
  readonly library?: Column;
  readonly state: Column;
  readonly heights: Column;
}

function fillsOf(count: number, width: number, { track, category, library, state, heights }: FillColumns, textOf: TextOf): Fill[][] {
  const fills: Fill[][] = Array.from({ length: count }, () => []);
  for (let i = 0; i < track.length; i++)
    fills[track[i]!]?.push({ category: category[i]!, library: textOf(library?.[i]), state: state[i]!, heights: heights.subarray(i * width, (i + 1) * width) });
  return fills;
}

/** The numbers of the i-th, of a column that has `width` of them for each. */
const slice = <C extends Column>(column: Column, i: number, width: number): C => column.subarray(i * width, (i + 1) * width) as C;

export function readThreads({ width, columns }: TracksPart, threads: readonly number[], textOf: TextOf): Map<number, Activity> {
  const fills = fillsOf(threads.length, width, columns, textOf), { totals, strip, waits, wait_name: waitName } = columns;
  return new Map(threads.map((thread, i) => [
    thread,
    {
      fills: fills[i]!,
      totals: slice<Uint8Array>(totals, i, width),
      ...(strip ? { strip: slice<Uint8Array>(strip, i, width) } : {}),
      ...(waits && waitName ? { waits: slice<Uint8Array>(waits, i, width), waitNames: slice<Uint32Array>(waitName, i, width) } : {}),
    },
  ]));
}

function readProcesses({ width, columns }: TracksPart, textOf: TextOf): Map<number, Activity> {
  const { process, process_track: track, process_category: category, process_library: library, process_state: state, process_heights: heights, process_totals: totals } = columns;
  if (!process || !track || !category || !state || !heights || !totals) return new Map();
  const fills = fillsOf(process.length, width, { track, category, ...(library ? { library } : {}), state, heights }, textOf);
  return new Map(Array.from(process, (place, i) => [place, { fills: fills[i]!, totals: slice<Uint8Array>(totals, i, width) }]));
}

export function readTracks(part: TracksPart, threads: readonly number[], counters: readonly number[], textOf: TextOf): TrackData {
  const { width, range, columns, cpus = 1, cpus_known: cpusKnown = false } = part;
  return {
    range, width, cpus, cpusKnown,
    threads: readThreads(part, threads, textOf),
    processes: readProcesses(part, textOf),
    counters: new Map(counters.map((counter, i) => [
      counter,
      { least: slice<Float32Array>(columns.least, i, width), most: slice<Float32Array>(columns.most, i, width), accumulated: columns.accumulated[i] === 1 },
    ])),
  };
}

/** The mean of what threads used, 1 being a CPU, or all where it is a process. */
export const meanTotal = (totals: Uint8Array): number => (totals.length === 0 ? 0 : totals.reduce((sum, total) => sum + total, 0) / totals.length / 255);
