// The narrow lanes below the hills, and the time in which a thread was not there. Everything in device pixels.
import { cssColor } from '../theme/theme.ts';
import type { EmptyBlock } from './empty_blocks.ts';

/** The columns that have a number, as rectangles of one colour each. */
function drawRuns(context: CanvasRenderingContext2D, column: Uint8Array, colors: readonly (string | null)[], top: number, height: number): void {
  for (let x = 0; x < column.length; ) {
    const value = column[x]!, start = x;
    while (x < column.length && column[x] === value) x++;
    const color = colors[value];
    if (!color) continue;
    context.fillStyle = color;
    context.fillRect(start, top, x - start, height);
  }
}

export const drawStrip = (context: CanvasRenderingContext2D, strip: Uint8Array, top: number, height: number): void =>
  drawRuns(context, strip, [null, cssColor('--strip-sample'), cssColor('--strip-selected'), cssColor('--strip-idle')], top, height);

export const drawWaits = (context: CanvasRenderingContext2D, waits: Uint8Array, top: number, height: number): void =>
  drawRuns(context, waits, [null, cssColor('--wait-cpu'), cssColor('--wait-ready'), cssColor('--wait-waiting'), cssColor('--wait-unseen')], top, height);

const STRIPE = 8;

export function drawEmpty(context: CanvasRenderingContext2D, blocks: readonly EmptyBlock[], height: number, scale: number): void {
  for (const { left, right } of blocks) {
    context.save();
    context.beginPath();
    context.rect(left, 0, right - left, height);
    context.clip();
    context.fillStyle = cssColor('--empty-block');
    context.fillRect(left, 0, right - left, height);
    context.strokeStyle = cssColor('--empty-stripe');
    context.lineWidth = 1.5 * scale;
    context.beginPath();
    // Stripes stand still where the block grows: they count from the left edge of the graph.
    for (let x = Math.floor((left - height) / (STRIPE * scale)) * STRIPE * scale; x < right; x += STRIPE * scale) {
      context.moveTo(x, height);
      context.lineTo(x + height, 0);
    }
    context.stroke();
    context.restore();
  }
}
