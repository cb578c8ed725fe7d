// The list of all tracks: what is shown can be searched, chosen and hidden.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { count } from '../format/numbers.ts';
import { adjust, selectThreads, view } from '../state/store.ts';
import { showMenu, showPopup, type MenuEntry } from '../widgets/menu.tsx';
import { hideTrack, toggleFolded, togglePinned } from './selection.ts';
import { heightOf, setHeight } from './track_heights.ts';
import { askPreviews, TrackPreview } from './track_preview.tsx';
import { markedParts, termsOf } from './track_search.ts';
import { foldable, orderedTracks, visibleTracks, type Track } from './tracks.ts';

/** More than this would not be looked at, and each is drawn. */
const MOST_SHOWN = 1000;

function showTracks(all: readonly string[], shown: boolean): void {
  const ids = shown ? all.slice(0, MOST_SHOWN) : all;
  const { shownTracks, hiddenTracks } = view.peek(), set = new Set(ids);
  const without = (list: readonly string[]): string[] => list.filter((id) => !set.has(id));
  adjust({
    shownTracks: shown ? [...without(shownTracks), ...ids] : without(shownTracks),
    hiddenTracks: shown ? without(hiddenTracks) : [...without(hiddenTracks), ...ids],
  });
}

/** A local track is seen only where its process is. */
function withProcesses(tracks: readonly Track[]): string[] {
  const pids = new Set(tracks.map(({ pid }) => pid));
  return [...tracks.map(({ id }) => id), ...orderedTracks.peek().filter(({ local, pid }) => !local && pids.has(pid)).map(({ id }) => id)];
}

const matches = (track: Track, search: string): boolean =>
  termsOf(search).every((term) => `${track.name} ${track.detail} ${track.pid} ${track.title}`.toLowerCase().includes(term));

/** With what matches marked. */
function Marked({ text, search }: { readonly text: string; readonly search: string }): JSX.Element {
  return <>{markedParts(text, search).map(({ part, isMatch }, i) => (isMatch ? <mark key={i}>{part}</mark> : part))}</>;
}

/** Shows a process, and everything in it. */
const showProcess = ({ pid }: Track): void => showTracks(orderedTracks.peek().filter((track) => track.pid === pid).map(({ id }) => id), true);

/** So many rows are there at first; more come as it is scrolled to its end. */
const ROWS_AT_ONCE = 200;

function TrackList(): JSX.Element {
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const shown = orderedTracks.value.filter((track) => matches(track, search));
  const shownIds = new Set(visibleTracks.value.map(({ id }) => id));
  const list = useRef<HTMLUListElement>(null);
  const listed = shown.slice(0, most), hidden = listed.filter(({ id, thread }) => thread !== null && !shownIds.has(id));
  useEffect(() => void askPreviews(list.current), [search, hidden.length]);
  const onScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { currentTarget: HTMLElement }): void => {
    if (most < shown.length && scrollTop + 2 * clientHeight > scrollHeight) setMost(most + ROWS_AT_ONCE);
    void askPreviews(list.current);
  };
  return (
    <div class="track-list">
      <input type="search" aria-label="Search tracks" placeholder="Search: name, pid, tid" value={search} onInput={({ currentTarget }) => {
        setSearch(currentTarget.value);
        setMost(ROWS_AT_ONCE);
      }} />
      <div class="track-list-buttons">
        <button disabled={shown.length > MOST_SHOWN} title={shown.length > MOST_SHOWN ? `More than ${count(MOST_SHOWN)}: search for some of them` : undefined} onClick={() => showTracks(withProcesses(shown), true)}>{search ? 'Show all matching' : 'Show all tracks'}</button>
        {search && <button onClick={() => showTracks(shown.map(({ id }) => id), false)}>Hide all matching</button>}
      </div>
      <ul role="menu" aria-label="Tracks" ref={list} onScroll={onScroll}>
        {listed.map((track) => (
          <li key={track.id} role="menuitemcheckbox" aria-checked={shownIds.has(track.id)} tabIndex={0} class={track.local ? 'local' : ''} data-thread={shownIds.has(track.id) ? undefined : track.thread}
            onDblClick={() => !track.local && showProcess(track)}
            onClick={() => showTracks(shownIds.has(track.id) ? [track.id] : withProcesses([track]), !shownIds.has(track.id))}
            onKeyDown={(event) => {
              if (event.key !== ' ' && event.key !== 'Enter') return;
              event.preventDefault();
              event.currentTarget.click();
            }}>
            <span class="menu-check">{shownIds.has(track.id) ? '✓' : ''}</span>
            <span class="track-text"><Marked text={track.name} search={search} /> <small><Marked text={track.detail} search={search} /></small></span>
            {track.thread !== null && !shownIds.has(track.id) && <TrackPreview thread={track.thread} name={track.name} />}
          </li>
        ))}
      </ul>
      {listed.length < shown.length && <p class="track-list-more">{count(shown.length - listed.length)} more: search, or scroll</p>}
      {shown.length === 0 && <p>No results found for “{search}”</p>}
    </div>
  );
}

/** Of all tracks below a button, or of one where it was right-clicked. */
export function showTrackMenu(at: Element | MouseEvent, track: Track | null): void {
  if (at instanceof Element) {
    showPopup(at, 'Tracks', <TrackList />);
    return;
  }
  if (!track) return;
  const all = orderedTracks.peek(), ofProcess = all.filter(({ pid }) => pid === track.pid);
  const only = (tracks: readonly Track[]): void => {
    const ids = new Set(withProcesses(tracks));
    adjust({ shownTracks: [...ids], hiddenTracks: all.filter(({ id }) => !ids.has(id)).map(({ id }) => id) });
  };
  const threadsOf = (tracks: readonly Track[]): number[] => tracks.flatMap(({ thread }) => thread ?? []);
  const sameName = all.filter(({ thread, name }) => thread !== null && name === track.name);
  const sameKind = visibleTracks.peek().filter(({ name, counter }) => name === track.name && (counter === null) === (track.counter === null));
  const entries: MenuEntry[] = [
    { title: 'Only show this track', run: () => only([track]) },
    { title: 'Only show this process', run: () => only(ofProcess) },
    { title: 'Show hidden tracks of this process', run: () => showTracks(ofProcess.map(({ id }) => id), true) },
    { title: `Hide “${track.name}”`, run: () => hideTrack(track), disabled: visibleTracks.peek().length <= 1 },
    ...(sameKind.length > 1 ? [{ title: `Hide all named “${track.name}”`, run: () => showTracks(sameKind.map(({ id }) => id), false), disabled: sameKind.length >= visibleTracks.peek().length }] : []),
    'separator',
    { title: 'Twice as high', run: () => setHeight(track, 2 * heightOf(track), false) },
    { title: 'Usual height', run: () => setHeight(track, null, false) },
    { title: track.pinned ? 'Let it scroll again' : 'Pin at the top', run: () => togglePinned(track) },
    ...(!track.local && foldable.peek().has(track.pid) ? [{ title: track.folded ? 'Show all tracks of this process' : 'One row for all threads', run: () => toggleFolded(track) }] : []),
    'separator',
    { title: 'Select all threads of this process', run: () => selectThreads('All threads of the process', threadsOf(ofProcess)) },
    ...(sameName.length > 1 ? [{ title: `Select all threads named “${track.name}”`, run: () => selectThreads(`All threads named ${track.name}`, threadsOf(sameName)) }] : []),
    { title: 'Select all visible threads', run: () => selectThreads('All visible threads', threadsOf(visibleTracks.peek())), key: 'Ctrl+a' },
    'separator',
    { title: 'Show all tracks', run: () => showTracks(all.map(({ id }) => id), true) },
  ];
  showMenu(at.clientX, at.clientY, `Track ${track.name}`, entries);
}
