// The upper part of the page: a ruler, and a row for each track that is shown.
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { hoveredTime, opened } from '../state/store.ts';
import { committed } from '../state/store.ts';
import { useSize, useSignalRun } from '../widgets/use.ts';
import { hideTooltip } from '../widgets/tooltip.tsx';
import { followLanes } from './marker_lanes.ts';
import { followTracks, graphWidth } from './model.ts';
import { beginRange, RangeOverlay } from './range.tsx';
import { Ruler } from './ruler.tsx';
import { LABEL_WIDTH, RIGHT_MARGIN, timeAt } from './scale.ts';
import { showTrackMenu } from './track_menu.tsx';
import { TrackRow } from './track_row.tsx';
import { orderedTracks, visibleTracks } from './tracks.ts';

export function Timeline(): JSX.Element {
  const [area, size] = useSize<HTMLDivElement>();
  const list = useRef<HTMLDivElement>(null);
  const width = Math.max(0, size.width - LABEL_WIDTH - RIGHT_MARGIN);
  useEffect(() => {
    graphWidth.value = Math.round(width * devicePixelRatio);
  }, [width]);
  useEffect(followTracks, []);
  useEffect(followLanes, []);
  useSignalRun(() => {
    void opened.value; // a new profile: what is selected in it is scrolled to, once
    requestAnimationFrame(() => list.current?.querySelector('.track.selected')?.scrollIntoView({ block: 'nearest' }));
  });
  const onMove = (event: PointerEvent): void => {
    const x = event.clientX - area.current!.getBoundingClientRect().left - LABEL_WIDTH;
    hoveredTime.value = x >= 0 && x <= width ? timeAt({ range: committed.value, width }, x) : null;
  };
  const tracks = orderedTracks.value;
  return (
    <section class="timeline" aria-label="Timeline" ref={area} onPointerMove={onMove} onPointerLeave={() => { hoveredTime.value = null; hideTooltip(); }}>
      <div class="timeline-header">
        {tracks.length > 1 && (
          <button class="track-menu-button" aria-haspopup="dialog" onClick={({ currentTarget }) => showTrackMenu(currentTarget, null)}>
            <b>{visibleTracks.value.length}</b> / <b>{tracks.length}</b> tracks <span aria-hidden="true">▾</span>
          </button>
        )}
        <Ruler width={width} />
      </div>
      <div class="tracks-area">
        <div class="tracks" ref={list} onPointerDown={(event) => beginRange(event, area.current!, width)}>
          {visibleTracks.value.map((track) => <TrackRow key={track.id} track={track} width={width} />)}
        </div>
        <RangeOverlay width={width} />
      </div>
    </section>
  );
}
