// A counter: the area from its least to its most in each pixel.
import type { CounterLine } from './model.ts';
import { cssColor } from '../theme/theme.ts';

/** In device pixels. */
export function drawCounter(context: CanvasRenderingContext2D, { least, most, accumulated }: CounterLine, width: number, height: number, scale: number): void {
  let low = accumulated ? Infinity : 0, high = -Infinity;
  for (let x = 0; x < width; x++) {
    if (Number.isNaN(most[x])) continue;
    low = Math.min(low, least[x]!);
    high = Math.max(high, most[x]!);
  }
  if (high === -Infinity) return;
  const margin = 2 * scale, span = high - low || 1;
  const y = (value: number): number => height - margin - ((value - low) / span) * (height - 2 * margin);
  const line = new Path2D();
  let first = -1, last = -1;
  for (let x = 0; x < width; x++) {
    if (Number.isNaN(most[x])) continue;
    if (first < 0) {
      first = x;
      line.moveTo(x, y(least[x]!));
    } else line.lineTo(x, y(least[x]!));
    line.lineTo(x, y(most[x]!));
    last = x;
  }
  const area = new Path2D(line);
  area.lineTo(last, height);
  area.lineTo(first, height);
  const color = cssColor('--counter');
  context.fillStyle = `${color}30`;
  context.fill(area);
  context.strokeStyle = color;
  context.lineWidth = 1.5 * scale;
  context.lineJoin = 'round';
  context.stroke(line);
}
