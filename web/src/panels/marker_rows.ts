// The marker table's rows: recycled elements, the selected one, keys and the menu.
import { effect } from '@preact/signals';
import { timestamp } from '../format/numbers.ts';
import { markerCommands, openMarkerMenu, showRangeOfId } from '../markers/actions.ts';
import { markerPaint } from '../markers/paint.ts';
import { provideCommands, type Command } from '../state/commands.ts';
import { adjust, generation, opened, view } from '../state/store.ts';
import { markerState, sameMarker, type MarkerId } from '../state/view.ts';
import { isDark, rowHeight } from '../theme/theme.ts';
import { Rows, setAttributes, setText, tableRow } from '../widgets/rows.ts';
import { chooseMarkers, chosenMarkers, isChosen, toggleMarker } from './marker_selection.ts';
import { fieldsOf, MarkerTableModel, rowOf } from './marker_table_model.ts';

const PAGE = 15;
const CELLS = ['start', 'duration', 'name', 'thread', 'category', 'details'] as const;

export class MarkerRows {
  readonly model = new MarkerTableModel();
  readonly #rows: Rows;
  readonly #endings: (() => void)[];
  #key = '';
  /** Where a range of rows begins that is chosen with Shift. */
  #from: number | null = null;

  constructor(viewport: HTMLElement) {
    this.#rows = new Rows(viewport, () => tableRow('marker-row', CELLS, 'cell'));
    viewport.addEventListener('pointerdown', this.#onPointerDown);
    viewport.addEventListener('mousedown', this.#keepText);
    viewport.addEventListener('dblclick', this.#onDoubleClick);
    viewport.addEventListener('contextmenu', this.#onContextMenu);
    this.#endings = [effect(() => this.#follow()), effect(() => this.#show()), effect(() => this.#reveal()), provideCommands('marker-table', () => this.#commands())];
  }

  dispose(): void {
    for (const end of this.#endings) end();
    this.#rows.dispose();
  }

  #follow(): void {
    const key = JSON.stringify([markerState(view.value), view.value.markerSort, generation.value]);
    if (!opened.value || key === this.#key) return;
    this.#key = key;
    this.#from = null;
    chooseMarkers([]);
    void this.#refresh();
  }

  /** The selected marker stays where it is on the screen. */
  async #refresh(): Promise<void> {
    const before = this.model.rowOf(view.peek().marker), offset = before === undefined ? -1 : this.#rows.offsetOf(before);
    const wasInSight = offset >= 0 && offset < this.#rows.height, wasShown = this.model.rows.peek() !== null;
    this.model.visibleRows = this.#rows.visibleRows;
    const part = await this.model.refresh();
    if (!part) return;
    if (part.anchor === null) this.#rows.placeRow(0, 0);
    else if (wasInSight) this.#rows.placeRow(part.anchor, offset);
    else if (!wasShown) this.#rows.placeRow(part.anchor, this.#rows.height / 2);
  }

  /** A marker that was selected elsewhere, or by a key, comes into sight. */
  #reveal(): void {
    const { marker } = view.value;
    if (marker && !isChosen(marker) && chosenMarkers.peek().size > 0) chooseMarkers([]);
    if (!marker || !this.model.rows.peek()) return;
    const row = this.model.rowOf(marker);
    if (row !== undefined) this.#rows.reveal(row);
    else void this.model.find(marker).then((found) => found !== null && sameMarker(marker, view.peek().marker) && this.#rows.reveal(found));
  }

  #show(): void {
    const part = this.model.rows.value, { marker } = view.value;
    void [isDark.value, chosenMarkers.value];
    this.#rows.show({
      rowHeight: rowHeight.value,
      count: part?.count ?? 0,
      fill: (element, row) => this.#fill(element, row, marker),
      seen: (first, end) => {
        if (part && end > first && (this.model.place(first) === undefined || this.model.place(end - 1) === undefined)) void this.model.scroll(first);
      },
      selected: () => this.model.rowOf(view.peek().marker),
    });
    this.#rows.viewport.parentElement?.setAttribute('aria-rowcount', String((part?.count ?? 0) + 1));
  }

  #fill(element: HTMLElement, row: number, selected: MarkerId | null): void {
    const part = this.model.rows.peek(), i = this.model.place(row), cells = element.children as unknown as HTMLElement[];
    element.classList.toggle('odd', row % 2 === 1);
    setAttributes(element, { 'aria-rowindex': String(row + 2) });
    if (!part || i === undefined) {
      for (let at = 0; at < element.children.length; at++) cells[at]!.textContent = '';
      element.classList.remove('selected');
      return;
    }
    const texts = { ...rowOf(part, i), start: timestamp(part.columns.start[i]!, 0.001) };
    CELLS.forEach((name, at) => setText(cells[at]!, texts[name]));
    this.#fillFields(element, fieldsOf(part, i));
    cells[CELLS.indexOf('name')]!.style.setProperty('--color', markerPaint(part.columns.category[i]!).border);
    const id = this.model.idOfRow(row), isSelected = sameMarker(selected, id), isOneOf = isSelected || (id !== null && isChosen(id));
    element.classList.toggle('selected', isOneOf);
    setAttributes(element, { 'aria-selected': String(isOneOf), id: `marker-row-${row}` });
    if (isSelected) setAttributes(this.#rows.viewport, { 'aria-activedescendant': element.id });
  }

  /** Cells for the fields of the schema that all have, after the others. */
  #fillFields(element: HTMLElement, texts: readonly string[]): void {
    while (element.children.length > CELLS.length + texts.length) element.lastElementChild!.remove();
    while (element.children.length < CELLS.length + texts.length) {
      const cell = document.createElement('span');
      cell.className = 'field';
      cell.setAttribute('role', 'cell');
      element.append(cell);
    }
    texts.forEach((text, i) => {
      const cell = element.children[CELLS.length + i] as HTMLElement;
      setText(cell, text);
      setAttributes(cell, { title: text || null });
    });
  }

  #idAt(event: MouseEvent): MarkerId | null {
    const row = this.#rows.rowAt(event.clientY);
    return row === null ? null : this.model.idOfRow(row);
  }

  #onPointerDown = (event: PointerEvent): void => {
    const row = this.#rows.rowAt(event.clientY), marker = row === null ? null : this.model.markerOfRow(row);
    if (row === null || !marker || (event.button !== 0 && isChosen(marker.id))) return;
    if (event.shiftKey) void this.#extend(row);
    else if (event.ctrlKey || event.metaKey) this.#toggle(row);
    else this.#chooseOne(row);
    if (!(event.ctrlKey || event.metaKey) || isChosen(marker.id)) adjust({ marker: marker.id });
  };

  /** Rows are chosen, and not the text of rows. */
  #keepText = (event: MouseEvent): void => {
    if (!event.shiftKey) return;
    event.preventDefault();
    this.#rows.viewport.focus({ preventScroll: true });
  };

  #chooseOne(row: number): void {
    const marker = this.model.markerOfRow(row);
    this.#from = row;
    chooseMarkers(marker ? [marker] : []);
  }

  #toggle(row: number): void {
    const marker = this.model.markerOfRow(row), before = this.model.rowOf(view.peek().marker), first = before === undefined ? null : this.model.markerOfRow(before);
    if (chosenMarkers.peek().size === 0 && first) chooseMarkers([first]);
    this.#from = row;
    if (marker) toggleMarker(marker);
  }

  /** All rows up to one, from where the last choice was made. */
  async #extend(row: number): Promise<void> {
    const from = this.#from ?? this.model.rowOf(view.peek().marker) ?? row;
    this.#from = from;
    const markers = await this.model.between(Math.min(from, row), Math.max(from, row));
    if (markers) chooseMarkers(markers);
  }

  #onDoubleClick = (event: MouseEvent): void => {
    const id = this.#idAt(event);
    if (id) void showRangeOfId(id);
  };

  #onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    const id = this.#idAt(event);
    if (id) void openMarkerMenu(id, event);
  };

  async #select(row: number, isExtended = false): Promise<void> {
    const count = this.model.rows.peek()?.count ?? 0, to = Math.max(0, Math.min(count - 1, row));
    if (count === 0) return;
    if (this.model.place(to) === undefined) await this.model.scroll(to);
    const id = this.model.idOfRow(to);
    if (!id) return;
    if (isExtended) await this.#extend(to);
    else this.#chooseOne(to);
    adjust({ marker: id });
  }

  #step(by: number, isExtended = false): void {
    void this.#select((this.model.rowOf(view.peek().marker) ?? (by > 0 ? -1 : 0)) + by, isExtended);
  }

  #commands(): Command[] {
    const group = 'Marker table';
    return [
      { group, title: 'Next row', keys: ['ArrowDown'], run: () => this.#step(1) },
      { group, title: 'Previous row', keys: ['ArrowUp'], run: () => this.#step(-1) },
      { group, title: 'Choose the next row, too', keys: ['Shift+ArrowDown'], run: () => this.#step(1, true) },
      { group, title: 'Choose the previous row, too', keys: ['Shift+ArrowUp'], run: () => this.#step(-1, true) },
      { group, title: 'A page down', keys: ['PageDown'], run: () => this.#step(PAGE) },
      { group, title: 'A page up', keys: ['PageUp'], run: () => this.#step(-PAGE) },
      { group, title: 'First row', keys: ['Home'], run: () => void this.#select(0) },
      { group, title: 'Last row', keys: ['End'], run: () => void this.#select((this.model.rows.peek()?.count ?? 1) - 1) },
      ...markerCommands(),
    ];
  }
}
