// Where in the whole file the hot lines are, beside the scroll bar.
import { useCallback } from 'preact/hooks';
import type { JSX } from 'preact';
import { cssColor } from '../theme/theme.ts';
import { Canvas } from '../widgets/canvas.tsx';
import type { Size } from '../widgets/use.ts';
import { heatOf, HEAT_LEVELS, largest, type Timings } from './heat.ts';

const LEAST_HEIGHT = 2;

interface HeatStripProps {
  readonly timings: Timings;
  /** The first place, and how many there are. */
  readonly first: number;
  readonly count: number;
  readonly onChoose: (place: number) => void;
}

export function HeatStrip({ timings, first, count, onChoose }: HeatStripProps): JSX.Element {
  const draw = useCallback((context: CanvasRenderingContext2D, { width, height }: Size): void => {
    const most = largest(timings.total), each = height / Math.max(1, count);
    context.fillStyle = cssColor('--heat');
    for (let i = 0; i < timings.place.length; i++) {
      const heat = heatOf(timings.total[i]!, most);
      if (heat === 0) continue;
      context.globalAlpha = 0.25 + (0.75 * heat) / HEAT_LEVELS;
      context.fillRect(1, (timings.place[i]! - first) * each, width - 2, Math.max(LEAST_HEIGHT, each));
    }
    context.globalAlpha = 1;
  }, [timings, first, count]);
  const choose = (event: PointerEvent): void => {
    const { top, height } = (event.currentTarget as Element).getBoundingClientRect();
    onChoose(first + Math.floor(((event.clientY - top) / height) * count));
  };
  return <Canvas class="heat-strip" label="Hot lines of the file" draw={draw} onPointerDown={choose} />;
}
