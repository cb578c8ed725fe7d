// The rows of a listing: address, samples, instruction, and what was inlined there.
import { effect } from '@preact/signals';
import { cssColor, isDark, rowHeight } from '../theme/theme.ts';
import { visible } from '../transport/texts.ts';
import { Rows } from '../widgets/rows.ts';
import { drawJumps, JUMPS_WIDTH } from './draw_jumps.ts';
import { heatOf, hotPlaces, largest, nextHot } from './heat.ts';
import { layoutJumps, type Jump } from './jumps.ts';
import { figure, numberStyle } from './numbers.ts';
import { hoveredInstruction, hoveredLine, instructions, source, type InstructionsPart } from './source_model.ts';

const ROWS_ABOVE = 5;
const SHOWN_ADDRESS = (address: number): string => `0x${address.toString(16)}`;

export class AssemblyRows {
  readonly #rows: Rows;
  readonly #canvas: HTMLCanvasElement;
  readonly #endings: (() => void)[];
  #part: InstructionsPart | null = null;
  #jumps: readonly Jump[] = [];
  #most = 0;
  #shown = '';

  constructor(viewport: HTMLElement, canvas: HTMLCanvasElement) {
    this.#rows = new Rows(viewport, makeRow);
    this.#canvas = canvas;
    viewport.addEventListener('pointermove', this.#onPointerMove);
    viewport.addEventListener('pointerleave', this.#onPointerLeave);
    this.#endings = [
      effect(() => this.#take(instructions.value)),
      effect(() => {
        void [hoveredInstruction.value, hoveredLine.value, isDark.value, instructions.value, numberStyle(), source.value];
        this.#show();
      }),
    ];
  }

  dispose(): void {
    for (const end of this.#endings) end();
    this.#rows.dispose();
    hoveredInstruction.value = null;
  }

  #take(part: InstructionsPart | null): void {
    this.#part = part;
    if (!part) return;
    const { address, target, total } = part.columns;
    this.#jumps = layoutJumps(address, target, part.texts);
    this.#most = largest(total);
    this.#show();
    const shown = part.symbol === null ? '' : `${part.symbols[part.symbol]?.library}:${part.symbols[part.symbol]?.address}`;
    if (shown !== this.#shown && part.hottest !== null) this.#goTo(part.hottest);
    this.#shown = shown;
  }

  #goTo(row: number): void {
    this.#rows.placeRow(row, ROWS_ABOVE * rowHeight.peek());
  }

  step(by: 1 | -1): void {
    const part = this.#part;
    if (!part) return;
    const { total, self } = part.columns, place = total.map((_, row) => row);
    const to = nextHot(hotPlaces({ place, total, self }), Math.round(ROWS_ABOVE - this.#rows.offsetOf(0) / rowHeight.peek()), by);
    if (to !== null) this.#goTo(to);
  }

  #show(): void {
    this.#rows.show({ rowHeight: rowHeight.value, count: this.#part?.texts.length ?? 0, fill: (element, row) => this.#fill(element, row), seen: () => this.#drawJumps() });
  }

  #fill(element: HTMLElement, row: number): void {
    const part = this.#part;
    if (!part) return;
    const { columns, weight_type: type, root_total: whole, texts, files, functions } = part, style = numberStyle();
    const [total, self, address, , text, inlined] = element.children as unknown as HTMLElement[];
    const heat = heatOf(columns.total[row]!, this.#most), inlinedFrom = functions[columns.function[row]!];
    total!.textContent = figure(columns.total[row]!, type, whole, style);
    self!.textContent = figure(columns.self[row]!, type, whole, style);
    address!.textContent = SHOWN_ADDRESS(columns.address[row]!);
    text!.textContent = visible(texts[row] ?? '');
    // Once where it begins: a label in each row would be read as noise.
    const isFirst = row === 0 || columns.function[row] !== columns.function[row - 1];
    inlined!.textContent = inlinedFrom !== undefined && isFirst ? visible(inlinedFrom) : '';
    const file = source.peek()?.part.file, line = hoveredLine.peek();
    const isMarked = row === hoveredInstruction.peek() || (line !== null && columns.line[row] === line && files[columns.file[row]!] === file);
    element.className = `assembly-row${heat > 0 ? ` heat-${heat}` : ''}${isMarked ? ' marked-line' : ''}${inlinedFrom === undefined ? '' : ' is-inlined'}`;
    element.title = describe(part, row);
  }

  #drawJumps(): void {
    const canvas = this.#canvas, context = canvas.getContext('2d'), scale = devicePixelRatio, { clientHeight: height } = this.#rows.viewport;
    const width = Math.round(JUMPS_WIDTH * scale);
    canvas.width = width;
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${JUMPS_WIDTH}px`;
    canvas.style.height = `${height}px`;
    context?.scale(scale, scale);
    if (context) drawJumps(context, { jumps: this.#jumps, rowHeight: rowHeight.peek(), top: this.#rows.offsetOf(0), height, color: cssColor('--strong-border'), strongColor: cssColor('--accent'), hovered: hoveredInstruction.peek() });
  }

  #onPointerMove = ({ clientY }: PointerEvent): void => {
    hoveredInstruction.value = this.#rows.rowAt(clientY);
  };

  #onPointerLeave = (): void => {
    hoveredInstruction.value = null;
  };
}

function describe({ texts, files, functions, columns }: InstructionsPart, row: number): string {
  const file = files[columns.file[row]!], inlined = functions[columns.function[row]!];
  const parts = [texts[row] ?? '', file === undefined ? '' : `${file}:${columns.line[row]}`, inlined === undefined ? '' : `inlined: ${inlined}`];
  return visible(parts.filter(Boolean).join(' — '));
}

function makeRow(): HTMLElement {
  const row = document.createElement('div');
  for (const name of ['total', 'self', 'address', 'jumps', 'text', 'inlined']) {
    const cell = document.createElement('span');
    cell.className = name;
    row.append(cell);
  }
  return row;
}
