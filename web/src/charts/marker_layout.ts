// The marker chart as numbers: which name a row belongs to, and which mark is at a place.
import type { Column, Columns, Range } from '../transport/protocol.ts';
import { GOES_ON, STARTS_BEFORE } from '../markers/marker.ts';

export interface Buckets {
  readonly category: readonly number[];
  /** Of each, its head, and how many rows it has with it. */
  readonly row: readonly number[];
  readonly rows: readonly number[];
}

export interface MarkerRows {
  readonly rows: number;
  readonly markers: number;
  /** The first bucket is that of pinned names. */
  readonly pinned?: boolean;
  readonly buckets: Buckets;
  readonly columns: Columns<'bucket' | 'name' | 'thread' | 'row' | 'rows' | 'count'>;
}

export interface Marks {
  /** What `width` pixels are of. */
  readonly range: Range;
  readonly width: number;
  readonly labels: readonly string[];
  readonly columns: Columns<'row' | 'thread' | 'marker' | 'left' | 'width' | 'category' | 'flags' | 'label'>;
  /** Where the marks of each row begin, from the row `from` on, and where the last one's end. */
  readonly from: number;
  readonly starts: Uint32Array;
}

/** The rows of one name of one thread: those of moments, and those of intervals below. */
export interface MarkerGroup {
  readonly name: number;
  readonly thread: number;
  readonly row: number;
  readonly rows: number;
  readonly count: number;
}

export function groupsOf({ columns: { bucket, name, thread, row, rows, count } }: MarkerRows): MarkerGroup[] {
  const groups: MarkerGroup[] = [];
  for (let i = 0; i < name.length; i++) {
    const last = groups[groups.length - 1];
    if (last && i > 0 && bucket[i] === bucket[i - 1] && name[i] === last.name && thread[i] === last.thread)
      groups[groups.length - 1] = { ...last, rows: row[i]! + rows[i]! - last.row, count: last.count + count[i]! };
    else groups.push({ name: name[i]!, thread: thread[i]!, row: row[i]!, rows: rows[i]!, count: count[i]! });
  }
  return groups;
}

/** The bucket whose head is in a row. Null in other rows. */
export function bucketAt({ buckets }: MarkerRows, row: number): number | null {
  const found = buckets.row.indexOf(row);
  return found < 0 ? null : found;
}

/** Groups are sorted by row. Null for heads of buckets, and where nothing is known. */
export function groupAt(groups: readonly MarkerGroup[], row: number): MarkerGroup | null {
  let low = 0, high = groups.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (groups[middle]!.row <= row) low = middle + 1;
    else high = middle;
  }
  const group = groups[low - 1];
  return group && row < group.row + group.rows ? group : null;
}

/** Marks are sorted by row. */
export function rowStarts(row: Column, from: number, until: number): Uint32Array {
  const starts = new Uint32Array(until - from + 1);
  for (let place = 0, at = from; at <= until; at++) {
    while (place < row.length && row[place]! < at) place++;
    starts[at - from] = place;
  }
  return starts;
}

/** The places of the marks of a row. */
export function marksOfRow({ from, starts }: Marks, row: number): readonly [number, number] {
  const at = row - from;
  return at < 0 || at + 1 >= starts.length ? [0, 0] : [starts[at]!, starts[at + 1]!];
}

/** Where marks of another range, or another width, are now. */
export interface MarkScale {
  readonly shown: Range;
  readonly width: number;
}

/** The edges of a mark, in pixels of the scale. What goes on beyond what was asked for is taken to go on. */
export function markEdges({ range, width, columns: { left, width: widths, flags } }: Marks, { shown, width: pixels }: MarkScale, place: number): readonly [number, number] {
  const perMark = (range[1] - range[0]) / width, perMs = pixels / (shown[1] - shown[0]);
  const x = (edge: number): number => (range[0] + edge * perMark - shown[0]) * perMs;
  return [flags[place]! & STARTS_BEFORE ? Math.min(0, x(left[place]!)) : x(left[place]!), flags[place]! & GOES_ON ? Math.max(pixels, x(left[place]! + widths[place]!)) : x(left[place]! + widths[place]!)];
}

/** The mark that is at `x`, else the nearest one that is no further than `reach` pixels. */
export function markAt(marks: Marks, scale: MarkScale, row: number, x: number, reach: number): number | null {
  const [first, end] = marksOfRow(marks, row);
  let low = first, high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (markEdges(marks, scale, middle)[0] <= x) low = middle + 1;
    else high = middle;
  }
  let found: number | null = null, least = reach;
  for (const place of [low - 1, low]) {
    if (place < first || place >= end) continue;
    const [left, right] = markEdges(marks, scale, place), away = x < left ? left - x : Math.max(0, x - right);
    if (away < least || (away === 0 && found === null)) [found, least] = [place, away];
  }
  return found;
}
