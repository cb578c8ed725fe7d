// Lanes of markers in tracks: one request for all of them, whenever what is visible, the range, or the width changes.
import { effect, signal, untracked } from '@preact/signals';
import { IS_MOMENT } from '../markers/marker.ts';
import { markerPaint } from '../markers/paint.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { markerState, type MarkerId } from '../state/view.ts';
import type { Columns, Part, QueryState } from '../transport/protocol.ts';
import { cssColor } from '../theme/theme.ts';
import { graphWidth } from './model.ts';
import { visibleTracks } from './tracks.ts';

const LEVELS = 3;
/** CSS pixels of a level, with what is free below it. */
const LEVEL_HEIGHT = 6, GAP = 1;
const LANE_HEIGHT = LEVELS * LEVEL_HEIGHT;

export type LaneColumns = Columns<'track' | 'level' | 'thread' | 'marker' | 'left' | 'width' | 'category' | 'flags' | 'name'>;

/** The marks of one thread: those from `first` to `end` of all that came. */
export interface Lane {
  readonly width: number;
  readonly columns: LaneColumns;
  readonly first: number;
  readonly end: number;
}

interface LanesPart extends Part {
  readonly width: number;
  readonly columns: LaneColumns;
}

export const lanes = signal<ReadonlyMap<number, Lane>>(new Map());

const hasLane = (thread: number): boolean => (opened.value?.threads[thread]?.markers ?? 0) > 0;
/** 0 where there is none. */
export const laneHeight = (thread: number | null): number => (thread !== null && hasLane(thread) ? LANE_HEIGHT : 0);

/** Marks are sorted by track. */
export function lanesOf({ width, columns }: LanesPart, threads: readonly number[]): Map<number, Lane> {
  const found = new Map<number, Lane>(), { track } = columns;
  for (let first = 0, end = 0; first < track.length; first = end) {
    while (end < track.length && track[end] === track[first]) end++;
    found.set(threads[track[first]!]!, { width, columns, first, end });
  }
  return found;
}

async function load(state: QueryState, threads: readonly number[], width: number): Promise<void> {
  const reply = await ask('marker-lanes', state, [{ ask: 'marker_lanes', threads, width }]);
  if (reply) lanes.value = lanesOf(reply.parts[0] as LanesPart, threads);
}

export function followLanes(): () => void {
  let last = '';
  return effect(() => {
    const { range } = markerState(view.value), width = graphWidth.value;
    const threads = visibleTracks.value.flatMap(({ thread }) => (thread !== null && hasLane(thread) ? thread : []));
    const key = JSON.stringify([range, width, threads, generation.value]);
    if (!opened.value || width === 0 || threads.length === 0 || key === last) return;
    last = key;
    untracked(() => void load({ range }, threads, width));
  });
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

/** In CSS pixels. */
export function drawLane(context: CanvasRenderingContext2D, lane: Lane, pixels: number, isStrong: (mark: number) => boolean): void {
  const { width, columns: { level, left, width: widths, category, flags }, first, end } = lane, scale = pixels / width, strongColor = cssColor('--text');
  for (let i = first; i < end; i++) {
    const paint = markerPaint(category[i]!), y = level[i]! * LEVEL_HEIGHT, height = LEVEL_HEIGHT - GAP;
    const thin = (flags[i]! & IS_MOMENT) !== 0 || widths[i]! * scale < 3;
    context.fillStyle = isStrong(i) ? strongColor : thin ? paint.border : paint.fill;
    context.fillRect(left[i]! * scale, y + GAP, Math.max(thin ? 1 : 0, widths[i]! * scale), height);
    if (thin || isStrong(i)) continue;
    context.fillStyle = paint.border;
    context.fillRect(left[i]! * scale, y + GAP + height - 1, widths[i]! * scale, 1);
  }
}
