// The stack chart: which calls were on the stack of each thread over time.
import { useCallback, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { sameBox } from '../charts/boxes.ts';
import { drawStacks } from '../charts/draw_stacks.ts';
import { Hairline } from '../charts/hairline.tsx';
import { followDrag, ScrollBox } from '../charts/scroll_box.tsx';
import { contentHeight, stackBoxAt, type BandBox } from '../charts/stack_layout.ts';
import { panTimes, wheelOverTimes, zoomHint } from '../charts/time_gestures.ts';
import { hoveredTime, shownRange, view } from '../state/store.ts';
import { rowHeight } from '../theme/theme.ts';
import { LABEL_WIDTH } from '../timeline/scale.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { hideTooltip } from '../widgets/tooltip.tsx';
import { type Size, useCommands, useSignalRun } from '../widgets/use.ts';
import { EmptyPanel } from './empty.tsx';
import { StackControl } from './stack_control.tsx';

export function StackChart(): JSX.Element {
  const control = useMemo(() => new StackControl(), []);
  const { stacks, size, scroll, hovered, menuBox, selected, width } = control;
  useSignalRun(() => control.follow());
  useSignalRun(() => {
    void [scroll.value, shownRange.value]; // what is under the pointer is another box, or none
    hovered.value = null;
    hideTooltip();
  });
  useCommands('stack-chart', () => control.commands(() => contentHeight(stacks.peek()?.bands ?? [], rowHeight.peek()) - size.peek().height));
  const draw = useCallback((context: CanvasRenderingContext2D, now: Size, scale: number) => {
    if (!stacks.value) return;
    drawStacks(context, now, scale, stacks.value, { shown: shownRange.value, timeWidth: width.value, rowHeight: rowHeight.value, scroll: scroll.value }, {
      strong: [hovered.value, menuBox.value], selected: selected.value, searching: view.value.search !== '',
    });
  }, []);
  const at = (event: MouseEvent): { readonly x: number; readonly box: BandBox | null } => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect(), x = event.clientX - left - LABEL_WIDTH, found = stacks.peek();
    if (!found || x < 0 || x > width.peek()) return { x, box: null };
    const [start, end] = shownRange.peek(), [first, last] = found.range, share = x / width.peek();
    const pixel = found.sameWidths ? share * found.width : ((start + share * (end - start) - first) / (last - first)) * found.width;
    return { x, box: stackBoxAt(found, rowHeight.peek(), pixel, event.clientY - top + scroll.peek()) };
  };
  const hover = (event: PointerEvent): void => {
    if (event.buttons !== 0) return;
    const { x, box } = at(event), before = hovered.peek();
    if (!sameBox(box, before) || box?.band !== before?.band) hovered.value = box;
    hoveredTime.value = control.timeAt(x, box);
    control.hover(box, event);
  };
  const leave = (event: PointerEvent): void => {
    hovered.value = hoveredTime.value = null;
    control.hover(null, event);
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const { box } = at(event), most = Math.max(0, contentHeight(stacks.peek()?.bands ?? [], rowHeight.peek()) - size.peek().height);
    hideTooltip();
    followDrag(event, (dx, dy) => {
      panTimes(-dx, width.peek());
      scroll.value = Math.max(0, Math.min(most, scroll.peek() - dy));
    }, (moved) => !moved && void control.click(box));
  };
  const bands = stacks.value?.bands;
  return (
    <div class="panel-chart">
      <ScrollBox contentHeight={contentHeight(bands ?? [], rowHeight.value)} fromBottom={false} scroll={scroll} class="over-time" tabIndex={0} role="group" aria-label="Stack chart">
        <Canvas class="chart-canvas" label="Stack chart: calls over time" draw={draw} onSize={(now) => (size.value = now)} onPointerMove={hover} onPointerLeave={leave} onPointerDown={press}
          onWheel={(event) => wheelOverTimes(event, event.currentTarget.getBoundingClientRect().left + LABEL_WIDTH, width.peek())}
          onDblClick={(event) => {
            const { box } = at(event);
            if (box) void control.open(box);
          }}
          onContextMenu={(event) => {
            event.preventDefault();
            const { box } = at(event);
            if (box) void control.menu(box, event);
          }} />
      </ScrollBox>
      {!view.value.sameWidths && <Hairline width={width.value} />}
      {zoomHint.value && <div class="chart-note zoom-hint">Ctrl + scroll or Shift + scroll to zoom</div>}
      {bands && bands.every(({ levels }) => levels === 0) && <EmptyPanel what="stack chart" />}
    </div>
  );
}
