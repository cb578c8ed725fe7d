// What `compare` answers, and what is read out of it: rows of a tree, a list that is sorted, numbers with a sign.
import { bytes, count, weight, type WeightType } from '../format/numbers.ts';
import type { Columns, Part } from '../transport/protocol.ts';

export const IS_SIGNIFICANT = 1, LEADS_TO_CHANGE = 2, SELF_CHANGED = 4, TOTAL_CHANGED = 8;

export interface ComparedSide {
  readonly threads: readonly number[];
  readonly names: readonly string[];
  readonly total: number;
}

export type CompareColumns = Columns<'place' | 'flags' | 'base_self' | 'new_self' | 'base_total' | 'new_total' | 'p'>;

/** `names` to `funcs` are of functions, which rows have by their `place`. */
export interface ComparePart extends Part {
  readonly per: 'run' | 'share';
  readonly weight_type: WeightType;
  readonly base: ComparedSide;
  readonly new: ComparedSide;
  readonly error: number;
  readonly p: number;
  readonly verdict: 'same' | 'slower' | 'faster';
  readonly noise: number;
  readonly level: number;
  readonly functions: number;
  readonly significant: number;
  readonly count: number;
  readonly names: readonly string[];
  readonly libraries: readonly string[];
  readonly files: readonly string[];
  /** In the profile that is open; null: the function is gone. */
  readonly funcs: readonly (number | null)[];
  readonly columns: CompareColumns;
}

export interface ComparedFunctions extends ComparePart {
  readonly columns: CompareColumns & Columns<'self_error' | 'total_error'>;
}

export interface ComparedTree extends ComparePart {
  readonly inverted: boolean;
  readonly columns: CompareColumns & Columns<'depth' | 'left' | 'width'>;
}

// ---- numbers ----

const SHARE = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

type Unit = Pick<ComparePart, 'per' | 'weight_type'>;

/** A sum as `sonde diff` prints it: without its unit, but bytes have theirs. */
export function sumText(value: number, { per, weight_type: type }: Unit): string {
  if (per === 'share') return SHARE.format(value);
  return type === 'bytes' ? bytes(value) : weight(value, type);
}

export function deltaText(delta: number, unit: Unit): string {
  const text = sumText(Math.abs(delta), unit);
  return /[1-9]/.test(text) ? `${delta > 0 ? '+' : '-'}${text}` : text;
}

export const unitText = ({ per, weight_type: type }: Unit): string => (per === 'share' ? '%' : type === 'tracing-ms' ? 'ms' : type === 'samples' ? 'samples' : '');

/** How often chance alone makes such a difference. */
export const chanceText = (p: number): string => (p < 0.001 ? '<0.001' : p.toFixed(p < 0.1 ? 3 : 2));

/** Bytes are no times. */
export function verdictText({ verdict, weight_type: type }: ComparePart): string {
  if (verdict === 'same' || type !== 'bytes') return verdict;
  return verdict === 'slower' ? 'more' : 'less';
}

/** "960 samples → 1,145 samples, +19.3% ±3.1 (p <0.001)" */
export function wholeText(part: ComparePart): string {
  const { base, new: now, error, p } = part, unit = unitText(part), sum = (value: number): string => `${sumText(value, part)}${unit && ` ${unit}`}`;
  if (part.per === 'share') return 'by shares of the whole';
  const percent = (100 * (now.total - base.total)) / base.total, sign = percent > 0 ? '+' : '';
  const change = base.total > 0 ? `, ${Math.abs(percent) < 0.05 ? '+0.0' : sign + percent.toFixed(1)}% ±${((100 * error) / base.total).toFixed(1)}` : '';
  return `${sum(base.total)} → ${sum(now.total)}${change} (p ${chanceText(p)})`;
}

// ---- rows ----

/** Of a row: what it was, what it is, and the difference. */
export const totalDelta = ({ columns: { base_total: base, new_total: now } }: ComparePart, row: number): number => now[row]! - base[row]!;
export const selfDelta = ({ columns: { base_self: base, new_self: now } }: ComparePart, row: number): number => now[row]! - base[row]!;

export const isChanged = ({ columns }: ComparePart, row: number, flag = IS_SIGNIFICANT): boolean => (columns.flags[row]! & flag) !== 0;

export const fateOf = ({ columns: { base_total: base, new_total: now } }: ComparePart, row: number): 'new' | 'gone' | '' => (base[row] === 0 ? 'new' : now[row] === 0 ? 'gone' : '');

/** How strong the colour of a row is: 0 where the change may be chance, else 1 to 4, below 0 where it became less. */
export function strengthOf(part: ComparePart, row: number): number {
  if (!isChanged(part, row)) return 0;
  const { base_total: base, new_total: now } = part.columns, delta = totalDelta(part, row);
  const change = Math.abs(delta) / Math.max(Math.abs(base[row]!), Math.abs(now[row]!), Number.MIN_VALUE);
  const strength = change < 0.1 ? 1 : change < 0.25 ? 2 : change < 0.5 ? 3 : 4;
  return delta > 0 ? strength : -strength;
}

export const COMPARISON_SORTS = ['self', 'total', 'name', 'p'] as const;
export type ComparisonSort = (typeof COMPARISON_SORTS)[number];

/** Rows of the list of functions, in the order that `sonde diff --sort` has. */
export function sortedFunctions(part: ComparedFunctions, by: ComparisonSort, onlyChanged: boolean): number[] {
  const { names, columns: { place, p } } = part;
  const self = (row: number): number => Math.abs(selfDelta(part, row)), total = (row: number): number => Math.abs(totalDelta(part, row));
  const bySelf = (a: number, b: number): number => self(b) - self(a) || total(b) - total(a) || a - b;
  const orders: Record<ComparisonSort, (a: number, b: number) => number> = {
    self: bySelf,
    total: (a, b) => total(b) - total(a) || bySelf(a, b),
    name: (a, b) => names[place[a]!]!.localeCompare(names[place[b]!]!, 'en') || bySelf(a, b),
    p: (a, b) => p[a]! - p[b]! || bySelf(a, b),
  };
  return Array.from(place, (_, row) => row).filter((row) => !onlyChanged || isChanged(part, row)).sort(orders[by]);
}

/** The row behind the last one below this one: rows of a tree come depth first. */
export function endOf({ columns: { depth } }: ComparedTree, row: number): number {
  let end = row + 1;
  while (end < depth.length && depth[end]! > depth[row]!) end++;
  return end;
}

export const hasChildren = ({ columns: { depth } }: ComparedTree, row: number): boolean => row + 1 < depth.length && depth[row + 1]! > depth[row]!;

/** Rows that are seen: none below one that is closed. */
export function shownRows(part: ComparedTree, closed: ReadonlySet<number>, onlyChanged: boolean): number[] {
  const { depth, flags } = part.columns, rows: number[] = [];
  for (let row = 0; row < depth.length; row++) {
    if (onlyChanged && (flags[row]! & LEADS_TO_CHANGE) === 0) continue;
    rows.push(row);
    if (closed.has(row)) row = endOf(part, row) - 1;
  }
  return rows;
}

export function parentOf({ columns: { depth } }: ComparedTree, row: number): number | null {
  for (let at = row - 1; at >= 0; at--) if (depth[at]! < depth[row]!) return at;
  return null;
}

/** At first a tree is open down to what changed, and along the heaviest path: of siblings the first is the largest. */
export function closedAtFirst(part: ComparedTree): Set<number> {
  const { depth, flags } = part.columns, callers: number[] = [], closed = new Set<number>(depth.keys());
  let heaviest = 0;
  for (let row = 0; row < depth.length; row++) {
    callers.length = depth[row]!;
    const caller = callers[callers.length - 1];
    if (caller !== undefined && (flags[row]! & LEADS_TO_CHANGE) !== 0) closed.delete(caller);
    if (row === heaviest && depth[row] === heaviest) closed.delete(heaviest++);
    callers.push(row);
  }
  return closed;
}

/** Rows by depth, each from left to right: the boxes of a flame graph. */
export function boxRows({ columns: { depth, left } }: ComparedTree): number[][] {
  const rows: number[][] = [];
  depth.forEach((at, row) => (rows[at] ??= []).push(row));
  for (const boxes of rows) boxes.sort((a, b) => left[a]! - left[b]!);
  return rows;
}

export const countText = ({ columns, count: all }: ComparePart): string => (all > columns.place.length ? `${count(all - columns.place.length)} smaller ones are left out` : '');
