// The rows of the function list where it is by groups: they open like a tree.
import { effect, signal, untracked } from '@preact/signals';
import { provideCommands, type Command } from '../state/commands.ts';
import { adjust, view } from '../state/store.ts';
import { rowHeight } from '../theme/theme.ts';
import { NO_CATEGORY } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { showMenu } from '../widgets/menu.tsx';
import { rowKeys } from '../widgets/row_keys.ts';
import { Rows, setAttributes, setText } from '../widgets/rows.ts';
import { callNodeMenu, nodeCommands, openSource, type ChosenNode } from './call_node.ts';
import { makeRow, setShares, sumTexts } from './function_rows.ts';
import { GroupModel, type GroupRow } from './group_model.ts';

const INDENT = 18;
/** What a search for a group is. */
const FIELDS = { library: 'lib', file: 'file', category: 'cat', class: 'name', none: 'name' } as const;

export class GroupRows {
  readonly model = new GroupModel();
  readonly #rows: Rows;
  readonly #endings: (() => void)[];
  /** A row of those that are shown. */
  readonly #selected = signal<number | null>(null);

  constructor(viewport: HTMLElement) {
    this.#rows = new Rows(viewport, makeRow);
    viewport.addEventListener('pointerdown', this.#onPointerDown);
    viewport.addEventListener('dblclick', () => this.#enter());
    viewport.addEventListener('contextmenu', this.#onContextMenu);
    this.#endings = [effect(() => this.model.follow()), effect(() => this.#show()), effect(() => this.#forget()), provideCommands('functions', () => this.#commands())];
  }

  dispose(): void {
    for (const end of this.#endings) end();
    this.#rows.dispose();
  }

  /** Another list has other rows. */
  #forget(): void {
    void this.model.rows.value;
    this.#selected.value = null;
  }

  #show(): void {
    const shown = this.model.shown.value, selected = this.#selected.value;
    this.#rows.show({
      rowHeight: rowHeight.value,
      count: shown.length,
      fill: (element, row) => this.#fill(element, row, shown[row]!, row === selected),
      selected: () => this.#selected.peek() ?? undefined,
    });
    setAttributes(this.#rows.viewport, { 'aria-rowcount': String(shown.length) });
  }

  #fill(element: HTMLElement, row: number, { group, place }: GroupRow, isSelected: boolean): void {
    const part = this.model.rows.peek()!, name = part.names[group]!, functions = this.model.functions.peek()?.columns;
    const of = place === null ? { columns: part.columns, at: group } : { columns: functions!, at: place };
    const total = of.columns.total[of.at]!, self = of.columns.self[of.at]!, cells = element.children as HTMLCollectionOf<HTMLElement>;
    const isParent = place === null && untracked(() => this.model.hasMembers(name)), isOpen = isParent && this.model.open.peek().has(name);
    const title = place === null ? `${isParent ? (isOpen ? '▼ ' : '▶ ') : ''}${name}` : textOf(functions!.name[place]);
    const texts = [...sumTexts(self, total, part.root_total, part.weight_type), title, place === null ? '' : textOf(functions!.library[place]), place === null ? '' : (textOf(functions!.file[place]).split('/').pop() ?? '')];
    texts.forEach((text, i) => setText(cells[i]!, text));
    setShares(cells, self, total, part.root_total);
    cells[4]!.className = place === null ? 'name group' : 'name';
    cells[4]!.style.paddingLeft = place === null ? '' : `${INDENT}px`;
    element.classList.toggle('odd', row % 2 === 1);
    element.classList.toggle('selected', isSelected);
    setAttributes(element, {
      'data-row': String(row), 'aria-rowindex': String(row + 1), 'aria-selected': String(isSelected), 'aria-level': place === null ? '1' : '2',
      'aria-expanded': isParent ? String(isOpen) : null, id: `function-row-${row}`, title: place === null ? name : null,
    });
    if (isSelected) setAttributes(this.#rows.viewport, { 'aria-activedescendant': element.id });
  }

  #select(row: number): void {
    const shown = this.model.shown.peek(), to = Math.max(0, Math.min(shown.length - 1, row)), found = shown[to];
    if (!found) return;
    this.#selected.value = to;
    if (found.place !== null) adjust({ func: this.model.functions.peek()!.columns.func[found.place]! });
    this.#rows.reveal(to);
  }

  #step(by: number): void {
    this.#select((this.#selected.peek() ?? (by > 0 ? -1 : 0)) + by);
  }

  get #row(): GroupRow | undefined {
    return this.model.shown.peek()[this.#selected.peek() ?? -1];
  }

  #nameOf({ group }: GroupRow): string {
    return this.model.rows.peek()!.names[group]!;
  }

  /** The function of the row; null where it is a group. */
  #node(): ChosenNode | null {
    const { place } = this.#row ?? {}, columns = this.model.functions.peek()?.columns;
    if (place === undefined || place === null || !columns) return null;
    return { path: [], func: columns.func[place]!, name: textOf(columns.name[place]), library: textOf(columns.library[place]), file: textOf(columns.file[place]), category: NO_CATEGORY, inverted: false };
  }

  #toggle(row: GroupRow | undefined, open?: boolean): void {
    if (!row || !this.model.hasMembers(this.#nameOf(row))) return;
    if (open === undefined || this.model.open.peek().has(this.#nameOf(row)) !== open) this.model.toggle(this.#nameOf(row));
  }

  /** Opens a group, or the source of a function. */
  #enter(): void {
    const row = this.#row;
    if (row?.place === null) this.#toggle(row);
    else openSource(this.#node());
  }

  #close(): void {
    const row = this.#row, shown = this.model.shown.peek();
    if (row?.place === null) this.#toggle(row, false);
    else if (row) this.#select(shown.findIndex(({ group, place }) => group === row.group && place === null));
  }

  #onPointerDown = (event: PointerEvent): void => {
    const row = this.#rows.rowAt(event.clientY);
    if (row === null) return;
    this.#select(row);
    const { left } = (event.target as Element).getBoundingClientRect();
    if (event.button === 0 && this.#row?.place === null && (event.target as Element).matches('.group') && event.clientX - left < INDENT) this.#toggle(this.#row);
  };

  #onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    const node = this.#node(), row = this.#row;
    if (node) showMenu(event.clientX, event.clientY, 'Function', callNodeMenu(node));
    else if (row) showMenu(event.clientX, event.clientY, 'Group', [{ title: `Search for ${this.#nameOf(row)}`, run: () => adjust({ search: `${FIELDS[view.peek().functionsGroup]}:${this.#nameOf(row).replaceAll(/[\\,]/g, '\\$&')}` }) }]);
  };

  #commands(): Command[] {
    const group = 'Function list', isGroup = (): boolean => this.#row?.place === null;
    return [
      ...rowKeys(group, (by) => this.#step(by), (row) => this.#select(row), () => this.model.shown.peek().length),
      { group, title: 'Open the group', keys: ['ArrowRight'], run: () => this.#toggle(this.#row, true) },
      { group, title: 'Close the group, or go to it', keys: ['ArrowLeft'], run: () => this.#close() },
      ...nodeCommands(() => this.#node()),
      { group, title: 'Open or close the group', keys: ['Enter'], when: isGroup, run: () => this.#enter() },
    ];
  }
}
