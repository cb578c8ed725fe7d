// Callers and callees of the selected function, as two flame graphs, as deep as they have been looked at.
import { signal, untracked } from '@preact/signals';
import { rowsByDepth } from '../charts/boxes.ts';
import { levelsWith, rememberNames, type Flame, type FlameColumns } from '../charts/flame_model.ts';
import type { WeightType } from '../format/numbers.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import type { Ask, Part, QueryState } from '../transport/protocol.ts';

interface ButterflyPart extends Part {
  readonly func: number;
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly total: number;
  readonly self: number;
  readonly callers: { readonly columns: FlameColumns };
  readonly callees: { readonly levels: number; readonly columns: FlameColumns };
}

export type Side = 'callers' | 'callees';

export interface Butterfly {
  readonly func: number;
  readonly weightType: WeightType;
  readonly rootTotal: number;
  readonly total: number;
  readonly self: number;
}

const FIRST_DEPTHS = 40, MARGIN = 20;

export class ButterflyModel {
  readonly butterfly = signal<Butterfly | null>(null);
  readonly sides = { callers: signal<Flame | null>(null), callees: signal<Flame | null>(null) };
  readonly width = signal(0);
  readonly #until = { callers: signal(FIRST_DEPTHS), callees: signal(FIRST_DEPTHS) };
  #key = '';

  /** To be run in an effect. */
  follow(): void {
    const { func, search, flame: { order } } = view.value, width = this.width.value, state = queryState(view.value);
    const until = { callers_until: this.#until.callers.value, callees_until: this.#until.callees.value };
    const request: Ask = { ask: 'butterfly', func, width, order, ...until, ...(search ? { highlight: search } : {}) };
    const key = JSON.stringify([state, request, generation.value]);
    if (!opened.value || width === 0 || func === null || key === this.#key) return;
    this.#key = key;
    untracked(() => void this.#load(state, request, until));
  }

  async #load(state: QueryState, request: Ask, until: { readonly callers_until: number; readonly callees_until: number }): Promise<void> {
    const reply = await ask('butterfly', state, [request]);
    const part = reply?.parts[0] as ButterflyPart | undefined;
    if (!part) return;
    const flameOf = (columns: FlameColumns, depths: number, levels: number | null): Flame => {
      const rows = rowsByDepth(columns, 0, depths);
      rememberNames(columns);
      return { id: {}, weightType: part.weight_type, rootTotal: part.root_total, matched: null, width: Number(request.width), zoom: null, inverted: false, rows, levels: levelsWith(rows, levels) };
    };
    this.butterfly.value = { func: part.func, weightType: part.weight_type, rootTotal: part.root_total, total: part.total, self: part.self };
    this.sides.callers.value = flameOf(part.callers.columns, until.callers_until, null);
    this.sides.callees.value = flameOf(part.callees.columns, until.callees_until, part.callees.levels);
  }

  /** More is asked for only where the deepest row that was asked for has boxes. */
  see(side: Side, until: number): void {
    const flame = this.sides[side].peek(), asked = this.#until[side];
    if (until >= asked.peek() && (flame?.rows.get(asked.peek() - 1)?.places.length ?? 0) > 0) asked.value = until + MARGIN;
  }
}
