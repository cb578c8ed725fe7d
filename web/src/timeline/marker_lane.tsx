// The markers of a thread, above its graph.
import { useCallback, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { computed, signal } from '@preact/signals';
import { HoverTip } from '../charts/hover_tip.ts';
import { openMarkerMenu, showRangeOfId } from '../markers/actions.ts';
import { MarkerTip } from '../markers/details.tsx';
import { loadMarker, type MarkerPart } from '../markers/marker.ts';
import { change, generation, view } from '../state/store.ts';
import { sameMarker } from '../state/view.ts';
import { textOf } from '../transport/texts.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { hideTooltip } from '../widgets/tooltip.tsx';
import type { Size } from '../widgets/use.ts';
import { idInLane, markInLane } from './lane_layout.ts';
import { drawLane, laneHeight, lanes } from './marker_lanes.ts';
import { selectedThreads } from './tracks.ts';

interface MarkerLaneProps {
  readonly thread: number;
  readonly name: string;
  readonly width: number;
}

/** A signal of its own: lanes are not drawn again for each change of another part of the view. */
const selectedMarker = computed(() => view.value.marker);

export function MarkerLane({ thread, name, width }: MarkerLaneProps): JSX.Element {
  const hovered = useMemo(() => signal<number | null>(null), [thread]);
  const tip = useMemo(() => new HoverTip<MarkerPart>(), [thread]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, size: Size) => {
      const lane = lanes.value.get(thread), marker = selectedMarker.value;
      if (lane) drawLane(context, lane, size.width, (mark) => mark === hovered.value || (marker !== null && sameMarker(marker, idInLane(lane, mark))));
    },
    [thread],
  );
  const markAt = (event: MouseEvent): number | null => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect(), lane = lanes.peek().get(thread);
    return lane ? markInLane(lane, width, event.clientX - left, event.clientY - top) : null;
  };
  const hover = (event: PointerEvent): void => {
    if (event.buttons !== 0) return;
    const mark = markAt(event), lane = lanes.peek().get(thread);
    hovered.value = mark;
    if (mark === null || !lane) {
      tip.hide();
      hideTooltip();
      return;
    }
    const id = idInLane(lane, mark);
    tip.show(event, {
      key: JSON.stringify([generation.peek(), id]),
      content: (part) => <MarkerTip name={textOf(lane.columns.name[mark])} category={lane.columns.category[mark]!} part={part} />,
      load: () => loadMarker('tooltip', id),
    });
  };
  const leave = (): void => {
    hovered.value = null;
    tip.hide();
  };
  const withMark = (event: MouseEvent, run: (id: ReturnType<typeof idInLane>) => void): void => {
    const mark = markAt(event), lane = lanes.peek().get(thread);
    if (mark !== null && lane) run(idInLane(lane, mark));
  };
  return (
    <Canvas class="marker-lane" style={{ width: `${width}px`, height: `${laneHeight(thread)}px` }} label={`${name}: markers over time`} draw={draw} onPointerMove={hover} onPointerLeave={leave}
      onClick={(event) => withMark(event, (id) => void showRangeOfId(id))}
      onDblClick={(event) => withMark(event, (marker) => {
        const threads = selectedThreads.peek().has(thread) ? {} : { threads: [thread] };
        change('Marker in the table', { panel: 'marker-table', marker, ...threads });
      })}
      onContextMenu={(event) => withMark(event, (id) => {
        event.preventDefault();
        event.stopPropagation();
        tip.hide();
        void openMarkerMenu(id, event);
      })} />
  );
}
