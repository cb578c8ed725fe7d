// Which tracks there are, in which order, and which are shown: what the profile says, and what the person changed.
import { computed } from '@preact/signals';
import { opened, view } from '../state/store.ts';
import type { Opened } from '../state/opened.ts';
import { visible } from '../transport/texts.ts';

export interface Track {
  /** `t12` a thread, `c3` a counter, `p4711` a process whose main thread was not recorded. */
  readonly id: string;
  readonly pid: string;
  readonly thread: number | null;
  readonly counter: number | null;
  /** Belongs below that of its process. */
  readonly local: boolean;
  readonly name: string;
  readonly detail: string;
  /** A process that stands for all of its threads. */
  readonly folded: boolean;
  readonly pinned: boolean;
  /** Pinned itself, or with its process. */
  readonly onTop: boolean;
  /** Several lines. */
  readonly title: string;
  readonly visible: boolean;
}

function threadTitle({ threads }: Opened, index: number): string {
  const { name, process, pid, tid, samples, markers } = threads[index]!;
  return [name, process && `Process: ${process}`, `Process ID: ${pid}`, `Thread ID: ${tid}`, `${samples} samples, ${markers} markers`].filter(Boolean).join('\n');
}

function tracksOf(open: Opened): Track[] {
  return open.tracks.flatMap((process) => {
    const main = process.thread === null ? undefined : open.threads[process.thread];
    const local = process.tracks.map(({ thread, counter, visible }): Track => {
      if (thread !== undefined) {
        const { name, tid } = open.threads[thread]!;
        return { id: `t${thread}`, pid: process.pid, thread, counter: null, local: true, folded: false, pinned: false, onTop: false, name, detail: `TID: ${tid}`, title: threadTitle(open, thread), visible };
      }
      const { name, description } = open.counters[counter!]!;
      return { id: `c${counter}`, pid: process.pid, thread: null, counter: counter!, local: true, folded: false, pinned: false, onTop: false, name, detail: '', title: description || name, visible };
    });
    const name = process.name ?? main?.process ?? main?.name ?? `Process ${process.pid}`;
    const global: Track = {
      id: process.thread === null ? `p${process.pid}` : `t${process.thread}`,
      pid: process.pid, thread: process.thread, counter: null, local: false, folded: false, pinned: false, onTop: false, name, detail: `PID: ${process.pid}`,
      title: process.thread === null ? name : threadTitle(open, process.thread), visible: process.visible,
    };
    return [global, ...local];
  });
}

// Parts of the view, as signals of their own: what follows from them is not computed again for each change of another part.
const order = computed(() => view.value.trackOrder);
const shownIds = computed(() => view.value.shownTracks);
const hiddenIds = computed(() => view.value.hiddenTracks);
const pinnedIds = computed(() => view.value.pinnedTracks);
const foldedIds = computed(() => view.value.foldedTracks);
const threads = computed(() => view.value.threads);

/** In the order of the profile. */
export const allTracks = computed(() => (opened.value ? tracksOf(opened.value) : []));

/** In the order they are shown, whether they are or not. Processes keep their tracks together. */
export const orderedTracks = computed<readonly Track[]>(() => {
  const places = new Map(order.value.map((id, i) => [id, i]));
  const shown = new Set(shownIds.value), hidden = new Set(hiddenIds.value);
  const pinned = new Set(pinnedIds.value), folded = new Set(foldedIds.value);
  const pinnedProcesses = new Set(allTracks.value.filter(({ id, local }) => !local && pinned.has(id)).map(({ pid }) => pid));
  const tracks = allTracks.value.map((track) => ({
    ...track,
    visible: shown.has(track.id) || (track.visible && !hidden.has(track.id)),
    pinned: pinned.has(track.id),
    onTop: pinned.has(track.id) || pinnedProcesses.has(track.pid),
    folded: !track.local && folded.has(track.id),
  }));
  if (places.size === 0) return tracks;
  // Those that the order does not name come after those that it does.
  const globals = tracks.filter(({ local }) => !local);
  const rank = ({ id }: Track, i: number): number => places.get(id) ?? places.size + i;
  return globals
    .map((track, i) => ({ track, rank: rank(track, i) }))
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ track }) => [
      track,
      ...tracks
        .filter(({ local, pid }) => local && pid === track.pid)
        .map((inner, i) => ({ inner, rank: rank(inner, i) }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ inner }) => inner),
    ]);
});

/** A process that is hidden hides what is in it, and one that is folded all but its row. Those that are pinned come first. */
export const visibleTracks = computed<readonly Track[]>(() => {
  const processes = new Set(orderedTracks.value.filter(({ local, visible }) => !local && visible).map(({ pid }) => pid));
  const folded = new Set(orderedTracks.value.filter((track) => track.folded).map(({ pid }) => pid));
  const shown = orderedTracks.value.filter(({ visible, pid, local, pinned }) => visible && processes.has(pid) && (!local || pinned || !folded.has(pid)));
  return [...shown.filter(({ onTop }) => onTop), ...shown.filter(({ onTop }) => !onTop)];
});

const threadNames = computed(() => new Map(allTracks.value.flatMap(({ thread, name }) => (thread === null ? [] : [[thread, visible(name)] as const]))));

/** As its track has it: main threads are often all of one name, their processes are not. */
export const threadName = (thread: number): string => threadNames.value.get(thread) ?? visible(opened.value?.threads[thread]?.name ?? '');

/** With the process, where another thread is called the same. */
export function threadTitleAmong(thread: number, others: Iterable<number>): string {
  const name = threadName(thread);
  for (const other of others) if (other !== thread && threadName(other) === name) return `${name} · ${opened.value?.threads[thread]?.pid ?? ''}`;
  return name;
}

/** Processes that have more than the row that stands for them. */
export const foldable = computed<ReadonlySet<string>>(() => new Set(allTracks.value.filter(({ local, thread }) => local && thread !== null).map(({ pid }) => pid)));

export const threadsOfProcess = (pid: string): number[] => allTracks.peek().flatMap((track) => (track.pid === pid && track.thread !== null ? [track.thread] : []));

export const selectedThreads = computed<ReadonlySet<number>>(() => {
  return new Set(threads.value.length > 0 ? threads.value : (opened.value?.first.threads ?? []));
});
