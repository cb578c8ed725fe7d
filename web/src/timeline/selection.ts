// Selecting threads by their tracks, and hiding tracks.
import { adjust, opened, selectThreads, view } from '../state/store.ts';
import { selectedThreads, visibleTracks, type Track } from './tracks.ts';

let lastClicked: number | null = null;

/** A click selects the thread, with Ctrl it comes or goes, with Shift all from the last one that was clicked. */
export function clickThread(thread: number, { ctrlKey, metaKey, shiftKey }: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }): void {
  const selected = selectedThreads.peek(), name = opened.peek()?.threads[thread]?.name ?? '';
  if (shiftKey && lastClicked !== null) {
    const threads = visibleTracks.peek().flatMap((track) => track.thread ?? []);
    const [a, b] = [threads.indexOf(lastClicked), threads.indexOf(thread)].sort((x, y) => x - y) as [number, number];
    if (a >= 0) selectThreads('Threads selected', [...new Set([...selected, ...threads.slice(a, b + 1)])].sort((x, y) => x - y));
    return;
  }
  lastClicked = thread;
  if (!ctrlKey && !metaKey) {
    if (selected.size !== 1 || !selected.has(thread)) selectThreads(`Thread ${name}`, [thread]);
    return;
  }
  const others = [...selected].filter((other) => other !== thread);
  if (!selected.has(thread)) selectThreads(`Thread ${name} added`, [...others, thread].sort((x, y) => x - y));
  else if (others.length > 0) selectThreads(`Thread ${name} taken away`, others);
}

export function hideTrack({ id }: Track): void {
  if (visibleTracks.peek().length <= 1) return;
  const { hiddenTracks, shownTracks } = view.peek();
  adjust({ hiddenTracks: [...hiddenTracks, id], shownTracks: shownTracks.filter((other) => other !== id) });
}
