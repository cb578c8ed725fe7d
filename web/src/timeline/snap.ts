// Edges of markers that a range is drawn to.
import type { Lane } from './lane_layout.ts';
import { timeAt, xOf, type Scale } from './scale.ts';

/** The edge of a marker that is nearest to the time, if one is not farther away than so many pixels; else the time itself. */
export function snapTime(lanes: Iterable<Lane>, scale: Scale, time: number, reach: number): number {
  const x = xOf(scale, time);
  let nearest = x, least = reach;
  for (const { width, columns: { left, width: widths }, first, end } of lanes)
    for (let i = first; i < end; i++)
      for (const edge of [left[i]!, left[i]! + widths[i]!]) {
        const at = (edge * scale.width) / width, away = Math.abs(at - x);
        if (away < least) [nearest, least] = [at, away];
      }
  return nearest === x ? time : timeAt(scale, nearest);
}
