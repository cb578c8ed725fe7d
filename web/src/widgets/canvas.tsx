// A canvas as large as its place, in device pixels, that is drawn anew when its size, the theme, or a signal changes.
import { useEffect, useRef } from 'preact/hooks';
import type { HTMLAttributes, JSX } from 'preact';
import { effect } from '@preact/signals';
import { useSize, type Size } from './use.ts';
import { isDark } from '../theme/theme.ts';

export interface CanvasProps extends Omit<HTMLAttributes<HTMLDivElement>, 'ref' | 'label'> {
  /** In CSS pixels; `scale` device pixels are one. Signals that it reads have it called again. */
  readonly draw: (context: CanvasRenderingContext2D, size: Size, scale: number) => void;
  readonly onSize?: (size: Size, scale: number) => void;
  /** What screen readers say of it. */
  readonly label: string;
}

export function Canvas({ draw, onSize, label, ...rest }: CanvasProps): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const scale = devicePixelRatio;
    if (!element || size.width === 0 || size.height === 0) return;
    element.width = Math.round(size.width * scale);
    element.height = Math.round(size.height * scale);
    onSize?.(size, scale);
    const context = element.getContext('2d')!;
    return effect(() => {
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
