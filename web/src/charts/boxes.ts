// Boxes of flame graphs, by depth: finding the one at a place, its callers, and the boxes of a path.
import type { Columns, Path } from '../transport/protocol.ts';

export const IS_INLINED = 4, IS_PARTLY_INLINED = 8, HAS_MATCH = 32, IS_SEVERAL = 64;

export type BoxColumns = Columns<'func' | 'depth' | 'name' | 'library' | 'category' | 'flags' | 'left' | 'width'>;

/** The boxes of one depth from left to right: `places` are those in the columns. */
export interface BoxRow<C extends BoxColumns = BoxColumns> {
  readonly columns: C;
  readonly places: Uint32Array;
}

export type BoxRows<C extends BoxColumns = BoxColumns> = ReadonlyMap<number, BoxRow<C>>;

/** One box: the so manieth of the row of a depth. */
export interface Box {
  readonly depth: number;
  readonly index: number;
}

export const sameBox = (a: Box | null, b: Box | null): boolean => a === b || (a !== null && b !== null && a.depth === b.depth && a.index === b.index);

/**
 * Rows of all depths from one until another: those without boxes are empty. Boxes of a depth come from left to right in every reply.
 * `first` and `end`: only these boxes.
 */
export function rowsByDepth<C extends BoxColumns>(columns: C, from: number, until: number, first = 0, end = columns.depth.length): Map<number, BoxRow<C>> {
  const { depth } = columns, counts = new Uint32Array(Math.max(0, until - from));
  for (let place = first; place < end; place++) counts[depth[place]! - from]!++;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let place = first; place < end; place++) {
    const at = depth[place]! - from, row = rows[at];
    if (row) row[counts[at]!++] = place;
  }
  return new Map(rows.map((places, at) => [from + at, { columns, places }]));
}

/** The last box of a row that does not begin after `x`; -1 if all do. */
export function lastStarting({ columns: { left }, places }: BoxRow, x: number): number {
  let low = 0, high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (left[places[middle]!]! <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function boxAt(rows: BoxRows, depth: number, x: number): Box | null {
  const row = rows.get(depth);
  if (!row) return null;
  const index = lastStarting(row, x), place = row.places[index];
  return place !== undefined && x < row.columns.left[place]! + row.columns.width[place]! ? { depth, index } : null;
}

/** A box that is narrower than its parent begins no earlier than it: both are cut to pixels in the same way. */
export function parentOf(rows: BoxRows, box: Box): Box | null {
  const row = rows.get(box.depth), above = rows.get(box.depth - 1), place = row?.places[box.index];
  if (!row || !above || place === undefined) return null;
  const index = lastStarting(above, row.columns.left[place]!);
  return index < 0 ? null : { depth: box.depth - 1, index };
}

/** Null where not all of its callers are known yet. */
export function pathOf(rows: BoxRows, box: Box): Path | null {
  const path: number[] = [];
  for (let at: Box | null = box; at; at = parentOf(rows, at)) {
    const row = rows.get(at.depth)!;
    path.unshift(row.columns.func[row.places[at.index]!]!);
  }
  return path.length === box.depth + 1 ? path : null;
}

export function childrenOf(rows: BoxRows, { depth, index }: Box): Box[] {
  const row = rows.get(depth), below = rows.get(depth + 1), place = row?.places[index];
  if (!row || !below || place === undefined) return [];
  const left = row.columns.left[place]!, right = left + row.columns.width[place]!;
  const children: Box[] = [];
  for (let i = lastStarting(below, left - 0.5) + 1; i < below.places.length && below.columns.left[below.places[i]!]! < right; i++) children.push({ depth: depth + 1, index: i });
  return children;
}

const funcOf = (rows: BoxRows, { depth, index }: Box): number => {
  const { columns, places } = rows.get(depth)!;
  return columns.func[places[index]!]!;
};

/** All boxes of a path: in a flame graph one, over time as many as there are calls. */
export function boxesOfPath(rows: BoxRows, path: Path): Box[] {
  let found = Array.from(rows.get(0)?.places ?? [], (_, index): Box => ({ depth: 0, index })).filter((box) => funcOf(rows, box) === path[0]);
  for (let depth = 1; depth < path.length && found.length > 0; depth++) found = found.flatMap((box) => childrenOf(rows, box)).filter((box) => funcOf(rows, box) === path[depth]);
  return found;
}
