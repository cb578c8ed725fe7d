// What tracks show: one request for all of them, whenever the view, their width or what is visible changes.
import { effect, signal } from '@preact/signals';
import { afterPanel } from '../state/after_panel.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { selectedPath } from '../state/follow_place.ts';
import { placeOf, queryState } from '../state/view.ts';
import { dividedCategories } from '../theme/frame_paint.ts';
import { textOf } from '../transport/texts.ts';
import { readTracks, type TrackData, type TracksPart } from './track_data.ts';
import { threadsOfProcess, visibleTracks } from './tracks.ts';

export const trackData = signal<TrackData | null>(null);
/** Device pixels of the graphs. */
export const graphWidth = signal(0);

/** Asks for threads as the view has them, without its preview range. */
export async function askTracks(lane: string, width: number, threads: readonly number[], more: Readonly<Record<string, unknown>> = {}): Promise<TracksPart | undefined> {
  const now = view.peek(), { inverted } = now;
  const reply = await ask(lane, queryState(now, { inverted, preview: false }), [{ ask: 'tracks', threads, width, by_library: dividedCategories.peek(), ...selectedPath(now, placeOf(now, inverted)), ...more }]);
  return reply?.parts[0] as TracksPart | undefined;
}

async function load(): Promise<void> {
  const width = graphWidth.peek(), tracks = visibleTracks.peek();
  if (!opened.peek() || width === 0) return;
  const folded = tracks.filter((track) => track.folded);
  const threads = [...new Set([...tracks.flatMap(({ thread }) => thread ?? []), ...folded.flatMap(({ pid }) => threadsOfProcess(pid).slice(0, 1))])];
  const counters = tracks.flatMap(({ counter }) => counter ?? []);
  const part = await askTracks('tracks', width, threads, { counters, strip: true, waits: true, ...(folded.length > 0 ? { sum_processes: true } : {}) });
  if (part) trackData.value = readTracks(part, threads, counters, textOf);
}

/** Only what tracks depend on: neither the preview range, nor their order. */
export function followTracks(): () => void {
  let last = '';
  return effect(() => {
    const now = view.value, { inverted } = now;
    const shown = visibleTracks.value.map(({ id, folded }) => (folded ? `${id}+` : id)).sort();
    const key = JSON.stringify([queryState(now, { inverted, preview: false }), selectedPath(now, placeOf(now, inverted)), graphWidth.value, generation.value, shown, dividedCategories.value, opened.value !== null]);
    if (key === last) return;
    last = key;
    afterPanel('tracks', () => void load());
  });
}
