// Lanes of markers as numbers: which marks a track has, and which one is at a place.
import type { MarkerId } from '../state/view.ts';
import type { Columns, Part } from '../transport/protocol.ts';

const LEVELS = 3;
/** CSS pixels of a level, with what is free below it. */
export const LEVEL_HEIGHT = 6;
export const LANE_HEIGHT = LEVELS * LEVEL_HEIGHT;

export type LaneColumns = Columns<'track' | 'level' | 'thread' | 'marker' | 'left' | 'width' | 'category' | 'flags' | 'name'>;

/** The marks of one thread: those from `first` to `end` of all that came. */
export interface Lane {
  readonly width: number;
  readonly columns: LaneColumns;
  readonly first: number;
  readonly end: number;
}

export interface LanesPart extends Part {
  readonly width: number;
  readonly columns: LaneColumns;
}

/** Marks are sorted by track. */
export function lanesOf({ width, columns }: LanesPart, threads: readonly number[]): Map<number, Lane> {
  const found = new Map<number, Lane>(), { track } = columns;
  for (let first = 0, end = 0; first < track.length; first = end) {
    while (end < track.length && track[end] === track[first]) end++;
    found.set(threads[track[first]!]!, { width, columns, first, end });
  }
  return found;
}

/** Pixels beside a mark that still mean it. */
const REACH = 3;

/** `x`, `y` in CSS pixels of the lane, which is `pixels` wide. The nearest mark of the level. */
export function markInLane({ width, columns: { level, left, width: widths }, first, end }: Lane, pixels: number, x: number, y: number): number | null {
  const at = Math.floor(y / LEVEL_HEIGHT), scale = pixels / width;
  let found: number | null = null, least = REACH;
  for (let i = first; i < end; i++) {
    if (level[i] !== at) continue;
    const from = left[i]! * scale, to = (left[i]! + widths[i]!) * scale, away = x < from ? from - x : Math.max(0, x - to);
    if (away < least || (away === 0 && found === null)) [found, least] = [i, away];
  }
  return found;
}

export const idInLane = ({ columns: { thread, marker } }: Lane, mark: number): MarkerId => ({ thread: thread[mark]!, marker: marker[mark]! });
