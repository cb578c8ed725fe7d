// Moments and ranges as somebody types them.
import type { Range } from '../transport/protocol.ts';

const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000 };

/** `1.5s`, `300 ms`, `2` (seconds), `1s-2.5s`: milliseconds since the start, an end where there is one. */
export function readMoment(text: string): readonly [number, number | null] | null {
  const one = String.raw`(\d+(?:\.\d+)?)\s*(ns|us|µs|μs|ms|s|m)?`;
  const found = new RegExp(`^\\s*${one}(?:\\s*[-–…]\\s*${one})?\\s*$`).exec(text);
  if (!found) return null;
  const [, first, unit, last, lastUnit] = found;
  const ms = (value: string, of: string | undefined): number => Number(value) * (UNITS[of ?? lastUnit ?? 's'] ?? 1000);
  const start = ms(first!, unit), end = last === undefined ? null : Number(last) * (UNITS[lastUnit ?? unit ?? 's'] ?? 1000);
  return end !== null && end <= start ? null : [start, end];
}

/** Of what is seen, so wide is the range around a moment. */
const AROUND = 0.02;

/** The range of a moment, within what the timeline shows. */
export function rangeAt([start, end]: readonly [number, number | null], [from, until]: Range): Range | null {
  const half = ((until - from) * AROUND) / 2, range = end === null ? [start - half, start + half] : [start, end];
  const cut: Range = [Math.max(from, range[0]!), Math.min(until, range[1]!)];
  return cut[0] < cut[1] ? cut : null;
}
