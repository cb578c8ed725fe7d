// The upper part of the page: a ruler, and a row for each track that is shown.
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { hoveredTime, opened } from '../state/store.ts';
import { committed } from '../state/store.ts';
import { runCommand } from '../state/commands.ts';
import { useCommands, useSize, useSignalRun } from '../widgets/use.ts';
import { hideTooltip } from '../widgets/tooltip.tsx';
import { followLanes } from './marker_lanes.ts';
import { followTracks, graphWidth } from './model.ts';
import { Overview } from './overview.tsx';
import { beginRange, RangeOverlay } from './range.tsx';
import { rangeCommands, sampleCommands, wheelOverTimeline } from './range_keys.ts';
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
  const hasFocus = (): boolean => list.current?.contains(document.activeElement) ?? false;
  const commands = useRef(() => rangeCommands(hasFocus, () => document.activeElement === list.current)).current;
  useCommands('timeline', () => [...sampleCommands(), ...commands()]);
  useSignalRun(() => {
    void opened.value; // a new profile: what is selected in it is scrolled to, once
    requestAnimationFrame(() => list.current?.querySelector('.track.selected')?.scrollIntoView({ block: 'nearest' }));
  });
  const leftOfTime = (): number => (area.current?.getBoundingClientRect().left ?? 0) + LABEL_WIDTH;
  const onMove = (event: PointerEvent): void => {
    const x = event.clientX - leftOfTime();
    hoveredTime.value = x >= 0 && x <= width ? timeAt({ range: committed.value, width }, x) : null;
  };
  const tracks = orderedTracks.value, shown = visibleTracks.value, row = (track: (typeof shown)[number]): JSX.Element => <TrackRow key={track.id} track={track} width={width} />;
  return (
    <section class="timeline" aria-label="Timeline" ref={area} onPointerMove={onMove} onPointerLeave={() => { hoveredTime.value = null; hideTooltip(); }}
      onWheel={(event) => wheelOverTimeline(event, leftOfTime(), width)}>
      <div class="timeline-header">
        <Overview width={width} />
        <div class="timeline-scale">
          {tracks.length > 1 && (
            <button class="track-menu-button" aria-haspopup="dialog" onClick={({ currentTarget }) => showTrackMenu(currentTarget, null)}>
              <b>{shown.length}</b> / <b>{tracks.length}</b> tracks <span aria-hidden="true">▾</span>
            </button>
          )}
          <Ruler width={width} />
        </div>
      </div>
      <div class="tracks-area">
        <div class="tracks" ref={list} tabIndex={0} role="list" aria-label="Tracks: arrows move the range, with Shift they change its length, Enter zooms to it"
          onPointerDown={(event) => area.current && beginRange(event, area.current, width)} onKeyDown={(event) => runCommand(event, commands())}>
          {shown.some(({ onTop }) => onTop) && <div class="pinned-tracks" role="presentation">{shown.filter(({ onTop }) => onTop).map(row)}</div>}
          {shown.filter(({ onTop }) => !onTop).map(row)}
        </div>
        <RangeOverlay width={width} />
      </div>
    </section>
  );
}
