// Selecting threads by their tracks, and hiding tracks.
import { adjust, announcement, selectThreads, view } from '../state/store.ts';
import { selectedThreads, threadName, threadsOfProcess, visibleTracks, type Track } from './tracks.ts';

let lastClicked: number | null = null;

/** A click selects the thread, with Ctrl it comes or goes, with Shift all from the last one that was clicked. */
export function clickThread(thread: number, { ctrlKey, metaKey, shiftKey }: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }): void {
  const selected = selectedThreads.peek(), name = threadName(thread);
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

/** A label stands for its thread, and that of a process that is folded for all of its threads. */
export function clickTrack({ thread, folded, pid, name }: Track, event: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }): void {
  if (folded) selectThreads(`All threads of ${name}`, threadsOfProcess(pid));
  else if (thread !== null) clickThread(thread, event);
}

/** Where a selected thread is hidden, another one is selected. */
export function hideTrack({ id, thread }: Track): void {
  if (visibleTracks.peek().length <= 1) return;
  const { hiddenTracks, shownTracks, pinnedTracks } = view.peek();
  adjust({ hiddenTracks: [...hiddenTracks, id], shownTracks: shownTracks.filter((other) => other !== id), pinnedTracks: pinnedTracks.filter((other) => other !== id) });
  const selected = selectedThreads.peek(), visible = visibleTracks.peek().flatMap((track) => track.thread ?? []);
  if (thread === null || !selected.has(thread) || visible.length === 0) return;
  const left = [...selected].filter((other) => other !== thread);
  adjust({ threads: left.length > 0 ? left : visible.slice(0, 1) });
}

const toggled = (ids: readonly string[], id: string): string[] => (ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]);

export const togglePinned = ({ id }: Track): void => adjust({ pinnedTracks: toggled(view.peek().pinnedTracks, id) });

export function toggleFolded({ id, name, folded }: Track): void {
  adjust({ foldedTracks: toggled(view.peek().foldedTracks, id) });
  announcement.value = folded ? `${name}: all tracks` : `${name}: one row`;
}
