// Draws rows of boxes with names in them: flame graphs, and stacks over time. In CSS pixels; edges lie on device pixels.
import type { Paint } from '../theme/palette.ts';
import { framePaint } from '../theme/frame_paint.ts';
import { cssColor } from '../theme/theme.ts';
import { textOf } from '../transport/texts.ts';
import { HAS_MATCH, type BoxRow } from './boxes.ts';
import { fitterFor, type TextFitter } from './text_fit.ts';

export interface BoxStyle {
  readonly rowHeight: number;
  readonly scale: number;
  /** Boxes are drawn no further than this. */
  readonly from: number;
  readonly until: number;
  /** While something is searched for, only what matches is strong. */
  readonly searching: boolean;
}

/** Of a row: where it is, where its boxes are, and which of them stand out. */
export interface DrawnRow {
  readonly row: BoxRow;
  readonly y: number;
  /** The edges of a box, by its place in the columns; not rounded. */
  readonly left: (place: number) => number;
  readonly right: (place: number) => number;
  /** Under the pointer, or with a menu: by their numbers in the row. */
  readonly strong: readonly number[];
  readonly selected: ReadonlySet<number>;
  /** What a zoomed box is in. */
  readonly isPale: boolean;
}

/** Device pixels that the gap between boxes takes, and between such that are hardly wider than it. */
const GAP = 0.8, NARROW_GAP = 0.3, NARROW = 2;
const TEXT_LEFT = 3;
const PALE = 0.45, UNMATCHED = 0.3;

export const chartFont = (rowHeight: number): string => `${rowHeight / 2 + 2}px system-ui, 'Segoe UI', Cantarell, 'Helvetica Neue', Arial, sans-serif`;

export class BoxPainter {
  readonly #context: CanvasRenderingContext2D;
  readonly #style: BoxStyle;
  readonly #fitter: TextFitter;
  readonly #text = cssColor('--text');
  /** By library, then by name and category. */
  readonly #paints = new Map<number, Map<number, Paint>>();

  constructor(context: CanvasRenderingContext2D, style: BoxStyle) {
    this.#context = context;
    this.#style = style;
    context.font = chartFont(style.rowHeight);
    context.textBaseline = 'middle';
    this.#fitter = fitterFor(context);
  }

  /** Thousands of boxes have a few colours. */
  #paint(category: number, library: number, name: number): Paint {
    let paints = this.#paints.get(library);
    if (!paints) this.#paints.set(library, (paints = new Map()));
    const key = name * 0x10000 + category;
    let paint = paints.get(key);
    if (!paint) paints.set(key, (paint = framePaint(category, textOf(library), textOf(name))));
    return paint;
  }

  row({ row: { columns, places }, y, left, right, strong, selected, isPale }: DrawnRow): void {
    const { scale, from, until, searching } = this.#style;
    for (let index = 0; index < places.length; index++) {
      const place = places[index]!;
      const start = Math.max(from, Math.round(left(place) * scale) / scale);
      const end = Math.min(until, Math.round(right(place) * scale) / scale);
      if (start > until) break;
      if (end <= start) continue;
      const isSelected = selected.size > 0 && selected.has(index);
      const isStrong = isSelected || strong.includes(index) || (searching && (columns.flags[place]! & HAS_MATCH) !== 0);
      const alpha = isStrong ? 1 : isPale ? PALE : searching ? UNMATCHED : 1;
      this.#box(start, end, y, this.#paint(columns.category[place]!, columns.library[place]!, columns.name[place]!), columns.name[place]!, isStrong, isSelected, alpha);
    }
  }

  #box(start: number, end: number, y: number, paint: Paint, name: number, isStrong: boolean, isSelected: boolean, alpha: number): void {
    const context = this.#context, { rowHeight, scale } = this.#style;
    const width = end - start - (end - start <= NARROW / scale ? NARROW_GAP : GAP) / scale, height = rowHeight - 1;
    context.fillStyle = isStrong ? paint.strong : paint.box;
    if (alpha !== 1) context.globalAlpha = alpha;
    context.fillRect(start, y, width, height);
    if (alpha !== 1) context.globalAlpha = 1;
    if (isSelected && width > 6) {
      context.strokeStyle = this.#text;
      context.lineWidth = 1;
      context.strokeRect(start + 0.5, y + 0.5, width - 1, height - 1);
    }
    const text = width > 2 * TEXT_LEFT + 4 ? this.#fitter.fit(textOf(name), width - 2 * TEXT_LEFT) : '';
    if (!text) return;
    context.fillStyle = isStrong ? paint.text : alpha === 1 ? paint.boxText : this.#text;
    context.fillText(text, start + TEXT_LEFT, y + height / 2 + 0.5);
  }
}
