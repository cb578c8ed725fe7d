// Following the pointer from where it went down to where it is let go.

const DRAG_PIXELS = 3;

/** The click that a browser makes of a drag's end is none. */
export function swallowClick(): void {
  const stop = (event: MouseEvent): void => event.stopPropagation();
  addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', stop, true));
}

interface Following {
  readonly move: (dx: number, dy: number, event: PointerEvent) => void;
  /** After moves. */
  readonly end?: () => void;
  /** If it never moved far. */
  readonly click?: () => void;
  /** Of the pointer meanwhile. */
  readonly cursor?: string;
}

export function followPointer(from: PointerEvent, { move, end, click, cursor = 'ew-resize' }: Following): void {
  let moved = false;
  const onMove = (event: PointerEvent): void => {
    const dx = event.clientX - from.clientX, dy = event.clientY - from.clientY;
    if (!moved && Math.max(Math.abs(dx), Math.abs(dy)) >= DRAG_PIXELS) {
      moved = true;
      document.body.style.setProperty('--drag-cursor', cursor);
      document.body.classList.add('dragging');
    }
    if (moved) move(dx, dy, event);
  };
  const onEnd = (): void => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onEnd);
    removeEventListener('pointercancel', onEnd);
    document.body.classList.remove('dragging');
    if (!moved) return click?.();
    swallowClick();
    end?.();
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onEnd);
  addEventListener('pointercancel', onEnd);
}
