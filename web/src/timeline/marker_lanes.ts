// Lanes of markers in tracks: one request for all of them, whenever what is visible, the range, or the width changes.
import { effect, signal } from '@preact/signals';
import { IS_MOMENT } from '../markers/marker.ts';
import { markerPaint } from '../markers/paint.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { markerState } from '../state/view.ts';
import type { QueryState } from '../transport/protocol.ts';
import { cssColor } from '../theme/theme.ts';
import { LANE_HEIGHT, lanesOf, LEVEL_HEIGHT, type Lane, type LanesPart } from './lane_layout.ts';
import { graphWidth } from './model.ts';
import { visibleTracks } from './tracks.ts';

export const lanes = signal<ReadonlyMap<number, Lane>>(new Map());

const hasLane = (thread: number): boolean => (opened.value?.threads[thread]?.markers ?? 0) > 0;
/** 0 where there is none. */
export const laneHeight = (thread: number | null): number => (thread !== null && hasLane(thread) ? LANE_HEIGHT : 0);

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
    afterPanel('marker-lanes', () => void load({ range }, threads, width));
  });
}

/** Between levels. */
const GAP = 1;

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
