// The function list: what each function has of its own, and with all it calls, wherever it was called from.
import { effect } from '@preact/signals';
import { percent, weight, weightOrDash, type WeightType } from '../format/numbers.ts';
import { provideCommands, type Command } from '../state/commands.ts';
import { onFound } from '../state/find.ts';
import { adjust, generation, opened, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import { rowHeight } from '../theme/theme.ts';
import { NO_CATEGORY } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { showMenu } from '../widgets/menu.tsx';
import { rowKeys } from '../widgets/row_keys.ts';
import { Rows, setAttributes, setText, tableRow } from '../widgets/rows.ts';
import { callNodeMenu, nodeCommands, openSource, type ChosenNode } from './call_node.ts';
import { FunctionModel } from './function_model.ts';
import { IS_LABEL, MATCHES } from './tree_model.ts';

const CELLS = ['share self', 'value', 'share total', 'value', 'name', 'library', 'file'];

export const makeRow = (): HTMLElement => tableRow('function-row', CELLS);

/** What the first four cells say. */
export const sumTexts = (self: number, total: number, whole: number, type: WeightType): string[] =>
  [self === 0 ? '' : percent(self, whole), weightOrDash(self, type), percent(total, whole), weight(total, type)];

export function setShares(cells: HTMLCollectionOf<HTMLElement>, self: number, total: number, whole: number): void {
  const share = (value: number): string => String(whole === 0 ? 0 : Math.abs(value / whole));
  cells[0]!.style.setProperty('--share', share(self));
  cells[2]!.style.setProperty('--share', share(total));
}

export class FunctionRows {
  readonly model = new FunctionModel();
  readonly #rows: Rows;
  readonly #endings: (() => void)[];
  #key = '';

  constructor(viewport: HTMLElement) {
    this.#rows = new Rows(viewport, makeRow);
    viewport.addEventListener('pointerdown', this.#onPointerDown);
    viewport.addEventListener('dblclick', () => openSource(this.#node()));
    viewport.addEventListener('contextmenu', this.#onContextMenu);
    this.#endings = [effect(() => this.#follow()), effect(() => this.#show()), onFound(() => void this.#revealSelected()), provideCommands('functions', () => this.#commands())];
  }

  dispose(): void {
    for (const end of this.#endings) end();
    this.#rows.dispose();
  }

  #follow(): void {
    const { functionsSort, search } = view.value;
    const key = JSON.stringify([queryState(view.value), functionsSort, search, generation.value]);
    if (!opened.value || key === this.#key) return;
    this.#key = key;
    void this.#refresh();
  }

  async #refresh(): Promise<void> {
    const before = this.model.rowOf(view.peek().func), offset = before === undefined ? -1 : this.#rows.offsetOf(before);
    const wasInSight = offset >= 0 && offset < this.#rows.height, wasShown = this.model.rows.peek() !== null;
    this.model.visibleRows = this.#rows.visibleRows;
    const part = await this.model.refresh();
    if (!part) return;
    if (view.peek().func === null && part.count > 0) adjust({ func: part.columns.func[0]! });
    else if (part.exact && wasInSight) this.#rows.placeRow(part.anchor, offset);
    else if (part.exact && !wasShown) this.#rows.reveal(part.anchor);
    this.#show();
  }

  async #revealSelected(): Promise<void> {
    const { func } = view.peek(), row = this.model.rowOf(func) ?? (await this.model.refresh())?.anchor;
    if (row !== undefined && view.peek().func === func) this.#rows.reveal(row);
  }

  #show(): void {
    const part = this.model.rows.value, { func } = view.value;
    this.#rows.show({
      rowHeight: rowHeight.value,
      count: part?.count ?? 0,
      fill: (element, row) => this.#fill(element, row, func),
      seen: (first, end) => {
        if (this.model.rows.peek() && end > first && (this.model.place(first) === undefined || this.model.place(end - 1) === undefined)) void this.model.scroll(first);
      },
      selected: () => this.model.rowOf(view.peek().func),
    });
    setAttributes(this.#rows.viewport, { 'aria-rowcount': String(part?.count ?? 0) });
  }

  #fill(element: HTMLElement, row: number, selected: number | null): void {
    const part = this.model.rows.peek(), i = this.model.place(row), cells = element.children as HTMLCollectionOf<HTMLElement>;
    element.classList.toggle('odd', row % 2 === 1);
    setAttributes(element, { 'data-row': String(row), 'aria-rowindex': String(row + 1) });
    if (!part || i === undefined) {
      for (const cell of cells) cell.textContent = '';
      return;
    }
    const { columns, root_total: whole, weight_type: type } = part, total = columns.total[i]!, self = columns.self[i]!;
    const flags = columns.flags[i]!, library = textOf(columns.library[i]), file = textOf(columns.file[i]);
    const texts = [...sumTexts(self, total, whole, type), textOf(columns.name[i]), library, file.split('/').pop() ?? ''];
    texts.forEach((text, at) => setText(cells[at]!, text));
    setShares(cells, self, total, whole);
    cells[4]!.className = `name${flags & IS_LABEL ? ' label' : ''}${flags & MATCHES ? ' matches' : ''}`;
    cells[6]!.title = file;
    const isSelected = columns.func[i] === selected;
    element.classList.toggle('selected', isSelected);
    setAttributes(element, { 'aria-selected': String(isSelected), id: `function-row-${row}` });
    if (isSelected) setAttributes(this.#rows.viewport, { 'aria-activedescendant': element.id });
  }

  #onPointerDown = (event: PointerEvent): void => {
    const row = this.#rows.rowAt(event.clientY), i = row === null ? undefined : this.model.place(row);
    if (i !== undefined) adjust({ func: this.model.rows.peek()!.columns.func[i]! });
  };

  #onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    const node = this.#node();
    if (node) showMenu(event.clientX, event.clientY, 'Function', callNodeMenu(node));
  };

  #node(): ChosenNode | null {
    const { func } = view.peek(), row = this.model.rowOf(func), i = row === undefined ? undefined : this.model.place(row), part = this.model.rows.peek();
    if (func === null || i === undefined || !part) return null;
    const { name, library, file } = part.columns;
    return { path: [], func, name: textOf(name[i]), library: textOf(library[i]), file: textOf(file[i]), category: NO_CATEGORY, inverted: false };
  }

  async #select(row: number): Promise<void> {
    const count = this.model.rows.peek()?.count ?? 0, to = Math.max(0, Math.min(count - 1, row));
    if (count === 0) return;
    if (this.model.place(to) === undefined) await this.model.scroll(to);
    const i = this.model.place(to);
    if (i === undefined) return;
    adjust({ func: this.model.rows.peek()!.columns.func[i]! });
    this.#rows.reveal(to);
  }

  #step(by: number): void {
    void this.#select((this.model.rowOf(view.peek().func) ?? (by > 0 ? -1 : 0)) + by);
  }

  #commands(): Command[] {
    return [...rowKeys('Function list', (by) => this.#step(by), (row) => void this.#select(row), () => this.model.rows.peek()?.count ?? 1), ...nodeCommands(() => this.#node())];
  }
}
