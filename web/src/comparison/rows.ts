// The rows of a comparison, functions or a tree: what was, what is, and the difference.
import { effect } from '@preact/signals';
import { nodeCommands, openSource } from '../panels/call_node.ts';
import { provideCommands, type Command } from '../state/commands.ts';
import { view } from '../state/store.ts';
import { rowHeight } from '../theme/theme.ts';
import { showMenu } from '../widgets/menu.tsx';
import { rowKeys } from '../widgets/row_keys.ts';
import { Rows, setAttributes, setText, tableRow } from '../widgets/rows.ts';
import { chosen, closed, menuOf, nodeOf, part, rows, toggle, tree } from './model.ts';
import { chanceText, deltaText, fateOf, hasChildren, isChanged, parentOf, selfDelta, SELF_CHANGED, sumText, totalDelta, TOTAL_CHANGED, type ComparedTree, type ComparePart } from './part.ts';

const INDENT = 10;
/** Of the list of functions; the tree has the totals alone. */
export const CELLS = ['delta self', 'value self', 'value self', 'delta', 'value', 'value', 'p', 'fate', 'name', 'library', 'file'] as const;

function makeRow(): HTMLElement {
  const row = tableRow('compare-row', CELLS);
  const toggleOf = document.createElement('span'), text = document.createElement('span');
  toggleOf.className = 'toggle';
  row.children[CELLS.indexOf('name')]!.append(toggleOf, text);
  return row;
}

const tone = (delta: number, changed: boolean): string => (!changed ? ' chance' : delta > 0 ? ' more' : ' less');

export class ComparisonRows {
  readonly #rows: Rows;
  readonly #endings: (() => void)[];

  constructor(viewport: HTMLElement) {
    this.#rows = new Rows(viewport, makeRow);
    viewport.addEventListener('pointerdown', this.#onPointerDown);
    viewport.addEventListener('dblclick', () => openSource(nodeOf(chosen.peek())));
    viewport.addEventListener('contextmenu', this.#onContextMenu);
    this.#endings = [effect(() => this.#show()), provideCommands('comparison', () => this.#commands())];
  }

  dispose(): void {
    for (const end of this.#endings) end();
    this.#rows.dispose();
  }

  get #tree(): ComparedTree | null {
    return view.peek().comparison.as === 'tree' ? tree.peek() : null;
  }

  #show(): void {
    const now = part.value, shown = rows.value, open = closed.value, selected = chosen.value;
    this.#rows.show({
      rowHeight: rowHeight.value,
      count: now ? shown.length : 0,
      fill: (element, place) => now && this.#fill(element, place, now, shown[place]!, open, selected),
      selected: () => this.#placeOf(chosen.peek()),
    });
    setAttributes(this.#rows.viewport, { 'aria-rowcount': String(shown.length) });
  }

  #placeOf(row: number | null): number | undefined {
    const place = row === null ? -1 : rows.peek().indexOf(row);
    return place < 0 ? undefined : place;
  }

  #fill(element: HTMLElement, place: number, now: ComparePart, row: number, open: ReadonlySet<number>, selected: number | null): void {
    const { columns, names, libraries, files } = now, at = columns.place[row]!, isTree = 'depth' in columns, tree = now as ComparedTree;
    const self = selfDelta(now, row), total = totalDelta(now, row), isSignificant = isChanged(now, row);
    const texts = [
      deltaText(self, now), sumText(columns.base_self[row]!, now), sumText(columns.new_self[row]!, now),
      deltaText(total, now), sumText(columns.base_total[row]!, now), sumText(columns.new_total[row]!, now), chanceText(columns.p[row]!), fateOf(now, row),
    ];
    const cells = element.children as HTMLCollectionOf<HTMLElement>, name = cells[CELLS.indexOf('name')]!;
    texts.forEach((text, i) => setText(cells[i]!, text));
    setText(cells[CELLS.indexOf('library')]!, libraries[at]!);
    setText(cells[CELLS.indexOf('file')]!, files[at]!.split('/').pop() ?? '');
    cells[0]!.className = `delta self${tone(self, isChanged(now, row, SELF_CHANGED))}`;
    cells[3]!.className = `delta${tone(total, isChanged(now, row, TOTAL_CHANGED))}`;
    const [toggleOf, text] = name.children as unknown as [HTMLElement, HTMLElement];
    const isParent = isTree && hasChildren(tree, row), isOpen = isParent && !open.has(row);
    name.style.paddingLeft = isTree ? `${4 + INDENT * tree.columns.depth[row]!}px` : '';
    setText(toggleOf, isParent ? (isOpen ? '▼' : '▶') : '');
    setText(text, names[at]!);
    element.classList.toggle('odd', place % 2 === 1);
    element.classList.toggle('chance', !isSignificant);
    element.classList.toggle('selected', row === selected);
    setAttributes(element, {
      'data-row': String(place), 'aria-rowindex': String(place + 1), 'aria-selected': String(row === selected), title: names[at]!,
      'aria-level': isTree ? String(tree.columns.depth[row]! + 1) : null, 'aria-expanded': isParent ? String(isOpen) : null,
    });
  }

  #onPointerDown = (event: PointerEvent): void => {
    const place = this.#rows.rowAt(event.clientY), row = place === null ? undefined : rows.peek()[place];
    if (row === undefined) return;
    chosen.value = row;
    if (event.button === 0 && (event.target as Element).closest('.toggle:not(:empty)')) toggle(row);
  };

  #onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    const place = this.#rows.rowAt(event.clientY), row = place === null ? undefined : rows.peek()[place];
    if (row !== undefined) showMenu(event.clientX, event.clientY, 'Function', menuOf(row));
  };

  #select(place: number): void {
    const shown = rows.peek(), to = Math.max(0, Math.min(shown.length - 1, place));
    if (shown.length === 0) return;
    chosen.value = shown[to]!;
    this.#rows.reveal(to);
  }

  #step(by: number): void {
    this.#select((this.#placeOf(chosen.peek()) ?? (by > 0 ? -1 : 0)) + by);
  }

  #open(): void {
    const now = this.#tree, row = chosen.peek();
    if (!now || row === null || !hasChildren(now, row)) return;
    if (closed.peek().has(row)) toggle(row);
    else this.#step(1);
  }

  #close(): void {
    const now = this.#tree, row = chosen.peek();
    if (!now || row === null) return;
    if (hasChildren(now, row) && !closed.peek().has(row)) return toggle(row);
    const parent = parentOf(now, row), place = this.#placeOf(parent);
    if (place !== undefined) this.#select(place);
  }

  #commands(): Command[] {
    const group = 'Comparison', isTree = (): boolean => this.#tree !== null;
    return [
      ...rowKeys(group, (by) => this.#step(by), (place) => this.#select(place), () => rows.peek().length),
      { group, title: 'Open', keys: ['ArrowRight'], when: isTree, run: () => this.#open() },
      { group, title: 'Close, or go to the caller', keys: ['ArrowLeft'], when: isTree, run: () => this.#close() },
      ...nodeCommands(() => nodeOf(chosen.peek())),
    ];
  }
}
