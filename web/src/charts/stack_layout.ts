// The stack chart as numbers: bands of threads one below the other, in each its boxes by depth and time.
import type { Column, Range } from '../transport/protocol.ts';
import { boxAt, boxesOfPath, rowsByDepth, type Box, type BoxColumns, type BoxRows } from './boxes.ts';

export type StackColumns = BoxColumns & { readonly threads: Column; readonly levels: Column; readonly node: Column; readonly changes?: Column; readonly tick: Column; readonly tick_track: Column; readonly track: Column; readonly start: Column; readonly end: Column };

export interface Band {
  readonly thread: number;
  readonly levels: number;
  readonly rows: BoxRows<StackColumns>;
  /** Pixels of its samples, where they are not too close to be told apart. */
  readonly ticks: readonly number[];
}

export interface Stacks {
  /** What the pixels of boxes are of. */
  readonly range: Range;
  readonly width: number;
  /** All changes of a stack are equally wide: pixels are no times. */
  readonly sameWidths: boolean;
  readonly bands: readonly Band[];
}

export interface BandBox extends Box {
  readonly band: number;
}

/** Boxes come band by band. */
export function bandsOf(columns: StackColumns, from: number, until: number): Band[] {
  const { threads, levels, track } = columns;
  let end = 0;
  return Array.from(threads, (thread, band) => {
    const first = end;
    while (end < track.length && track[end] === band) end++;
    return { thread, levels: levels[band]!, rows: rowsByDepth(columns, from, until, first, end), ticks: Array.from(columns.tick).filter((_, i) => columns.tick_track[i] === band) };
  });
}

/** Below each band, so that threads are told apart. */
export const BAND_GAP = 8;

export const bandHeight = (levels: number, rowHeight: number): number => Math.max(1, levels) * rowHeight + BAND_GAP;
export const contentHeight = (bands: readonly Band[], rowHeight: number): number => bands.reduce((sum, { levels }) => sum + bandHeight(levels, rowHeight), 0);

/** The bands that lie between two heights of the contents, and where each begins. */
export function bandsBetween(bands: readonly Band[], rowHeight: number, top: number, bottom: number): { readonly band: number; readonly y: number }[] {
  const found: { band: number; y: number }[] = [];
  let y = 0;
  bands.forEach(({ levels }, band) => {
    const height = bandHeight(levels, rowHeight);
    if (y < bottom && y + height > top) found.push({ band, y });
    y += height;
  });
  return found;
}

/** Depths that are seen in any band. */
export function depthsBetween(bands: readonly Band[], rowHeight: number, top: number, bottom: number): { from: number; until: number } {
  let from = Infinity, until = 0;
  for (const { band, y } of bandsBetween(bands, rowHeight, top, bottom)) {
    from = Math.min(from, Math.max(0, Math.floor((top - y) / rowHeight)));
    until = Math.max(until, Math.min(bands[band]!.levels, Math.ceil((bottom - y) / rowHeight)));
  }
  return { from: Number.isFinite(from) ? from : 0, until };
}

/** The edges of a box in time: its own ones where they lie outside of the pixels that were asked for. */
export function edgesOf({ range, width }: Stacks, { left, width: widths, start, end }: StackColumns, place: number): readonly [number, number] {
  const perPixel = (range[1] - range[0]) / width, first = left[place]!, last = first + widths[place]!;
  return [first > 0 ? range[0] + first * perPixel : Math.min(range[0], start[place]!), last < width ? range[0] + last * perPixel : Math.max(range[1], end[place]!)];
}

/** `x`: pixels of the reply; `y`: of the contents. */
export function stackBoxAt({ bands }: Stacks, rowHeight: number, x: number, y: number): BandBox | null {
  for (const { band, y: top } of bandsBetween(bands, rowHeight, y, y + 1)) {
    const box = boxAt(bands[band]!.rows, Math.floor((y - top) / rowHeight), x);
    if (box) return { ...box, band };
  }
  return null;
}

/** Calls of a node, which has one number wherever it is. Where its callers were not asked for, those of its function at its depth. */
export function callsOf({ rows }: Band, path: readonly number[]): Box[] {
  const depth = path.length - 1, row = rows.get(depth);
  if (!row) return [];
  const { columns, places } = row, first = rows.has(0) ? boxesOfPath(rows, path)[0] : undefined;
  if (!first && rows.has(0)) return [];
  const node = first && columns.node[places[first.index]!];
  return Array.from(places, (_, index): Box => ({ depth, index })).filter(({ index }) => (first ? columns.node[places[index]!] === node : columns.func[places[index]!] === path[depth]));
}
