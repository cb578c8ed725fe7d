// A bar between two parts that can be dragged, or moved with arrow keys.
import type { JSX } from 'preact';

interface SplitterProps {
  readonly direction: 'horizontal' | 'vertical';
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** +1 if a larger place of the bar is a larger value. */
  readonly sign?: 1 | -1;
  readonly onChange: (value: number) => void;
}

const KEY_STEP = 16;

export function Splitter({ direction, label, value, least, most, sign = 1, onChange }: SplitterProps): JSX.Element {
  const limit = (to: number): number => Math.max(least, Math.min(most, to));
  const drag = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const bar = event.currentTarget as HTMLElement;
    const start = direction === 'horizontal' ? event.clientY : event.clientX;
    bar.setPointerCapture(event.pointerId);
    const move = (to: PointerEvent): void => onChange(limit(value + sign * ((direction === 'horizontal' ? to.clientY : to.clientX) - start)));
    const end = (): void => {
      bar.removeEventListener('pointermove', move);
      bar.removeEventListener('pointerup', end);
      bar.removeEventListener('pointercancel', end);
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', end);
    bar.addEventListener('pointercancel', end);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -KEY_STEP, ArrowLeft: -KEY_STEP, ArrowDown: KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChange(limit(value + sign * step));
  };
  return (
    <div class={`splitter ${direction}`} role="separator" tabIndex={0} aria-label={label} aria-orientation={direction}
      aria-valuenow={Math.round(value)} aria-valuemin={Math.round(least)} aria-valuemax={Math.round(most)} onPointerDown={drag} onKeyDown={onKeyDown} />
  );
}
