// How busy the selected node kept its threads, of the graphs of all of them.
import type { Activity } from './track_data.ts';

/** Of a fill: see `tracks` in docs/api.md. */
const SELECTED = 1;

/** What all threads together have of the selected node, for each pixel. */
export function selectedHeights(threads: Iterable<Activity>, width: number): Float32Array {
  const sums = new Float32Array(width);
  for (const { fills } of threads) for (const { state, heights } of fills) if (state === SELECTED) for (let x = 0; x < width; x++) sums[x]! += heights[x]! / 255;
  return sums;
}

/** First and last pixel that has something; null where there is none. */
export function extentOf(heights: Float32Array): readonly [number, number] | null {
  const first = heights.findIndex((height) => height > 0);
  return first < 0 ? null : [first, heights.findLastIndex((height) => height > 0)];
}
