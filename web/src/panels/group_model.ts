// The function list by groups: libraries, files, categories or classes, and below those that functions name themselves their functions.
import { computed, signal } from '@preact/signals';
import type { WeightType } from '../format/numbers.ts';
import { rememberName } from '../state/names.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { queryState, type FunctionsGroup } from '../state/view.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { textOf, visible } from '../transport/texts.ts';
import type { FunctionsPart } from './function_model.ts';

interface GroupsPart extends Part {
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly count: number;
  readonly names: readonly string[];
  readonly columns: Columns<'total' | 'self'>;
}

/** A group, or a function below it by its place in the list of functions. */
export interface GroupRow {
  readonly group: number;
  readonly place: number | null;
}

/** So many groups, and functions of them. */
const MOST = 10_000;
/** Which column of functions says what they are in. */
const KEYS: Partial<Record<FunctionsGroup, 'library' | 'file'>> = { library: 'library', file: 'file' };

export class GroupModel {
  /** As `count` of it is the number of groups, the panel knows when there are none. */
  readonly rows = signal<GroupsPart | null>(null);
  readonly functions = signal<FunctionsPart | null>(null);
  readonly #by = signal<FunctionsGroup>('library');
  /** Groups whose functions are shown. */
  readonly open = signal<ReadonlySet<string>>(new Set());
  #key = '';

  /** Functions of each group, in the order of the list. */
  readonly #members = computed(() => {
    const members = new Map<string, number[]>(), key = KEYS[this.#by.value], { columns } = this.functions.value ?? {};
    for (let place = 0; key && columns && place < columns.func.length; place++) {
      const name = textOf(columns[key][place]) || `(no ${key})`;
      (members.get(name) ?? members.set(name, []).get(name)!).push(place);
    }
    return members;
  });

  readonly shown = computed<readonly GroupRow[]>(() =>
    (this.rows.value?.names ?? []).flatMap((name, group) => [{ group, place: null }, ...(this.open.value.has(name) ? (this.#members.value.get(name) ?? []).map((place) => ({ group, place })) : [])]));

  hasMembers(name: string): boolean {
    return this.#members.value.has(name);
  }

  toggle(name: string): void {
    const open = new Set(this.open.peek());
    if (!open.delete(name)) open.add(name);
    this.open.value = open;
  }

  /** To be run in an effect: asks where what is shown has changed. */
  follow(): void {
    const { functionsSort: sort, functionsGroup: by } = view.value, key = JSON.stringify([queryState(view.value), sort, by, generation.value]);
    if (!opened.value || by === 'none' || key === this.#key) return;
    this.#key = key;
    void this.#load(key, by, sort);
  }

  async #load(key: string, by: FunctionsGroup, sort: string): Promise<void> {
    const members = KEYS[by] ? [{ ask: 'rows', of: 'functions', sort, after: MOST }] : [];
    const reply = await ask('functions', queryState(view.peek()), [{ ask: 'groups', by, sort, after: MOST }, ...members]);
    const [groups, functions] = (reply?.parts ?? []) as readonly [GroupsPart?, FunctionsPart?];
    if (!groups || key !== this.#key) return;
    functions?.columns.func.forEach((func, i) => rememberName(func, functions.columns.name[i]));
    this.#by.value = by;
    this.functions.value = functions ?? null;
    this.rows.value = { ...groups, names: groups.names.map(visible) };
  }
}
