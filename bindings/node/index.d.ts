/** Times are milliseconds of now(). */
export interface MarkerOptions {
  /** How profilers colour it: one of `categories`, or what category() gave. */
  category?: number;
  /** With a start it is an interval, which ends at `end` or now; if both are the same, a moment of before. */
  start?: number;
  end?: number;
}

export interface TextOptions extends MarkerOptions {
  text?: unknown;
}

export interface Interval<More> {
  /** Ends it here, with what is known by now. Later calls do nothing. */
  end(more?: More): void;
}

export type Format =
  | 'url' | 'file-path' | 'sanitized-string' | 'string' | 'unique-string'
  | 'time' | 'duration' | 'seconds' | 'milliseconds' | 'microseconds'
  | 'bytes' | 'percentage' | 'integer' | 'decimal' | 'hexadecimal' | 'flow-id' | 'terminating-flow-id';

type Values<Fields> = { [Key in keyof Fields]?: string | number };

/** Markers with fields. The name is unique in the program; labels may hold {marker.name}, {marker.data.url} and so on. */
export class MarkerType<Fields extends Record<string, Format>> {
  constructor(name: string, fields: Fields, labels?: { tableLabel?: string; chartLabel?: string });
  mark(name: string, values?: Values<Fields>, options?: MarkerOptions): void;
  start(name: string, values?: Values<Fields>, options?: MarkerOptions): Interval<Values<Fields>>;
}

/** How much of something there is, over time. It counts whether or not there is a recording. */
export class Counter {
  constructor(name: string, category?: string, description?: string);
  add(amount?: number): void;
  set(value: number): void;
}

export const formats: Readonly<Record<Format, number>>;
export const categories: Readonly<Record<
  'idle' | 'other' | 'io' | 'network' | 'graphics' | 'javascript' | 'java' | 'gc' | 'ipc' | 'blocked' | 'test' | 'profiler', number
>>;

/** For work that is done only for markers. */
export function isRecording(): boolean;
/** The clock of markers, in milliseconds; 0 where the library is not loaded. */
export function now(): number;
/** A time of performance.now() as one of now(). */
export function fromPerformance(time: number): number;
/** A moment, or with a start an interval. */
export function mark(name: string, options?: TextOptions): void;
/** An interval that begins now. */
export function start(name: string, options?: TextOptions): Interval<TextOptions>;
/** Calls `work` and gives what it gives; an interval until it returns, or until its promise is settled. */
export function measure<Result>(name: string, work: () => Result, options?: TextOptions): Result;
/** Colours: transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey. */
export function category(name: string, colour?: string): number;
export function subcategory(category: number, name: string): number;
/** Bytes sent or received over a network. */
export function addBandwidth(bytes: number): void;
export function renameThread(name: string): void;
export function setProcessName(name: string): void;
