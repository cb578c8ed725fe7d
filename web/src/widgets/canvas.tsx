// A canvas as large as its place, in device pixels, that is drawn anew when its size, the theme, or a signal changes.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { HTMLAttributes, JSX } from 'preact';
import { effect } from '@preact/signals';
import { useSize, type Size } from './use.ts';
import { isDark } from '../theme/theme.ts';

export interface CanvasProps extends Omit<HTMLAttributes<HTMLDivElement>, 'ref' | 'label'> {
  /** In CSS pixels; `scale` device pixels are one. Signals that it reads have it called again, once a frame however many of them change. */
  readonly draw: (context: CanvasRenderingContext2D, size: Size, scale: number) => void;
  readonly onSize?: (size: Size, scale: number) => void;
  /** What screen readers say of it. */
  readonly label: string;
}

/** Runs, and again in the next frame whenever a signal that it read changes. */
function effectPerFrame(run: () => void): () => void {
  let frame = 0, end = (): void => {};
  const start = (): void => {
    end();
    let hasRun = false;
    end = effect(() => {
      if (hasRun) frame = requestAnimationFrame(start); // it reads nothing this time: more changes do not call it
      else run();
      hasRun = true;
    });
  };
  start();
  return () => {
    cancelAnimationFrame(frame);
    end();
  };
}

export function Canvas({ draw, onSize, label, ...rest }: CanvasProps): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const element = canvas.current;
    const scale = devicePixelRatio;
    if (!element || size.width === 0 || size.height === 0) return;
    element.width = Math.round(size.width * scale);
    element.height = Math.round(size.height * scale);
    onSize?.(size, scale);
    const context = element.getContext('2d')!;
    return effectPerFrame(() => {
      void isDark.value;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, size.width, size.height);
      draw(context, size, scale);
    });
  }, [size, draw]);
  return (
    <div ref={box} {...rest} class={`canvas-box ${rest.class ?? ''}`}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}
