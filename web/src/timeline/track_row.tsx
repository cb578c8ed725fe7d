// One track: its label, and its graph with what lies above it.
import type { JSX } from 'preact';
import { CounterGraph } from './counter_graph.tsx';
import { followPointer } from './drag.ts';
import { MarkerLane } from './marker_lane.tsx';
import { laneHeight } from './marker_lanes.ts';
import { moving } from './reorder.ts';
import { ThreadGraph } from './thread_graph.tsx';
import { heightOf, setHeight } from './track_heights.ts';
import { TrackLabel } from './track_label.tsx';
import { showTrackMenu } from './track_menu.tsx';
import { selectedThreads, threadsOfProcess, type Track } from './tracks.ts';

function beginResize(event: PointerEvent, track: Track): void {
  if (event.button !== 0) return;
  event.stopPropagation();
  const from = heightOf(track);
  followPointer(event, { cursor: 'ns-resize', move: (_dx, dy, { shiftKey }) => setHeight(track, from + dy, shiftKey) });
}

function placeClass({ id }: Track): string {
  const move = moving.value;
  if (!move) return '';
  return move.id === id ? ' moving' : move.target === id ? (move.after ? ' drop-after' : ' drop-before') : '';
}

export function TrackRow({ track, width }: { readonly track: Track; readonly width: number }): JSX.Element {
  const { id, thread, counter, folded, local, pid, name } = track;
  const isSelected = folded ? threadsOfProcess(pid).every((one) => selectedThreads.value.has(one)) : thread !== null && selectedThreads.value.has(thread);
  const lane = folded ? 0 : laneHeight(thread);
  return (
    <div class={`track${local ? ' local' : ''}${isSelected ? ' selected' : ''}${placeClass(track)}`} data-track={id} role="listitem" style={{ height: `${heightOf(track) + lane}px` }}
      onContextMenu={(event) => {
        event.preventDefault();
        showTrackMenu(event, track);
      }}>
      <TrackLabel track={track} isSelected={isSelected} />
      <div class="track-graphs">
        {lane > 0 && thread !== null && <MarkerLane thread={thread} name={name} width={width} />}
        {counter !== null && <CounterGraph counter={counter} name={name} width={width} />}
        {(thread !== null || folded) && <ThreadGraph track={track} width={width} />}
      </div>
      <div class="track-edge" title="Height: drag; with Shift of all tracks of this kind; double click for the usual one" onPointerDown={(event) => beginResize(event, track)}
        onDblClick={({ shiftKey }) => setHeight(track, null, shiftKey)} />
    </div>
  );
}
