// One track: its label, which selects it, and its graph.
import { useCallback } from 'preact/hooks';
import type { JSX } from 'preact';
import { Canvas } from '../widgets/canvas.tsx';
import type { Size } from '../widgets/use.ts';
import { drawActivity } from './activity.ts';
import { drawCounter } from './counter.ts';
import { MarkerLane } from './marker_lane.tsx';
import { laneHeight } from './marker_lanes.ts';
import { trackData } from './model.ts';
import { showSampleTooltip, selectSampleAt } from './sample.tsx';
import { clickThread, hideTrack } from './selection.ts';
import { showTrackMenu } from './track_menu.tsx';
import { selectedThreads, type Track } from './tracks.ts';

const THREAD_HEIGHT = 40, LOCAL_HEIGHT = 26, COUNTER_HEIGHT = 26, EMPTY_HEIGHT = 30;

function heightOf({ thread, counter, local }: Track): number {
  if (counter !== null) return COUNTER_HEIGHT;
  if (thread === null) return EMPTY_HEIGHT;
  return (local ? LOCAL_HEIGHT : THREAD_HEIGHT) + laneHeight(thread);
}

export function TrackRow({ track, width }: { readonly track: Track; readonly width: number }): JSX.Element {
  const { thread, counter } = track;
  const isSelected = thread !== null && selectedThreads.value.has(thread);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, { height }: Size, scale: number) => {
      const data = trackData.value;
      if (!data) return;
      context.setTransform(1, 0, 0, 1, 0, 0);
      const pixels = Math.round(height * scale);
      if (thread !== null) drawActivity(context, data.fills.get(thread) ?? [], data.width, Math.min(pixels - 1, Math.round(4 * scale)), pixels - Math.round(4 * scale));
      const line = counter === null ? undefined : data.counters.get(counter);
      if (line) drawCounter(context, line, data.width, pixels, scale);
    },
    [thread, counter],
  );
  const height = heightOf(track), lane = laneHeight(thread);
  return (
    <div class={`track${track.local ? ' local' : ''}${isSelected ? ' selected' : ''}`} style={{ height: `${height}px` }}
      onContextMenu={(event) => {
        event.preventDefault();
        showTrackMenu(event, track);
      }}>
      <div class="track-label" title={track.title}>
        <button class="track-name" aria-pressed={isSelected} disabled={thread === null} onPointerDown={(event) => event.stopPropagation()}
          onClick={(event) => thread !== null && clickThread(thread, event)}>
          <span>{track.name}</span>
          {!track.local && <small>{track.detail}</small>}
        </button>
        <button class="track-hide" title="Hide this track" aria-label={`Hide ${track.name}`} onPointerDown={(event) => event.stopPropagation()} onClick={() => hideTrack(track)}>×</button>
      </div>
      <div class="track-graphs">
        {lane > 0 && thread !== null && <MarkerLane thread={thread} name={track.name} width={width} />}
        <Canvas class="track-graph" draw={draw} style={{ width: `${width}px` }} label={`${track.name}: activity over time`}
          onPointerMove={(event) => thread !== null && event.buttons === 0 && showSampleTooltip(event, thread, width, height - lane)}
          onClick={(event) => thread !== null && (event.ctrlKey || event.metaKey || event.shiftKey ? clickThread(thread, event) : selectSampleAt(event, thread, width))} />
      </div>
    </div>
  );
}
