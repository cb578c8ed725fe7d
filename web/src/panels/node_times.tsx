// When the selected function ran: how busy it kept the threads, over the range that the timeline shows.
import { signal } from '@preact/signals';
import { useCallback } from 'preact/hooks';
import type { JSX } from 'preact';
import { timestamp } from '../format/numbers.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, committed, generation, opened, view } from '../state/store.ts';
import { selectedPath } from '../state/follow_place.ts';
import { placeOf, queryState } from '../state/view.ts';
import { cssColor } from '../theme/theme.ts';
import { extentOf, selectedHeights } from '../timeline/selected_heights.ts';
import { readThreads, type TracksPart } from '../timeline/track_data.ts';
import { selectedThreads } from '../timeline/tracks.ts';
import { textOf } from '../transport/texts.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { useSignalRun, type Size } from '../widgets/use.ts';

const WIDTH = 256, MOST_THREADS = 32;

const times = signal<Float32Array | null>(null);
let last = '';

async function load(inverted: boolean): Promise<void> {
  const key = last, now = view.peek(), threads = [...selectedThreads.peek()].slice(0, MOST_THREADS);
  const reply = await ask('sidebar-times', queryState(now, { inverted, preview: false }), [{ ask: 'tracks', threads, width: WIDTH, ...selectedPath(now, placeOf(now, inverted)) }]);
  if (reply && key === last) times.value = selectedHeights(readThreads(reply.parts[0] as TracksPart, threads, textOf).values(), WIDTH);
}

function follow(inverted: boolean): void {
  const now = view.value, path = selectedPath(now, placeOf(now, inverted));
  const key = opened.value ? JSON.stringify([queryState(now, { inverted, preview: false }), [...selectedThreads.value], path, generation.value]) : '';
  if (key === last) return;
  last = key;
  if (!opened.value || !path.path) times.value = null;
  else afterPanel('sidebar-times', () => void load(inverted));
}

function draw(context: CanvasRenderingContext2D, { width, height }: Size): void {
  const heights = times.value, most = Math.max(1e-6, ...(heights ?? []));
  if (!heights) return;
  context.fillStyle = cssColor('--heat');
  for (let x = 0; x < heights.length; x++) {
    const high = (heights[x]! / most) * height;
    context.fillRect((x * width) / heights.length, height - high, width / heights.length + 0.5, high);
  }
}

export function NodeTimes({ inverted }: { readonly inverted: boolean }): JSX.Element | null {
  useSignalRun(() => follow(inverted), [inverted]);
  const paint = useCallback(draw, []), extent = times.value && extentOf(times.value), [start, end] = committed.value;
  if (!extent) return null;
  const step = (end - start) / WIDTH, from = timestamp(start + extent[0] * step, step), to = timestamp(Math.min(end, start + (extent[1] + 1) * step), step);
  return (
    <section class="node-times">
      <h3>Over time</h3>
      <Canvas draw={paint} label={`How busy it was over time: from ${from} to ${to}`} />
      <p><span>{from}</span><span>{to}</span></p>
    </section>
  );
}
