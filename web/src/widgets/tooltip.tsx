// One tooltip at a time, near the pointer: right of it and below, or on the other side where there is no room.
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { openMenu } from './menu.tsx';

interface Tip {
  readonly x: number;
  readonly y: number;
  readonly content: ComponentChildren;
  /** It stays until it is closed, and the pointer can enter it. */
  readonly pinned: boolean;
}

export const tooltip = signal<Tip | null>(null);

export function showTooltip(x: number, y: number, content: ComponentChildren): void {
  if (!tooltip.peek()?.pinned) tooltip.value = { x, y, content, pinned: false };
}

export function pinTooltip(): void {
  if (tooltip.peek()) tooltip.value = { ...tooltip.peek()!, pinned: true };
}

/** `even`: one that is pinned, too. */
export function hideTooltip(even = false): void {
  if (even || !tooltip.peek()?.pinned) tooltip.value = null;
}

/** Shift alone, pressed and let go, pins what is said of the thing under the pointer. */
export function followShift(): () => void {
  let isAlone = false;
  const down = ({ key }: KeyboardEvent): void => void (isAlone = key === 'Shift');
  const other = (): void => void (isAlone = false);
  const up = ({ key }: KeyboardEvent): void => {
    if (key === 'Shift' && isAlone) pinTooltip();
    isAlone = false;
  };
  addEventListener('keydown', down, true);
  addEventListener('pointerdown', other, true);
  addEventListener('wheel', other, { capture: true, passive: true });
  addEventListener('keyup', up, true);
  return () => {
    removeEventListener('keydown', down, true);
    removeEventListener('pointerdown', other, true);
    removeEventListener('wheel', other, true);
    removeEventListener('keyup', up, true);
  };
}

const AWAY = 11;

export function TooltipHost(): JSX.Element | null {
  const box = useRef<HTMLDivElement>(null);
  const tip = openMenu.value ? null : tooltip.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !tip) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    const place = (at: number, size: number, room: number): number => {
      if (at + AWAY + size <= room) return at + AWAY;
      return at - AWAY - size >= 0 ? at - AWAY - size : Math.max(0, room - size);
    };
    element.style.left = `${place(tip.x, width, innerWidth)}px`;
    element.style.top = `${place(tip.y, height, innerHeight)}px`;
  }, [tip]);
  if (!tip) return null;
  return (
    <div ref={box} class={`tooltip${tip.pinned ? ' pinned' : ''}`} role={tip.pinned ? 'dialog' : 'tooltip'} aria-label={tip.pinned ? 'Details' : undefined}>
      {tip.pinned && <button class="tooltip-close" title="Close (Escape)" onClick={() => hideTooltip(true)}>×</button>}
      {tip.content}
    </div>
  );
}
