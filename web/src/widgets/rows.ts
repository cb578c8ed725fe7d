// A list of any length of which only the rows in sight exist: elements are used again as it scrolls.

/** Browsers cut elements off at some 17 million pixels; a longer list scrolls faster than the wheel says. */
const MOST_PIXELS = 8_000_000;
const BEYOND = 8;

export interface RowSource {
  readonly rowHeight: number;
  readonly count: number;
  /** Fills an element that showed another row before, or nothing. */
  fill(element: HTMLElement, row: number): void;
  /** Rows that will be seen next. */
  seen?(first: number, end: number): void;
  /** The row that stays in sight when there is less place. */
  selected?(): number | undefined;
}

/** Where it is another one: replacing a text by itself has the browser lay it out again. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttributes(element: HTMLElement, values: Readonly<Record<string, string | null>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/** A row of cells, which have these classes. */
export function tableRow(name: string, cells: readonly string[], role: 'cell' | 'gridcell' = 'gridcell'): HTMLElement {
  const row = document.createElement('div');
  row.className = `table-row ${name}`;
  row.setAttribute('role', 'row');
  for (const cellName of cells) {
    const cell = document.createElement('span');
    cell.className = cellName;
    cell.setAttribute('role', role);
    row.append(cell);
  }
  return row;
}

export class Rows {
  readonly viewport: HTMLElement;
  readonly #spacer = document.createElement('div');
  readonly #pool: HTMLElement[] = [];
  readonly #make: () => HTMLElement;
  readonly #observer: ResizeObserver;
  #source: RowSource = { rowHeight: 16, count: 0, fill: () => {} };
  #frame = 0;
  /** Of the viewport, as they were last: to ask the browser has it lay out what was just changed. */
  #height: number;
  #scrollTop = 0;

  /** `make` makes an element for a row. It is positioned by this list. */
  constructor(viewport: HTMLElement, make: () => HTMLElement) {
    this.viewport = viewport;
    this.#make = make;
    this.#spacer.className = 'rows-spacer';
    viewport.append(this.#spacer);
    this.#height = viewport.clientHeight;
    viewport.addEventListener('scroll', this.#scrolled, { passive: true });
    this.#observer = new ResizeObserver(this.#resized);
    this.#observer.observe(viewport);
  }

  dispose(): void {
    this.#observer.disconnect();
    this.viewport.removeEventListener('scroll', this.#scrolled);
    cancelAnimationFrame(this.#frame);
    this.#spacer.remove();
  }

  show(source: RowSource): void {
    this.#source = source;
    const whole = Math.min(source.count * source.rowHeight, MOST_PIXELS), height = `${whole}px`;
    if (this.#spacer.style.height !== height) this.#spacer.style.height = height;
    this.#scrollTop = Math.min(this.#scrollTop, Math.max(0, whole - this.#height)); // what browsers do with a shorter list
    this.render();
  }

  /** How many pixels of the list one pixel of scrolling is. */
  get #stretch(): number {
    const { count, rowHeight } = this.#source, whole = count * rowHeight, seen = this.#height;
    return whole > MOST_PIXELS ? (whole - seen) / (MOST_PIXELS - seen) : 1;
  }

  get #top(): number {
    return this.#scrollTop * this.#stretch;
  }

  /** Of what is seen, in pixels. */
  get height(): number {
    return this.#height;
  }

  get visibleRows(): number {
    return Math.ceil(this.#height / this.#source.rowHeight);
  }

  get firstVisible(): number {
    return Math.floor(this.#top / this.#source.rowHeight);
  }

  /** Where a row is from the upper edge of what is seen. */
  offsetOf(row: number): number {
    return row * this.#source.rowHeight - this.#top;
  }

  /** Scrolls so that a row is so far from the upper edge. */
  placeRow(row: number, offset: number): void {
    const { count, rowHeight } = this.#source, most = Math.min(count * rowHeight, MOST_PIXELS) - this.#height;
    const to = Math.max(0, Math.min(most, (row * rowHeight - offset) / this.#stretch));
    if (Math.abs(to - this.#scrollTop) < 0.5) return;
    this.#scrollTop = this.viewport.scrollTop = to;
    this.#schedule();
  }

  /** Scrolls no more than it takes. */
  reveal(row: number): void {
    const { rowHeight } = this.#source, offset = this.offsetOf(row), last = this.#height - rowHeight;
    if (offset < 0) this.placeRow(row, 0);
    else if (offset > last) this.placeRow(row, Math.max(0, last));
  }

  #resized = (): void => {
    const before = this.#height, row = this.#source.selected?.(), offset = row === undefined ? -1 : this.offsetOf(row);
    this.#height = this.viewport.clientHeight;
    if (this.#height < before && offset >= 0 && offset < before) this.reveal(row!);
    this.#schedule();
  };

  #scrolled = (): void => {
    this.#scrollTop = this.viewport.scrollTop;
    this.#schedule();
  };

  #schedule = (): void => {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.render();
    });
  };

  render(): void {
    const { rowHeight, count } = this.#source;
    const first = Math.max(0, this.firstVisible - BEYOND);
    const end = Math.min(count, this.firstVisible + this.visibleRows + 1 + BEYOND);
    this.#source.seen?.(first, end);
    const shift = this.#scrollTop - this.#top;
    const needed = Math.max(0, end - first);
    while (this.#pool.length < needed) {
      const element = this.#make();
      element.style.position = 'absolute';
      this.#pool.push(element);
      this.#spacer.append(element);
    }
    // A row keeps its element while it is in sight, so that what the pointer is on stays the same one.
    const size = this.#pool.length;
    this.#pool.forEach((element, i) => {
      const isHidden = (i - first % size + size) % size >= needed;
      if (element.hidden !== isHidden) element.hidden = isHidden;
    });
    for (let row = first; row < end; row++) {
      const element = this.#pool[row % size]!;
      element.style.transform = `translateY(${row * rowHeight + shift}px)`;
      this.#source.fill(element, row);
    }
  }

  /** The row at a place in the window. */
  rowAt(clientY: number): number | null {
    const row = Math.floor((clientY - this.viewport.getBoundingClientRect().top + this.#top) / this.#source.rowHeight);
    return row >= 0 && row < this.#source.count ? row : null;
  }
}
