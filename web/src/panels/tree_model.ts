// The rows of the call tree that are in sight, and around: asked for by row or around a path, kept as columns.
import { batch, signal, untracked } from '@preact/signals';
import type { Ask, Columns, Part, Path, QueryState, Walk } from '../transport/protocol.ts';
import type { WeightType } from '../format/numbers.ts';
import { adjust, ask, generation, view } from '../state/store.ts';
import { rememberName } from '../state/names.ts';
import { rememberMoved } from '../state/follow_place.ts';
import { hasColumn } from './tree_columns.tsx';
import type { MixColumns } from './row_mix.ts';
import { placeOf, queryState, samePath, withPlace, type TreePlace } from '../state/view.ts';

export const HAS_CHILDREN = 1, IS_OPEN = 2, IS_INLINED = 4, IS_LABEL = 16, MATCHES = 32;

export interface RowsPart extends Part {
  readonly open?: Walk;
  readonly path?: Path;
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly sample_count: number;
  readonly count: number;
  readonly first: number;
  readonly anchor: number;
  readonly exact: boolean;
  readonly above: Path;
  readonly columns: Columns<'func' | 'flags' | 'total' | 'self' | 'name' | 'library' | 'file' | 'node' | 'depth' | 'category' | 'subcategory' | 'inlined_into'> & MixColumns & Partial<Columns<'function_total'>>;
}

/** Rows that were loaded, with the path of each. */
export interface LoadedRows extends RowsPart {
  readonly paths: readonly Path[];
}

const placeText = ({ open, since }: TreePlace): string => JSON.stringify([open, since]);

/** Rows to both sides of what is in sight, so that a page of scrolling needs no request. */
const MARGIN = 60;

export class TreeModel {
  readonly rows = signal<LoadedRows | null>(null);
  #state: QueryState = {};
  #open: Walk = [];
  /** Of the numbers of functions in both. */
  #generation = 0;
  #place = '';
  visibleRows = 40;

  get state(): QueryState {
    return this.#state;
  }

  /** Whether what is open in a place is what was asked for, or what a reply has made of it. */
  has(place: TreePlace): boolean {
    return placeText(place) === this.#place;
  }

  async #load(lane: string, request: Ask, state: QueryState): Promise<LoadedRows | undefined> {
    const size = { before: MARGIN + this.visibleRows, after: MARGIN + 2 * this.visibleRows };
    const { search: highlight, treeOrder: siblings } = view.peek(), columns = untracked(() => ({ function: hasColumn('anywhere'), mix: hasColumn('mix') }));
    const reply = await ask(lane, state, [{ ...request, ...size, siblings, ...columns, ...(highlight ? { highlight } : {}) }]);
    const part = reply?.parts[0] as RowsPart | undefined;
    if (!part) return undefined;
    this.#state = state;
    this.#generation = reply?.generation ?? 0;
    const { func, name } = part.columns;
    for (let i = 0; i < func.length; i++) rememberName(func[i]!, name[i]);
    return { ...part, paths: pathsOf(part) };
  }

  /** What the view says now, around its selected row, or around a row. Paths of earlier states become those of this one;
   * where nothing of the selected one is left, the row at its place is selected. */
  async refresh(row: number | null, selectedRow?: number): Promise<LoadedRows | undefined> {
    const now = view.peek(), { inverted } = now, place = placeOf(now, inverted);
    const anchor = row === null && place.selected ? { anchor: place.selected } : { row: row ?? 0 };
    const follows = place.since < now.transforms.length ? { since: place.since } : {};
    this.#place = placeText(place);
    const part = await this.#load('tree', { ask: 'rows', open: place.open, ...anchor, ...follows }, queryState(now, { inverted }));
    if (!part) return undefined;
    batch(() => {
      if (follows.since !== undefined && view.peek().transforms === now.transforms) {
        const moved = place.selected && part.path && part.path.length > 0 ? part.path : null;
        if (moved && part.exact) rememberMoved(moved, place, now.transforms);
        // Where its samples are left out, the nearest of its callers that is there.
        const inItsPlace = place.selected && selectedRow !== undefined ? (part.paths[Math.min(selectedRow, part.count - 1) - part.first] ?? null) : null;
        const selected = moved && !part.exact ? (part.paths[part.anchor - part.first] ?? null) : (moved ?? inItsPlace);
        this.#settle(inverted, part.open ?? place.open, selected);
      }
      this.#open = placeOf(view.peek(), inverted).open;
      this.rows.value = part;
    });
    return part;
  }

  #settle(inverted: boolean, open: Walk, selected: Path | null): void {
    const place = { open, selected, since: view.peek().transforms.length };
    this.#open = open;
    this.#place = placeText(place);
    adjust(withPlace(inverted, place));
  }

  /** More rows of what is shown already. */
  async scroll(row: number): Promise<void> {
    if (this.#generation !== generation.peek()) return; // all of it is asked for anew
    const part = await this.#load('scroll', { ask: 'rows', open: this.#open, row }, this.#state);
    if (part) this.rows.value = part;
  }

  /** `toggle`, `open_all` or `open_heavy`; `select` is what is selected then, if it is not what the reply says. */
  async open(how: 'toggle' | 'open_all' | 'open_heavy', path: Path, select?: Path): Promise<LoadedRows | undefined> {
    if (this.#generation !== generation.peek()) return undefined;
    const { inverted } = view.peek();
    const part = await this.#load('tree', { ask: how, open: this.#open, path }, this.#state);
    if (!part) return undefined;
    batch(() => {
      this.#settle(inverted, part.open ?? this.#open, select ?? part.path ?? path);
      this.rows.value = part;
    });
    return part;
  }

  /** Undefined where the row is not there yet. */
  place(row: number): number | undefined {
    const part = this.rows.peek();
    if (!part) return undefined;
    const i = row - part.first;
    return i >= 0 && i < part.columns.func.length ? i : undefined;
  }

  pathOfRow(row: number): Path | undefined {
    const i = this.place(row);
    return i === undefined ? undefined : this.rows.peek()?.paths[i];
  }

  rowOfPath(path: Path): number | undefined {
    const part = this.rows.peek();
    const i = part?.paths.findIndex((other) => samePath(other, path)) ?? -1;
    return !part || i < 0 ? undefined : part.first + i;
  }
}

function pathsOf({ above, columns: { func, depth } }: RowsPart): Path[] {
  const current = [...above];
  return Array.from(func, (value, i) => {
    current.length = depth[i]!;
    current.push(value);
    return [...current];
  });
}
