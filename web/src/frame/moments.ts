// Moments and ranges as somebody types them.
import { readTime, unitIn } from '../format/times.ts';
import type { Range } from '../transport/protocol.ts';

/** `1.5s`, `300 ms`, `2` (seconds), `1s-2.5s`: milliseconds since the start, an end where there is one. */
export function readMoment(text: string): readonly [number, number | null] | null {
  const sides = text.split(/[-–…]/), [first = '', last] = sides;
  const start = readTime(first, unitIn(last ?? '')), end = last === undefined ? null : readTime(last, unitIn(first));
  return sides.length > 2 || Number.isNaN(start) || (end !== null && !(end > start)) ? null : [start, end];
}

/** Of what is seen, so wide is the range around a moment. */
const AROUND = 0.02;

/** The range of a moment, within what the timeline shows. */
export function rangeAt([start, end]: readonly [number, number | null], [from, until]: Range): Range | null {
  const half = ((until - from) * AROUND) / 2, range = end === null ? [start - half, start + half] : [start, end];
  const cut: Range = [Math.max(from, range[0]!), Math.min(until, range[1]!)];
  return cut[0] < cut[1] ? cut : null;
}
