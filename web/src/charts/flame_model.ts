// A flame graph as far as it has been looked at: rows of boxes by depth, asked for as they come into sight.
import { signal, untracked } from '@preact/signals';
import type { Ask, Column, Part, Path, QueryState } from '../transport/protocol.ts';
import type { WeightType } from '../format/numbers.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { placeAsks, settlePlace } from '../state/follow_place.ts';
import { rememberName } from '../state/names.ts';
import { queryState } from '../state/view.ts';
import { rowsByDepth, type BoxColumns, type BoxRow, type BoxRows } from './boxes.ts';

export type FlameColumns = BoxColumns & { readonly total: Column; readonly self: Column };

export interface Flame {
  /** Another one has other boxes; one that has only become deeper is the same. */
  readonly id: object;
  readonly weightType: WeightType;
  readonly rootTotal: number;
  /** What matches the search, if there is one. */
  readonly matched: number | null;
  /** In device pixels: boxes are cut to these. */
  readonly width: number;
  readonly zoom: Path | null;
  readonly inverted: boolean;
  /** As many as are known to have boxes, and whether there may be more. */
  readonly levels: number;
  readonly rows: BoxRows<FlameColumns>;
}

interface FlamePart extends Part {
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly levels: number | null;
  readonly matched?: number;
  readonly columns: FlameColumns;
}

export function rememberNames({ func, name }: BoxColumns): void {
  const told = new Set<number>();
  for (let i = 0; i < func.length; i++) {
    if (told.has(func[i]!)) continue;
    told.add(func[i]!);
    rememberName(func[i]!, name[i]);
  }
}

/** Depths below a row without boxes have none either. */
export function levelsWith(rows: BoxRows, levels: number | null): number {
  let known = 0;
  while ((rows.get(known)?.places.length ?? 0) > 0) known++;
  return rows.has(known) || levels === null ? known : Math.max(known, levels);
}

/** Depths beyond what is seen, so that a little scrolling needs no request. */
const MARGIN = 30;

export class FlameModel {
  readonly flame = signal<Flame | null>(null);
  readonly width = signal(0);
  /** What there is without the search that leaves stacks out; null where there is none. */
  readonly unsearched = signal<number | null>(null);
  /** Depths that are in sight. */
  seen = { from: 0, until: 60 };
  #key = '';
  #state: QueryState = {};
  #request: Ask = { ask: 'flame' };
  #levels: number | null = null;
  #loading: Promise<void> | null = null;

  /** To be run in an effect: asks where what is shown has changed. */
  follow(): void {
    const now = view.value, { inverted, order, zoom } = now.flame, width = this.width.value;
    const state = queryState(now, { inverted });
    const request: Ask = { ask: 'flame', width, order, ...(zoom ? { zoom } : {}), ...(now.search ? { highlight: now.search } : {}) };
    const key = JSON.stringify([state, request, generation.value]);
    if (!opened.value || width === 0 || key === this.#key) return;
    this.#key = key;
    untracked(() => void this.#load(state, request));
  }

  async #load(state: QueryState, request: Ask): Promise<void> {
    const now = view.peek(), { inverted, zoom } = now.flame, until = this.seen.until + MARGIN;
    const reply = await ask('flame', state, [{ ...request, from: 0, until }, ...placeAsks(now, inverted)]);
    const part = reply?.parts[0] as FlamePart | undefined;
    if (!part) return;
    this.#state = state;
    this.#request = request;
    this.#levels = part.levels;
    rememberNames(part.columns);
    settlePlace(reply?.parts[1], now, inverted);
    if (!state.search) this.unsearched.value = null;
    else void this.#loadUnsearched(state);
    const rows = rowsByDepth(part.columns, 0, until);
    this.flame.value = {
      id: {}, weightType: part.weight_type, rootTotal: part.root_total, matched: part.matched ?? null, width: Number(request.width), zoom, inverted, rows, levels: levelsWith(rows, part.levels),
    };
  }

  async #loadUnsearched(state: QueryState): Promise<void> {
    const reply = await ask('flame-whole', { ...state, search: '' }, [{ ask: 'rows', after: 0 }]);
    if (reply && this.#state === state) this.unsearched.value = (reply.parts[0] as FlamePart).root_total;
  }

  /** Asks for the depths that are missing of these. */
  async need(from: number, until: number): Promise<void> {
    while (this.#loading) await this.#loading;
    const flame = this.flame.peek();
    if (!flame) return;
    let first = Math.max(0, from), end = Math.min(this.#levels ?? Infinity, until);
    while (first < end && flame.rows.has(first)) first++;
    while (end > first && flame.rows.has(end - 1)) end--;
    if (first >= end) return;
    this.#loading = this.#more(flame, first, end);
    await this.#loading;
    this.#loading = null;
  }

  async #more(flame: Flame, from: number, until: number): Promise<void> {
    const reply = await ask('flame-scroll', this.#state, [{ ...this.#request, from, until }]);
    const part = reply?.parts[0] as FlamePart | undefined;
    if (!part || this.flame.peek() !== flame) return;
    rememberNames(part.columns);
    const rows = new Map<number, BoxRow<FlameColumns>>([...flame.rows, ...rowsByDepth(part.columns, from, until)]);
    this.flame.value = { ...flame, rows, levels: levelsWith(rows, this.#levels) };
  }

  /** What is in sight now. */
  see(from: number, until: number): void {
    this.seen = { from, until };
    const flame = this.flame.peek();
    if (!flame) return;
    const hasEnd = flame.rows.get(flame.levels)?.places.length === 0 || flame.levels === this.#levels;
    const isKnown = (depth: number): boolean => flame.rows.has(depth) || (hasEnd && depth >= flame.levels);
    if (!isKnown(from) || !isKnown(until)) void this.need(from - MARGIN, until + MARGIN);
  }
}

