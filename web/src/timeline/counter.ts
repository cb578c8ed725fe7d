// A counter: the area from its least to its most in each pixel, with the two ends of its scale.
import type { Range } from '../transport/protocol.ts';
import type { CounterLine } from './track_data.ts';

export interface CounterScale {
  readonly low: number;
  readonly high: number;
}

/** Rates begin at 0, sums at their least. Null: there is nothing. */
export function counterScale({ least, most, accumulated }: CounterLine): CounterScale | null {
  let low = accumulated ? Infinity : 0, high = -Infinity;
  for (let x = 0; x < most.length; x++) {
    if (Number.isNaN(most[x])) continue;
    low = Math.min(low, least[x]!);
    high = Math.max(high, most[x]!);
  }
  return high === -Infinity ? null : { low, high };
}

/** The nearest pixel that has a value; the earlier one of two. */
export function nearestPixel({ most }: CounterLine, x: number): number | null {
  for (let away = 0; away < most.length; away++)
    for (const at of [x - away, x + away]) if (at >= 0 && at < most.length && !Number.isNaN(most[at])) return at;
  return null;
}

/** Least and most from one moment to another. */
export function extentIn({ least, most }: CounterLine, of: Range, [start, end]: Range): CounterScale | null {
  const x = (time: number): number => Math.round(((time - of[0]) / (of[1] - of[0])) * most.length);
  let low = Infinity, high = -Infinity;
  for (let i = Math.max(0, x(start)); i < Math.min(most.length, x(end)); i++) {
    if (Number.isNaN(most[i])) continue;
    low = Math.min(low, least[i]!);
    high = Math.max(high, most[i]!);
  }
  return high === -Infinity ? null : { low, high };
}

export interface CounterLook {
  readonly color: string;
  readonly text: string;
  readonly background: string;
  readonly write: (value: number) => string;
  /** The pixel with the dot. */
  readonly dot: number | null;
}

const MARGIN = 4, FONT_SIZE = 9;

/** In device pixels. */
export function drawCounter(context: CanvasRenderingContext2D, line: CounterLine, { color, text, background, write, dot }: CounterLook, height: number, scale: number): void {
  const ends = counterScale(line), { least, most } = line, width = most.length;
  if (!ends) return;
  const margin = MARGIN * scale, span = ends.high - ends.low || 1;
  const y = (value: number): number => height - margin - ((value - ends.low) / span) * (height - 2 * margin);
  const path = new Path2D();
  let first = -1, last = -1;
  for (let x = 0; x < width; x++) {
    if (Number.isNaN(most[x])) continue;
    if (first < 0) {
      first = x;
      path.moveTo(x, y(least[x]!));
    } else path.lineTo(x, y(least[x]!));
    path.lineTo(x, y(most[x]!));
    last = x;
  }
  const area = new Path2D(path);
  area.lineTo(last, height);
  area.lineTo(first, height);
  context.fillStyle = `${color}30`;
  context.fill(area);
  context.strokeStyle = color;
  context.lineWidth = 1.5 * scale;
  context.lineJoin = 'round';
  context.stroke(path);
  drawLabels(context, ends, { text, background, write }, width, height, scale);
  if (dot === null) return;
  context.beginPath();
  context.arc(dot, y(most[dot]!), 3 * scale, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.strokeStyle = background;
  context.lineWidth = scale;
  context.stroke();
}

function drawLabels(context: CanvasRenderingContext2D, { low, high }: CounterScale, { text, background, write }: Pick<CounterLook, 'text' | 'background' | 'write'>, width: number, height: number, scale: number): void {
  context.font = `${FONT_SIZE * scale}px system-ui, sans-serif`;
  context.textAlign = 'right';
  context.lineWidth = 3 * scale;
  context.lineJoin = 'round';
  const labels = high === low || height < 2.6 * FONT_SIZE * scale ? [[write(high), 0]] as const : ([[write(high), 0], [write(low), 1]] as const);
  for (const [label, place] of labels) {
    context.textBaseline = place === 0 ? 'top' : 'bottom';
    const at = place === 0 ? 2 * scale : height - scale;
    // What is behind shows through less, whatever it is.
    context.strokeStyle = background;
    context.strokeText(label, width - 4 * scale, at);
    context.fillStyle = text;
    context.fillText(label, width - 4 * scale, at);
  }
}
