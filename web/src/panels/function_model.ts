// The rows of the function list that are in sight, and around.
import { signal, untracked } from '@preact/signals';
import type { WeightType } from '../format/numbers.ts';
import { rememberName } from '../state/names.ts';
import { ask, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import type { Columns, Part, QueryState } from '../transport/protocol.ts';

export interface FunctionsPart extends Part {
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly count: number;
  readonly first: number;
  readonly anchor: number;
  readonly exact: boolean;
  readonly columns: Columns<'func' | 'flags' | 'total' | 'self' | 'name' | 'library' | 'file'>;
}

const MARGIN = 60;

export class FunctionModel {
  readonly rows = signal<FunctionsPart | null>(null);
  visibleRows = 40;
  #state: QueryState = {};
  #sort = '';

  async #load(lane: string, place: { readonly anchor: readonly number[] } | { readonly row: number }): Promise<FunctionsPart | undefined> {
    const highlight = untracked(() => view.value.search), { visibleRows } = this;
    const reply = await ask(lane, this.#state, [
      { ask: 'rows', of: 'functions', sort: this.#sort, before: MARGIN + visibleRows, after: MARGIN + 2 * visibleRows, ...place, ...(highlight ? { highlight } : {}) },
    ]);
    const part = reply?.parts[0] as FunctionsPart | undefined;
    if (!part) return undefined;
    part.columns.func.forEach((func, i) => rememberName(func, part.columns.name[i]));
    return (this.rows.value = part);
  }

  /** What the view says now, around the selected function or from the first row on. */
  refresh(): Promise<FunctionsPart | undefined> {
    const { func, functionsSort } = view.peek();
    this.#state = queryState(view.peek());
    this.#sort = functionsSort;
    return this.#load('functions', func === null ? { row: 0 } : { anchor: [func] });
  }

  async scroll(row: number): Promise<void> {
    await this.#load('scroll', { row });
  }

  /** Undefined where the row is not there yet. */
  place(row: number): number | undefined {
    const part = this.rows.peek(), i = row - (part?.first ?? 0);
    return part && i >= 0 && i < part.columns.func.length ? i : undefined;
  }

  rowOf(func: number | null): number | undefined {
    const part = this.rows.peek(), i = part && func !== null ? part.columns.func.indexOf(func) : -1;
    return part && i >= 0 ? part.first + i : undefined;
  }
}
