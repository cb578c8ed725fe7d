// A small picture of what a hidden thread did, in the list of tracks: asked for as rows come in sight.
import { useCallback } from 'preact/hooks';
import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { generation, opened, view } from '../state/store.ts';
import { placeOf, queryState } from '../state/view.ts';
import { textOf } from '../transport/texts.ts';
import { Canvas } from '../widgets/canvas.tsx';
import type { Size } from '../widgets/use.ts';
import { drawActivity } from './activity.ts';
import { drawStrip } from './draw_lanes.ts';
import { askTracks } from './model.ts';
import { readThreads, type Activity } from './track_data.ts';

const WIDTH = 60;

interface Previews {
  /** Of which view they are. */
  readonly key: string;
  readonly threads: ReadonlyMap<number, Activity>;
}

const previews = signal<Previews>({ key: '', threads: new Map() });

const viewKey = (): string => {
  const { inverted } = view.peek();
  return JSON.stringify([opened.peek()?.start_time, opened.peek()?.product, generation.peek(), queryState(view.peek(), { inverted, preview: false }), placeOf(view.peek(), inverted).selected]);
};

/** One request for those that are in sight and not there yet. */
export async function askPreviews(list: HTMLElement | null): Promise<void> {
  if (!list) return;
  const { top, bottom } = list.getBoundingClientRect(), key = viewKey();
  const known = previews.peek().key === key ? previews.peek().threads : new Map<number, Activity>();
  const threads = [...list.querySelectorAll<HTMLElement>('[data-thread]')].flatMap((row) => {
    const box = row.getBoundingClientRect(), thread = Number(row.dataset.thread);
    return box.bottom >= top && box.top <= bottom && !known.has(thread) ? thread : [];
  });
  if (threads.length === 0) return;
  const part = await askTracks('track-menu', Math.round(WIDTH * devicePixelRatio), threads, { strip: true });
  if (part) previews.value = { key, threads: new Map([...(previews.peek().key === key ? previews.peek().threads : []), ...readThreads(part, threads, textOf)]) };
}

export function TrackPreview({ thread, name }: { readonly thread: number; readonly name: string }): JSX.Element {
  const draw = useCallback(
    (context: CanvasRenderingContext2D, { height }: Size, scale: number) => {
      const activity = previews.value.threads.get(thread);
      context.setTransform(1, 0, 0, 1, 0, 0);
      if (!activity) return;
      const pixels = Math.round(height * scale), line = Math.ceil(scale), { strip, fills, totals } = activity;
      drawActivity(context, fills, totals.length, 0, pixels - line);
      if (strip) drawStrip(context, strip, pixels - line, line); // what is too little for hills
    },
    [thread],
  );
  return <Canvas draw={draw} label={`${name}: activity over time`} />;
}
