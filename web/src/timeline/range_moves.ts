// Ranges that keys make, the busy stretch around a moment, and the window of the overview: which range comes of them. Nothing here draws.
import type { Range } from '../transport/protocol.ts';
import { clampRange } from './scale.ts';

const TENTH = 0.1;

const length = ([start, end]: Range): number => end - start;

/** What the first key makes where there is no range yet: a tenth, in the middle, or around the moment under the pointer. */
function firstRange(limit: Range, around: number | null): Range {
  const span = length(limit) * TENTH, middle = around ?? (limit[0] + limit[1]) / 2;
  return shiftInto([middle - span / 2, middle + span / 2], limit);
}

/** A range of the same length that lies in the limit. */
export function shiftInto(range: Range, limit: Range): Range {
  const span = Math.min(length(range), length(limit));
  const start = Math.max(limit[0], Math.min(limit[1] - span, range[0]));
  return [start, start + span];
}

/** By a tenth of its length, earlier or later. */
export function movedRange(range: Range | null, limit: Range, step: 1 | -1, around: number | null = null): Range {
  if (!range) return firstRange(limit, around);
  const by = length(range) * TENTH * step;
  return shiftInto([range[0] + by, range[1] + by], limit);
}

/** Its end goes later or earlier by a tenth. */
export function resizedRange(range: Range | null, limit: Range, step: 1 | -1, shortest: number, around: number | null = null): Range {
  if (!range) return firstRange(limit, around);
  const span = Math.max(Math.min(shortest, length(range)), length(range) * (1 + TENTH * step));
  return clampRange([range[0], range[0] + span], limit);
}

/** Of 255: less is idle. */
const IDLE = 13;
/** Shorter pauses are part of the stretch. */
const PAUSE_PIXELS = 3;

/** First and last pixel, from idle to idle, of the stretch that is there or beside; null where it is idle. */
export function busyStretch(totals: Uint8Array, at: number): readonly [number, number] | null {
  const isBusy = (x: number): boolean => totals[x]! >= IDLE;
  const beside = [0, -1, 1, -2, 2, -3, 3].map((away) => at + away).find((x) => x >= 0 && x < totals.length && isBusy(x));
  if (beside === undefined) return null;
  const reach = (step: 1 | -1): number => {
    let last = beside;
    for (let x = beside; x >= 0 && x < totals.length && Math.abs(x - last) <= PAUSE_PIXELS; x += step) if (isBusy(x)) last = x;
    return last;
  };
  return [reach(-1), reach(1)];
}

/** The committed ranges after the last one was moved: those that it does not lie in any more are left out. */
export function withLastMoved(ranges: readonly Range[], to: Range): readonly Range[] {
  return [...ranges.slice(0, -1).filter(([start, end]) => start <= to[0] && to[1] <= end), to];
}
