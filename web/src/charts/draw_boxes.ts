// Draws rows of boxes with names in them: flame graphs, and stacks over time. In CSS pixels; edges lie on device pixels.
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
  /** Under the pointer, selected, with a menu. */
  readonly isStrong: (index: number) => boolean;
  readonly isSelected: (index: number) => boolean;
  /** What a zoomed box is in. */
  readonly isPale: boolean;
}

/** Device pixels that the gap between boxes takes, and between such that are hardly wider than it. */
const GAP = 0.8, NARROW_GAP = 0.3, NARROW = 2;
const TEXT_LEFT = 3;
const PALE = 0.45, UNMATCHED = 0.3;

export const chartFont = (rowHeight: number): string => `${Math.round((rowHeight - 6) * 10) / 10}px system-ui, 'Segoe UI', Cantarell, 'Helvetica Neue', Arial, sans-serif`;

export class BoxPainter {
  readonly #context: CanvasRenderingContext2D;
  readonly #style: BoxStyle;
  readonly #fitter: TextFitter;
  readonly #text = cssColor('--text');
  readonly #ring = cssColor('--text');

  constructor(context: CanvasRenderingContext2D, style: BoxStyle) {
    this.#context = context;
    this.#style = style;
    context.font = chartFont(style.rowHeight);
    context.textBaseline = 'middle';
    this.#fitter = fitterFor(context);
  }

  row({ row: { columns, places }, y, left, right, isStrong, isSelected, isPale }: DrawnRow): void {
    const { scale, from, until } = this.#style;
    for (let index = 0; index < places.length; index++) {
      const place = places[index]!;
      const start = Math.max(from, Math.round(left(place) * scale) / scale);
      const end = Math.min(until, Math.round(right(place) * scale) / scale);
      if (start > until) break;
      if (end <= start) continue;
      this.#box(start, end, y, {
        name: columns.name[place]!, library: columns.library[place]!, category: columns.category[place]!, isMatch: (columns.flags[place]! & HAS_MATCH) !== 0,
        isStrong: isStrong(index), isSelected: isSelected(index), isPale,
      });
    }
  }

  #box(start: number, end: number, y: number, { name, library, category, isMatch, isStrong, isSelected, isPale }: { name: number; library: number; category: number; isMatch: boolean; isStrong: boolean; isSelected: boolean; isPale: boolean }): void {
    const context = this.#context, { rowHeight, scale, searching } = this.#style;
    const paint = framePaint(category, textOf(library));
    const strong = isStrong || isSelected || (searching && isMatch);
    const width = end - start - (end - start <= NARROW / scale ? NARROW_GAP : GAP) / scale, height = rowHeight - 1;
    context.fillStyle = strong ? paint.strong : paint.weak;
    const faint = strong ? 1 : isPale ? PALE : searching ? UNMATCHED : 1;
    if (faint !== 1) context.globalAlpha = faint;
    context.fillRect(start, y, width, height);
    if (faint !== 1) context.globalAlpha = 1;
    if (isSelected && width > 6) {
      context.strokeStyle = this.#ring;
      context.lineWidth = 1;
      context.strokeRect(start + 0.5, y + 0.5, width - 1, height - 1);
    }
    const text = width > 2 * TEXT_LEFT + 4 ? this.#fitter.fit(textOf(name), width - 2 * TEXT_LEFT) : '';
    if (!text) return;
    context.fillStyle = strong ? paint.text : this.#text;
    context.fillText(text, start + TEXT_LEFT, y + height / 2 + 0.5);
  }
}
