// The hills of a thread: what the server has computed per pixel, drawn.
import type { Column } from '../transport/protocol.ts';
import { framePaint } from '../theme/frame_paint.ts';

/** State of a fill: see `tracks` in docs/api.md. */
const SELECTED = 1, FILTERED_OUT = 3;

export interface Fill {
  readonly category: number;
  /** Where the category says nothing. */
  readonly library: string;
  readonly state: number;
  /** One per device pixel, 255 the whole height; stacked on the fill before. */
  readonly heights: Column;
}

let stripes: { readonly key: string; readonly pattern: CanvasPattern } | undefined;

/** Diagonal stripes, for what filters have left out. */
function striped(context: CanvasRenderingContext2D, color: string): CanvasPattern | string {
  if (stripes?.key === color) return stripes.pattern;
  const tile = new OffscreenCanvas(4, 4), inner = tile.getContext('2d')!;
  inner.strokeStyle = color;
  inner.lineWidth = 1.2;
  inner.beginPath();
  for (const shift of [-4, 0, 4]) {
    inner.moveTo(shift - 1, 5);
    inner.lineTo(shift + 5, -1);
  }
  inner.stroke();
  const pattern = context.createPattern(tile as unknown as CanvasImageSource, 'repeat');
  if (!pattern) return color;
  stripes = { key: color, pattern };
  return pattern;
}

/** In device pixels, where nothing is drawn yet. Fills that touch share their edge exactly, and what each covers of a pixel is added, so that no seam is seen. */
export function drawActivity(context: CanvasRenderingContext2D, fills: readonly Fill[], width: number, top: number, height: number): void {
  const lower = new Float32Array(width), bottom = top + height;
  context.globalCompositeOperation = 'lighter';
  for (const { category, library, state, heights } of fills) {
    const { strong, weak } = framePaint(category, library);
    context.fillStyle = state === SELECTED ? strong : state === FILTERED_OUT ? striped(context, weak) : weak;
    for (let x = 0; x < width; x++) {
      if (heights[x] === 0) continue;
      const start = x;
      while (x < width && heights[x]! > 0) x++;
      context.beginPath();
      context.moveTo(start, bottom - lower[start]! * height);
      for (let i = start; i < x; i++) context.lineTo(i + 0.5, bottom - lower[i]! * height);
      context.lineTo(x, bottom - lower[x - 1]! * height);
      context.lineTo(x, bottom - (lower[x - 1]! + heights[x - 1]! / 255) * height);
      for (let i = x - 1; i >= start; i--) context.lineTo(i + 0.5, bottom - (lower[i]! + heights[i]! / 255) * height);
      context.lineTo(start, bottom - (lower[start]! + heights[start]! / 255) * height);
      context.fill();
    }
    for (let x = 0; x < width; x++) lower[x]! += heights[x]! / 255;
  }
  context.globalCompositeOperation = 'source-over';
}
