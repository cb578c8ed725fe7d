// Draws the boxes of a differential flame graph, and finds the one at a place.
import { chartFont } from '../charts/draw_boxes.ts';
import { fitterFor } from '../charts/text_fit.ts';
import { cssColor } from '../theme/theme.ts';
import type { Size } from '../widgets/use.ts';
import { endOf, fateOf, strengthOf, type ComparedTree } from './part.ts';

export interface BoxLayout {
  readonly rowHeight: number;
  readonly rootOnTop: boolean;
  /** Pixels that are beyond the edge of the root. */
  readonly scroll: number;
  /** What of the whole width is seen. */
  readonly left: number;
  readonly width: number;
}

export interface BoxMarks {
  readonly hovered: number | null;
  readonly chosen: number | null;
  readonly zoomed: number | null;
}

const TEXT_LEFT = 3, LEAST_PIXELS = 0.5, STRIPE = 6;

/** Of strengths from -4 to 4. */
function paints(): string[] {
  return Array.from({ length: 9 }, (_, i) => cssColor(i === 4 ? '--same' : i > 4 ? `--more-${i - 4}` : `--less-${4 - i}`));
}

function hatch(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  for (let at = x - height; at < x + width; at += STRIPE) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.lineWidth = 1.5;
  context.strokeStyle = cssColor('--background');
  context.stroke();
  context.restore();
}

const topOf = (depth: number, { rowHeight, rootOnTop, scroll }: BoxLayout, height: number): number => (rootOnTop ? depth * rowHeight - scroll : height - (depth + 1) * rowHeight + scroll);

export function drawBoxes(context: CanvasRenderingContext2D, { width, height }: Size, scale: number, part: ComparedTree, rows: readonly (readonly number[])[], layout: BoxLayout, { hovered, chosen, zoomed }: BoxMarks): void {
  const { columns, names } = part, { rowHeight } = layout, colors = paints(), text = cssColor('--text'), outline = cssColor('--more-text');
  context.font = chartFont(rowHeight);
  context.textBaseline = 'middle';
  const fitter = fitterFor(context), snap = (x: number): number => Math.round(x * scale) / scale;
  for (let depth = 0; depth < rows.length; depth++) {
    const y = topOf(depth, layout, height), boxHeight = rowHeight - 1;
    if (y + rowHeight < 0 || y > height) continue;
    for (const row of rows[depth]!) {
      const left = snap(Math.max(0, ((columns.left[row]! - layout.left) / layout.width) * width));
      const right = snap(Math.min(width, ((columns.left[row]! + columns.width[row]! - layout.left) / layout.width) * width));
      if (right - left < LEAST_PIXELS) continue;
      const isPale = zoomed !== null && row < zoomed && endOf(part, row) > zoomed, fate = fateOf(part, row), inner = Math.max(0.5, right - left - 0.8 / scale);
      context.globalAlpha = isPale ? 0.45 : 1;
      context.fillStyle = colors[strengthOf(part, row) + 4]!;
      context.fillRect(left, y, inner, boxHeight);
      if (fate === 'gone') hatch(context, left, y, inner, boxHeight);
      context.lineWidth = 1;
      if (fate === 'new' && inner > 3) {
        context.strokeStyle = outline;
        context.strokeRect(left + 0.5, y + 0.5, inner - 1, boxHeight - 1);
      }
      if ((row === chosen || row === hovered) && inner > 3) {
        context.strokeStyle = text;
        context.strokeRect(left + 0.5, y + 0.5, inner - 1, boxHeight - 1);
      }
      context.globalAlpha = 1;
      const name = inner > 2 * TEXT_LEFT + 4 ? fitter.fit(names[columns.place[row]!]!, inner - 2 * TEXT_LEFT) : '';
      context.fillStyle = text;
      if (name) context.fillText(name, left + TEXT_LEFT, y + boxHeight / 2 + 0.5);
    }
  }
}

export function boxAt({ columns }: ComparedTree, rows: readonly (readonly number[])[], layout: BoxLayout, { width, height }: Size, x: number, y: number): number | null {
  const depth = Math.floor((layout.rootOnTop ? y + layout.scroll : height - y + layout.scroll) / layout.rowHeight), at = layout.left + (x / width) * layout.width;
  return rows[depth]?.find((row) => at >= columns.left[row]! && at < columns.left[row]! + columns.width[row]!) ?? null;
}
