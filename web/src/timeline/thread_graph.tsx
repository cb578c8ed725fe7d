// The graph of a thread, or of a process that is folded: hills, waits and samples.
import { useCallback } from 'preact/hooks';
import type { JSX } from 'preact';
import { opened } from '../state/store.ts';
import { cssColor } from '../theme/theme.ts';
import { percent } from '../format/numbers.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { hideTooltip } from '../widgets/tooltip.tsx';
import type { Size } from '../widgets/use.ts';
import { drawActivity } from './activity.ts';
import { drawEmpty, drawStrip, drawWaits } from './draw_lanes.ts';
import { graphLanes, heightInHills, type Lanes } from './graph_lanes.ts';
import { trackData } from './model.ts';
import { selectSampleAt } from './sample.tsx';
import { hideSampleTip, showActivityTip } from './sample_tip.tsx';
import { selectBusyStretch } from './range_keys.ts';
import { clickThread } from './selection.ts';
import { activityOf, blocksOf } from './track_activity.ts';
import { meanTotal, type Activity, type TrackData } from './track_data.ts';
import type { Track } from './tracks.ts';

/** What all CPUs could do fills the graph: this is what one can. */
function drawOneCpu(context: CanvasRenderingContext2D, cpus: number, width: number, top: number, height: number): void {
  if (cpus <= 1) return;
  const y = Math.round(top + height - height / cpus) + 0.5;
  context.strokeStyle = cssColor('--weak-text');
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(0, y);
  context.lineTo(width, y);
  context.stroke();
  context.setLineDash([]);
}

function summaryOf(track: Track, data: TrackData | null): string {
  const activity = activityOf(track, data);
  if (!activity || !data) return 'activity over time';
  const samples = track.thread === null || track.folded ? '' : `, ${opened.peek()?.threads[track.thread]?.samples ?? 0} samples in all`;
  return `activity over time: ${percent(meanTotal(activity.totals), 1)} of ${track.folded && data.cpus > 1 ? `${data.cpus} CPUs` : 'a CPU'} on average${samples}`;
}

const lanesOf = ({ local }: Track, { strip, waits }: Activity, height: number): Lanes =>
  graphLanes(height, strip !== undefined && !local, waits?.some((state) => state !== 0) ?? false);

/** How high over the lower edge of the hills the pointer is. */
function heightUnder(event: MouseEvent, track: Track): number | null {
  const activity = activityOf(track, trackData.peek()), { top, height } = (event.currentTarget as Element).getBoundingClientRect();
  return activity ? heightInHills(lanesOf(track, activity, height), event.clientY - top) : null;
}

export function ThreadGraph({ track, width }: { readonly track: Track; readonly width: number }): JSX.Element {
  const { thread, folded, local, name } = track;
  const draw = useCallback(
    (context: CanvasRenderingContext2D, { height }: Size, scale: number) => {
      const data = trackData.value, activity = activityOf(track, data);
      if (!data || !activity) return;
      context.setTransform(1, 0, 0, 1, 0, 0);
      const px = (value: number): number => Math.round(value * scale);
      const { fills, strip, waits, totals } = activity;
      const lanes = lanesOf(track, activity, height);
      drawActivity(context, fills, totals.length, px(lanes.activity.top), px(lanes.activity.height));
      drawEmpty(context, blocksOf(track, data), px(height), scale);
      if (folded) drawOneCpu(context, data.cpus, totals.length, px(lanes.activity.top), px(lanes.activity.height));
      if (waits && lanes.waits) drawWaits(context, waits, px(lanes.waits.top), px(lanes.waits.height));
      if (strip && lanes.strip) drawStrip(context, strip, px(lanes.strip.top), px(lanes.strip.height));
    },
    [thread, folded, local],
  );
  return (
    <Canvas class="track-graph" draw={draw} style={{ width: `${width}px` }} label={`${name}: ${summaryOf(track, trackData.value)}`}
      onPointerMove={(event) => (event.buttons === 0 ? showActivityTip(event, track, width, heightUnder(event, track)) : hideTooltip())}
      onPointerLeave={hideSampleTip}
      onDblClick={(event) => selectBusyStretch(event, activityOf(track, trackData.peek())?.totals, width)}
      onClick={(event) => {
        if (thread === null || folded) return;
        if (event.ctrlKey || event.metaKey || event.shiftKey) clickThread(thread, event);
        else void selectSampleAt(event, thread, width, heightUnder(event, track));
      }} />
  );
}
