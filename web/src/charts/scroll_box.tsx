// Scrolls a canvas that stays where it is: what is drawn on it moves. The place is counted from the edge that the root is at.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, HTMLAttributes, JSX } from 'preact';
import { effect, type Signal } from '@preact/signals';
import { useSize } from '../widgets/use.ts';

interface ScrollBoxProps extends Omit<HTMLAttributes<HTMLDivElement>, 'label'> {
  readonly contentHeight: number;
  readonly fromBottom: boolean;
  /** Pixels of the contents beyond the edge of the root. */
  readonly scroll: Signal<number>;
  readonly children: ComponentChildren;
}

const DRAG_PIXELS = 3;

export function ScrollBox({ contentHeight, fromBottom, scroll, children, ...rest }: ScrollBoxProps): JSX.Element {
  const [box, { height }] = useSize<HTMLDivElement>();
  const most = Math.max(0, contentHeight - height);
  const ignored = useRef(0);
  /** As it was last: to ask the browser has it lay out what was just changed. */
  const at = useRef(0);
  useLayoutEffect(
    () =>
      effect(() => {
        const element = box.current, wanted = Math.max(0, Math.min(most, scroll.value)), top = fromBottom ? most - wanted : wanted;
        if (!element || Math.abs(at.current - top) < 1) return;
        element.scrollTop = top;
        at.current = ignored.current = element.scrollTop;
      }),
    [most, fromBottom, height],
  );
  const onScroll = (): void => {
    const top = (at.current = box.current?.scrollTop ?? 0);
    if (top === ignored.current) return;
    ignored.current = -1;
    scroll.value = fromBottom ? most - top : top;
  };
  return (
    <div ref={box} {...rest} class={`chart-scroll ${rest.class ?? ''}`} onScroll={onScroll}>
      <div class="chart-stage">{children}</div>
      <div style={{ height: `${most}px` }} />
    </div>
  );
}

/** Follows a pointer that goes down until it is let go. `move` gets the steps, once it is a drag. `end` is told if it was one. */
export function followDrag(event: PointerEvent, move: (dx: number, dy: number) => void, end: (moved: boolean) => void = () => {}): void {
  let moved = false, { clientX: x, clientY: y } = event;
  const onMove = (to: PointerEvent): void => {
    moved ||= Math.hypot(to.clientX - x, to.clientY - y) >= DRAG_PIXELS;
    if (!moved) return;
    move(to.clientX - x, to.clientY - y);
    ({ clientX: x, clientY: y } = to);
  };
  const onEnd = (): void => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onEnd);
    removeEventListener('pointercancel', onEnd);
    document.body.classList.remove('panning');
    end(moved);
  };
  document.body.classList.add('panning');
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onEnd);
  addEventListener('pointercancel', onEnd);
}
