// The marker chart: which markers there were over time, in rows by category and name.
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { drawMarkers } from '../charts/draw_markers.ts';
import { Hairline } from '../charts/hairline.tsx';
import { groupAt } from '../charts/marker_layout.ts';
import { followDrag, ScrollBox } from '../charts/scroll_box.tsx';
import { panTimes, wheelOverTimes, zoomHint } from '../charts/time_gestures.ts';
import { titleOf } from '../markers/marker.ts';
import { hoveredTime, shownRange, view } from '../state/store.ts';
import { rowHeight } from '../theme/theme.ts';
import { LABEL_WIDTH } from '../timeline/scale.ts';
import { selectedThreads, threadName } from '../timeline/tracks.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { hideTooltip } from '../widgets/tooltip.tsx';
import { type Size, useCommands, useSignalRun } from '../widgets/use.ts';
import { EmptyMarkers } from './empty.tsx';
import { MarkerControl, type PointedAt } from './marker_control.tsx';
import { followSelectedMarker, selectedMarker } from './marker_sidebar.tsx';

export function MarkerChart(): JSX.Element {
  const control = useMemo(() => new MarkerControl(), []);
  const { picture, size, scroll, hovered, menuMarker, width, contentHeight } = control;
  useSignalRun(() => control.follow());
  useSignalRun(followSelectedMarker);
  useSignalRun(() => {
    const { marker } = view.value;
    if (marker && picture.value) void control.reveal(marker);
  });
  useEffect(() => () => hideTooltip(true), []);
  useCommands('marker-chart', () => control.commands());
  const draw = useCallback((context: CanvasRenderingContext2D, now: Size, scale: number) => {
    const found = picture.value, { row, place } = hovered.value;
    if (!found) return;
    const ids = [view.value.marker, menuMarker.value], { marker, thread } = found.marks.columns;
    drawMarkers(context, now, scale, found, { shown: shownRange.value, timeWidth: width.value, rowHeight: rowHeight.value, scroll: scroll.value }, {
      hoveredRow: row,
      hoveredGroup: row === null ? null : groupAt(found.groups, row),
      isStrong: (at) => at === place || ids.some((id) => id !== null && id.marker === marker[at] && id.thread === thread[at]),
      threadName: selectedThreads.value.size > 1 ? threadName : null,
    });
  }, []);
  const at = (event: MouseEvent): PointedAt & { readonly x: number } => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect(), x = event.clientX - left;
    return { ...control.at(x, event.clientY - top), x };
  };
  const hover = (event: PointerEvent): void => {
    if (event.buttons !== 0) return;
    const { x, row, place } = at(event), before = hovered.peek();
    if (row !== before.row || place !== before.place) hovered.value = { row, place };
    hoveredTime.value = control.timeAt(x);
    (event.currentTarget as HTMLElement).style.cursor = control.categoryAt(row) === null ? '' : 'pointer';
    control.hover({ row, place }, event);
  };
  const leave = (event: PointerEvent): void => {
    hovered.value = { row: null, place: null };
    hoveredTime.value = null;
    control.hover(hovered.peek(), event);
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const pressed = at(event);
    hideTooltip(true);
    followDrag(event, (dx, dy) => {
      panTimes(-dx, width.peek());
      control.scrollTo(scroll.peek() - dy);
    }, (moved) => !moved && void control.click(pressed, event));
  };
  const selected = selectedMarker.value;
  return (
    <div class="panel-chart">
      <ScrollBox contentHeight={contentHeight.value} fromBottom={false} scroll={scroll} class="over-time" tabIndex={0} role="group" aria-label="Marker chart" aria-describedby="marker-selected">
        <Canvas class="chart-canvas" label="Marker chart: markers over time" draw={draw} onSize={(now) => (size.value = now)} onPointerMove={hover} onPointerLeave={leave} onPointerDown={press}
          onWheel={(event) => wheelOverTimes(event, event.currentTarget.getBoundingClientRect().left + LABEL_WIDTH, width.peek())}
          onDblClick={(event) => control.showRange(at(event))}
          onContextMenu={(event) => {
            event.preventDefault();
            void control.menu(at(event), event);
          }} />
      </ScrollBox>
      <Hairline width={width.value} />
      <div id="marker-selected" class="visually-hidden" aria-live="polite">{selected ? `${selected.name}, ${titleOf(selected)}` : ''}</div>
      {zoomHint.value && <div class="chart-note zoom-hint">Ctrl + scroll or Shift + scroll to zoom</div>}
      {picture.value?.rows.markers === 0 && <EmptyMarkers />}
    </div>
  );
}
