// The graph of a counter, with what it says of the moment under the pointer.
import { useCallback, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { timestamp } from '../format/numbers.ts';
import { committed, opened, view } from '../state/store.ts';
import { categoryPaint } from '../theme/colors.ts';
import { cssColor } from '../theme/theme.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { hideTooltip, showTooltip } from '../widgets/tooltip.tsx';
import type { Size } from '../widgets/use.ts';
import { counterScale, drawCounter, extentIn, nearestPixel } from './counter.ts';
import { counterDisplay, type CounterDisplay } from './counter_display.ts';
import { trackData } from './model.ts';
import { timeAt } from './scale.ts';
import type { CounterLine } from './track_data.ts';

function displayOf(counter: number, accumulated: boolean): CounterDisplay | null {
  const found = opened.peek()?.counters[counter];
  return found ? counterDisplay(found, accumulated, opened.peek()?.cpu_unit ?? null) : null;
}

interface TipProps {
  readonly line: CounterLine;
  readonly at: number;
  readonly time: number;
  readonly name: string;
  readonly write: (value: number) => string;
}

function CounterTip({ line, at, time, name, write }: TipProps): JSX.Element {
  const ends = counterScale(line), { preview } = view.peek(), part = preview && extentIn(line, committed.peek(), preview), least = line.least[at]!, most = line.most[at]!;
  return (
    <div class="sample-tip">
      <b>{name}</b>
      <dl>
        <dt>{timestamp(time, 1)}</dt>
        <dd>{write(least) === write(most) ? write(most) : `${write(least)} to ${write(most)}`}</dd>
        {ends && <><dt>Shown</dt><dd>{write(ends.low)} to {write(ends.high)}</dd></>}
        {part && <><dt>In the range</dt><dd>{write(part.low)} to {write(part.high)}</dd></>}
      </dl>
    </div>
  );
}

export function CounterGraph({ counter, name, width }: { readonly counter: number; readonly name: string; readonly width: number }): JSX.Element {
  const dot = useMemo(() => signal<number | null>(null), [counter]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, { height }: Size, scale: number) => {
      const line = trackData.value?.counters.get(counter), display = line && displayOf(counter, line.accumulated);
      if (!line || !display) return;
      context.setTransform(1, 0, 0, 1, 0, 0);
      const color = display.color === null ? cssColor('--counter') : categoryPaint(display.color).strong;
      drawCounter(context, line, { color, text: cssColor('--weak-text'), background: cssColor('--background'), write: display.write, dot: dot.value }, Math.round(height * scale), scale);
    },
    [counter],
  );
  const leave = (): void => {
    dot.value = null;
    hideTooltip();
  };
  const hover = (event: PointerEvent): void => {
    const line = trackData.peek()?.counters.get(counter), display = line && displayOf(counter, line.accumulated);
    const { left, bottom } = (event.currentTarget as Element).getBoundingClientRect();
    const at = line && event.buttons === 0 ? nearestPixel(line, Math.floor(((event.clientX - left) / width) * line.most.length)) : null;
    if (!line || !display || at === null) return leave();
    dot.value = at;
    const time = timeAt({ range: committed.peek(), width: line.most.length }, at);
    showTooltip(event.clientX, bottom - 8, <CounterTip line={line} at={at} time={time} name={name} write={display.write} />);
  };
  const line = trackData.value?.counters.get(counter), ends = line && counterScale(line), display = line && displayOf(counter, line.accumulated);
  const summary = ends && display ? `from ${display.write(ends.low)} to ${display.write(ends.high)}` : 'no values';
  return <Canvas class="track-graph" draw={draw} style={{ width: `${width}px` }} label={`${name} over time: ${summary}`} onPointerMove={hover} onPointerLeave={leave} />;
}
