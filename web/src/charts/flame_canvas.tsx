// A flame graph that scrolls, that can be pointed at, and that zooms: the panel's, and both halves of the butterfly.
import { useCallback, useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { signal, useComputed, type ReadonlySignal } from '@preact/signals';
import { view } from '../state/store.ts';
import type { Path } from '../transport/protocol.ts';
import { rowHeight } from '../theme/theme.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { hideTooltip } from '../widgets/tooltip.tsx';
import { useSignalRun } from '../widgets/use.ts';
import type { Size } from '../widgets/use.ts';
import { boxesOfPath, sameBox, type Box } from './boxes.ts';
import { depthsInSight, drawFlame, flameBoxAt, type FlameLayout } from './draw_flame.ts';
import type { Flame } from './flame_model.ts';
import { followDrag, ScrollBox } from './scroll_box.tsx';
import { ZoomMotion } from './zoom_motion.ts';

/** What of a flame graph is neither its data nor in the address. */
export class FlameChart {
  readonly motion = new ZoomMotion();
  readonly hovered = signal<Box | null>(null);
  /** The box whose menu is open. */
  readonly menu = signal<Box | null>(null);
  readonly scroll = signal(0);
  readonly size = signal<Size>({ width: 0, height: 0 });

  layout(rootOnTop: boolean): FlameLayout {
    return { rowHeight: rowHeight.value, rootOnTop, scroll: this.scroll.value };
  }

  /** Scrolls no more than it takes. */
  reveal(depth: number): void {
    const row = rowHeight.peek(), near = depth * row, { height } = this.size.peek();
    if (near < this.scroll.peek()) this.scroll.value = near;
    else if (near + row > this.scroll.peek() + height) this.scroll.value = near + row - height;
  }
}

interface FlameCanvasProps {
  readonly chart: FlameChart;
  readonly flame: ReadonlySignal<Flame | null>;
  readonly rootOnTop: boolean;
  readonly label: string;
  readonly describedBy?: string;
  readonly selected: ReadonlySignal<Path | null>;
  readonly onWidth: (devicePixels: number) => void;
  readonly onSee: (from: number, until: number) => void;
  readonly onClick: (box: Box | null, event: MouseEvent) => void;
  readonly onOpen: (box: Box) => void;
  readonly onMenu: (box: Box, event: MouseEvent) => void;
  readonly onHover: (box: Box | null, event: MouseEvent) => void;
}

export function FlameCanvas({ chart, flame, rootOnTop, label, describedBy, selected, onWidth, onSee, onClick, onOpen, onMenu, onHover }: FlameCanvasProps): JSX.Element {
  const { motion, hovered, menu, scroll, size } = chart;
  const selectedBox = useComputed(() => {
    const shown = motion.picture.value?.flame, path = selected.value;
    return (shown && path && boxesOfPath(shown.rows, path)[0]) ?? null;
  });
  const id = useComputed(() => flame.value?.id);
  useSignalRun(() => {
    void [id.value, scroll.value]; // what is under the pointer is another box, or none
    hovered.value = menu.value = null;
    hideTooltip();
  });
  useSignalRun(() => motion.show(flame.value));
  useEffect(() => () => motion.stop(), []);
  useSignalRun(() => {
    void flame.value;
    const { from, until } = depthsInSight(chart.layout(rootOnTop), size.value.height);
    if (size.value.height > 0) onSee(from, until);
  }, [rootOnTop]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, now: Size, scale: number) => {
      const picture = motion.picture.value;
      if (!picture) return;
      drawFlame(context, now, scale, picture, chart.layout(rootOnTop), { strong: [hovered.value, menu.value], selected: selectedBox.value, searching: view.value.search !== '' });
    },
    [rootOnTop],
  );
  const boxUnder = (event: MouseEvent): Box | null => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect(), picture = motion.picture.peek();
    return picture && flameBoxAt(picture, chart.layout(rootOnTop), size.peek(), event.clientX - left, event.clientY - top);
  };
  const hover = (event: PointerEvent): void => {
    if (event.buttons !== 0) return;
    const box = boxUnder(event);
    if (!sameBox(box, hovered.peek())) hovered.value = box;
    onHover(box, event);
  };
  const leave = (event: PointerEvent): void => {
    hovered.value = null;
    onHover(null, event);
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const box = boxUnder(event);
    hideTooltip();
    followDrag(event, (_, dy) => (scroll.value = Math.max(0, scroll.peek() + (rootOnTop ? -dy : dy))), (moved) => !moved && onClick(box, event));
  };
  const levels = flame.value?.levels ?? 0;
  return (
    <ScrollBox contentHeight={levels * rowHeight.value} fromBottom={!rootOnTop} scroll={scroll} tabIndex={0} role="group" aria-label={label} aria-describedby={describedBy}>
      <Canvas class="chart-canvas" label={label} draw={draw} onPointerMove={hover} onPointerLeave={leave} onPointerDown={press}
        onSize={(now, scale) => {
          size.value = now;
          onWidth(Math.round(now.width * scale));
        }}
        onDblClick={(event) => {
          const box = boxUnder(event);
          if (box) onOpen(box);
        }}
        onContextMenu={(event) => {
          event.preventDefault();
          const box = boxUnder(event);
          if (!box) return;
          menu.value = box;
          onMenu(box, event);
        }} />
    </ScrollBox>
  );
}
