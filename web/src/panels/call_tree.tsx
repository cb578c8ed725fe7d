// The call tree: rows of functions under those that called them, or under those they were called from.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { effect, signal, untracked } from '@preact/signals';
import type { JSX } from 'preact';
import { percent, weight, weightOrDash } from '../format/numbers.ts';
import { adjust, generation, opened, select, view } from '../state/store.ts';
import { closeBelow } from '../state/walk.ts';
import { provideCommands, type Command } from '../state/commands.ts';
import { onFound } from '../state/find.ts';
import { placeOf, queryState, withPlace } from '../state/view.ts';
import type { Path } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { isDark, preferences, rowHeight } from '../theme/theme.ts';
import { framePaint } from '../theme/frame_paint.ts';
import { Rows, setAttributes, setText } from '../widgets/rows.ts';
import { callNodeMenu, nodeCommands, openSource, type ChosenNode } from './call_node.ts';
import { EmptyPanel } from './empty.tsx';
import { mixBars } from './row_mix.ts';
import { hasColumn, MORE_COLUMNS, TreeHeader, treeTemplate, treeTitle } from './tree_columns.tsx';
import { HAS_CHILDREN, IS_INLINED, IS_LABEL, IS_OPEN, MATCHES, TreeModel } from './tree_model.ts';
import { showMenu } from '../widgets/menu.tsx';

/** Levels that are indented as they are; deeper ones move to the left as the rows in sight allow. */
const STEADY_LEVELS = 12;
const INDENT = 10;
const PAGE = 15;

class TreeRows {
  readonly model = new TreeModel();
  readonly #rows: Rows;
  readonly #endings: (() => void)[] = [];
  #shift = 0;
  #key = '';
  #selected: string | null = null;

  constructor(viewport: HTMLElement) {
    this.#rows = new Rows(viewport, makeRow);
    viewport.addEventListener('pointerdown', this.#onPointerDown);
    viewport.addEventListener('dblclick', this.#onDoubleClick);
    viewport.addEventListener('contextmenu', this.#onContextMenu);
    this.#endings.push(
      effect(() => this.#follow()),
      effect(() => this.#draw()),
      onFound(() => this.#revealSelected()),
      provideCommands('tree', () => this.#commands()),
    );
  }

  dispose(): void {
    for (const end of this.#endings) end();
    this.#rows.dispose();
  }

  /** Asks when the state has changed. What is open and selected changes by requests of their own. */
  #follow(): void {
    const { inverted, search, treeOrder } = view.value, place = placeOf(view.value, inverted);
    const key = JSON.stringify([queryState(view.value, { inverted }), search, treeOrder, hasColumn('anywhere'), hasColumn('mix'), generation.value, opened.value !== null]);
    if (!opened.value || (key === this.#key && this.model.has(place))) return;
    const isCarried = this.#generation !== generation.value;
    this.#key = key;
    this.#generation = generation.value;
    untracked(() => void this.#refresh(isCarried));
  }
  #generation = 0;
  /** The row of what is selected, as it was when the rows and the view had the same numbers of functions. */
  #lastRow: number | undefined;

  /** `isCarried`: nobody did anything but symbols have arrived, and what is seen stays where it is. */
  async #refresh(isCarried: boolean): Promise<void> {
    const before = this.#selectedRow() ?? (isCarried ? this.#lastRow : undefined), offset = before === undefined ? undefined : this.#rows.offsetOf(before);
    this.model.visibleRows = this.#rows.visibleRows;
    const part = await this.model.refresh(null, before); // its rows are drawn when they come
    if (!part) return;
    const wasInSight = offset !== undefined && offset >= 0 && offset < this.#rows.height;
    if (part.anchor === null) return;
    if (wasInSight) this.#rows.placeRow(part.anchor, offset);
    else if (!isCarried) this.#rows.reveal(part.anchor);
  }

  #selectedRow(): number | undefined {
    const { selected } = placeOf(view.peek(), view.peek().inverted);
    return selected ? this.model.rowOfPath(selected) : undefined;
  }

  /** What has to be opened for it comes into sight when it is there. */
  #revealSelected(): void {
    const row = this.#selectedRow();
    if (row !== undefined) this.#rows.reveal(row);
  }

  #mix: ReadonlyMap<number, string> = new Map();

  #draw(): void {
    const part = this.model.rows.value;
    void [isDark.value, preferences.value];
    // The rows of the other tree stay as they are until those of this one are there.
    if (part && this.model.state.inverted !== view.value.inverted) return;
    this.#mix = part ? mixBars(part.columns, part.root_total) : new Map();
    const { selected } = placeOf(view.value, view.value.inverted);
    this.#selected = selected?.join() ?? null;
    this.#show();
  }

  #show(): void {
    const part = this.model.rows.peek();
    if (this.#generation === generation.peek()) this.#lastRow = this.#selectedRow();
    this.#rows.show({
      rowHeight: rowHeight.value,
      count: part?.count ?? 0,
      fill: (element, row) => this.#fill(element, row),
      seen: (first, end) => this.#seen(first, end),
      selected: () => this.#selectedRow(),
    });
    setAttributes(this.#rows.viewport, { 'aria-rowcount': String(part?.count ?? 0) });
  }

  #seen(first: number, end: number): void {
    const part = this.model.rows.peek();
    if (!part) return;
    const { depth } = part.columns;
    let least = Infinity;
    for (let row = Math.max(this.#rows.firstVisible, first); row < end; row++) {
      const i = this.model.place(row);
      if (i !== undefined) least = Math.min(least, depth[i]!);
    }
    this.#shift = Number.isFinite(least) ? Math.max(0, least - STEADY_LEVELS) : 0;
    if (this.model.place(first) === undefined || this.model.place(end - 1) === undefined) if (end > first) void this.model.scroll(first);
  }

  #fill(element: HTMLElement, row: number): void {
    const part = this.model.rows.peek(), i = this.model.place(row);
    const [share, total, selfShare, self, anywhere, cell] = element.children as unknown as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    element.classList.toggle('odd', row % 2 === 1);
    setAttributes(element, { 'data-row': String(row) });
    if (!part || i === undefined) {
      for (const child of [share, total, selfShare, self, anywhere, ...(cell.children as unknown as HTMLElement[])]) setText(child, '');
      cell.style.paddingLeft = '0';
      return;
    }
    const { columns, weight_type: type, root_total: whole } = part;
    const flags = columns.flags[i]!, depth = columns.depth[i]!;
    const [hidden, toggle, square, badge, name, library] = cell.children as unknown as HTMLElement[];
    setText(share, percent(columns.total[i]!, whole));
    share.style.setProperty('--share', String(whole === 0 ? 0 : Math.abs(columns.total[i]! / whole)));
    share.style.backgroundImage = this.#mix.get(i) ?? '';
    share.classList.toggle('mixed', this.#mix.has(i));
    setText(selfShare, columns.self[i] === 0 ? '—' : percent(columns.self[i]!, whole));
    setText(anywhere, columns.function_total ? weight(columns.function_total[i]!, type) : '');
    setText(total, weight(columns.total[i]!, type));
    setText(self, weightOrDash(columns.self[i]!, type));
    const shown = Math.max(0, depth - this.#shift);
    cell.style.paddingLeft = `${shown * INDENT}px`;
    setText(hidden!, this.#shift > 0 ? `▸${this.#shift}` : '');
    setText(toggle!, flags & HAS_CHILDREN ? (flags & IS_OPEN ? '▼' : '▶') : '');
    const text = textOf(columns.name[i]), libraryText = textOf(columns.library[i]);
    square!.style.background = framePaint(columns.category[i]!, libraryText, text).strong;
    setText(badge!, flags & IS_INLINED ? '(inlined)' : '');
    setText(name!, text);
    const nameClass = `name${flags & IS_LABEL ? ' label' : ''}${flags & MATCHES ? ' matches' : ''}`;
    if (name!.className !== nameClass) name!.className = nameClass;
    setText(library!, libraryText);
    const path = this.model.pathOfRow(row)!;
    const isSelected = path.join() === this.#selected;
    element.classList.toggle('selected', isSelected);
    if (element.id !== `tree-row-${row}`) element.id = `tree-row-${row}`;
    setAttributes(element, {
      'aria-level': String(depth + 1),
      'aria-selected': String(isSelected),
      'aria-expanded': flags & HAS_CHILDREN ? String((flags & IS_OPEN) !== 0) : null,
      'aria-rowindex': String(row + 1),
    });
    if (isSelected) setAttributes(this.#rows.viewport, { 'aria-activedescendant': element.id });
  }

  #rowOfEvent(event: Event): number | undefined {
    const element = (event.target as Element).closest<HTMLElement>('.tree-row');
    return element?.dataset.row === undefined ? undefined : Number(element.dataset.row);
  }

  #onPointerDown = (event: PointerEvent): void => {
    const row = this.#rowOfEvent(event), path = row === undefined ? undefined : this.model.pathOfRow(row);
    if (!path) return;
    if ((event.target as Element).classList.contains('toggle') && event.button === 0) {
      void this.#toggle(path, event.altKey);
    } else {
      select(path, view.peek().inverted);
    }
  };

  #onDoubleClick = (event: MouseEvent): void => {
    if (!(event.target as Element).classList.contains('toggle')) openSource(this.#node());
  };

  #onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    const node = this.#node();
    if (node) showMenu(event.clientX, event.clientY, 'Function', callNodeMenu(node, { openBelow: () => void this.#openWith('open_all') }));
  };

  async #toggle(path: Path, all: boolean): Promise<void> {
    this.model.visibleRows = this.#rows.visibleRows;
    const { inverted } = view.peek(), place = placeOf(view.peek(), inverted), selected = place.selected ?? path, row = this.model.rowOfPath(path), i = row === undefined ? undefined : this.model.place(row);
    if (all && i !== undefined && this.model.rows.peek()!.columns.flags[i]! & IS_OPEN) {
      const isBelow = selected.length > path.length && path.every((func, level) => func === selected[level]);
      return adjust(withPlace(inverted, { ...place, open: closeBelow(place.open, path), selected: isBelow ? path : selected }));
    }
    await this.model.open(all ? 'open_all' : 'toggle', path, selected);
  }

  async #openWith(how: 'open_all' | 'open_heavy'): Promise<void> {
    const { selected } = placeOf(view.peek(), view.peek().inverted);
    const part = await this.model.open(how, selected ?? []);
    if (part) this.#rows.reveal(part.anchor);
  }

  #node(): ChosenNode | null {
    const row = this.#selectedRow(), i = row === undefined ? undefined : this.model.place(row), part = this.model.rows.peek();
    if (row === undefined || i === undefined || !part) return null;
    const { columns } = part;
    return {
      path: this.model.pathOfRow(row)!,
      func: columns.func[i]!,
      name: textOf(columns.name[i]),
      library: textOf(columns.library[i]),
      file: textOf(columns.file[i]),
      category: columns.category[i]!,
      inverted: view.peek().inverted,
    };
  }

  #select(row: number): void {
    const part = this.model.rows.peek();
    if (!part || part.count === 0) return;
    const to = Math.max(0, Math.min(part.count - 1, row));
    const go = (): void => {
      const path = this.model.pathOfRow(to);
      if (!path) return;
      select(path, view.peek().inverted);
      this.#rows.reveal(to);
    };
    if (this.model.place(to) === undefined) void this.model.scroll(to).then(go);
    else go();
  }

  #step(by: number): void {
    this.#select((this.#selectedRow() ?? (by > 0 ? -1 : 0)) + by);
  }

  #right(): void {
    const row = this.#selectedRow(), i = row === undefined ? undefined : this.model.place(row);
    if (row === undefined || i === undefined) return this.#step(1);
    const flags = this.model.rows.peek()!.columns.flags[i]!;
    if (flags & IS_OPEN) this.#select(row + 1);
    else if (flags & HAS_CHILDREN) void this.#toggle(this.model.pathOfRow(row)!, false);
  }

  #left(): void {
    const row = this.#selectedRow(), i = row === undefined ? undefined : this.model.place(row);
    if (row === undefined || i === undefined) return;
    const path = this.model.pathOfRow(row)!;
    if (this.model.rows.peek()!.columns.flags[i]! & IS_OPEN) void this.#toggle(path, false);
    else if (path.length > 1) {
      const above = path.slice(0, -1);
      select(above, view.peek().inverted);
      const to = this.model.rowOfPath(above);
      if (to !== undefined) this.#rows.reveal(to);
      else void this.model.refresh(null).then((part) => part && this.#rows.reveal(part.anchor));
    }
  }

  #commands(): Command[] {
    const group = 'Call tree', last = (): number => (this.model.rows.peek()?.count ?? 1) - 1;
    return [
      { group, title: 'Next row', keys: ['ArrowDown'], run: () => this.#step(1) },
      { group, title: 'Previous row', keys: ['ArrowUp'], run: () => this.#step(-1) },
      { group, title: 'A page down', keys: ['PageDown'], run: () => this.#step(PAGE) },
      { group, title: 'A page up', keys: ['PageUp'], run: () => this.#step(-PAGE) },
      { group, title: 'First row', keys: ['Home'], run: () => this.#select(0) },
      { group, title: 'Last row', keys: ['End'], run: () => this.#select(last()) },
      { group, title: 'Open, or first child', keys: ['ArrowRight'], run: () => this.#right() },
      { group, title: 'Close, or parent', keys: ['ArrowLeft'], run: () => this.#left() },
      { group, title: 'Open everything below', keys: ['*'], run: () => void this.#openWith('open_all') },
      { group, title: 'Open the heaviest path', keys: ['Shift+ArrowRight'], run: () => void this.#openWith('open_heavy') },
      ...nodeCommands(() => this.#node()),
    ];
  }
}

function makeRow(): HTMLElement {
  const row = document.createElement('div');
  row.className = 'tree-row';
  row.setAttribute('role', 'row');
  const span = (name: string, role?: string): HTMLElement => {
    const element = document.createElement('span');
    element.className = name;
    if (role) element.setAttribute('role', role);
    return element;
  };
  const cell = span('cell', 'rowheader'), toggle = span('toggle');
  toggle.ariaHidden = 'true'; // aria-expanded says it
  cell.append(span('hidden-levels'), toggle, span('square'), span('badge'), span('name'), span('library'));
  row.append(span('share', 'gridcell'), span('total', 'gridcell'), span('self-share', 'gridcell'), span('self', 'gridcell'), span('anywhere', 'gridcell'), cell);
  return row;
}

/** Of the tree that is on the page. */
const shown = signal<TreeModel | null>(null);

export function CallTree(): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null);
  const tree = useRef<TreeRows | null>(null);
  useLayoutEffect(() => {
    tree.current = new TreeRows(viewport.current!);
    shown.value = tree.current.model;
    return () => {
      tree.current?.dispose();
      shown.value = null;
    };
  }, []);
  const part = shown.value?.rows.value;
  const type = part?.weight_type ?? 'samples';
  return (
    <div class={`panel-tree${MORE_COLUMNS.filter(hasColumn).map((column) => ` has-${column}`).join('')}`} style={{ '--tree-columns': treeTemplate(type) }}>
      <TreeHeader type={type} />
      <div ref={viewport} class="rows" role="treegrid" tabIndex={0}
        aria-label={`${view.value.inverted ? 'Inverted call tree' : 'Call tree'}: share, ${treeTitle(type).toLowerCase()}, self, function`} />
      {part?.count === 0 && <EmptyPanel what="call tree" />}
    </div>
  );
}
