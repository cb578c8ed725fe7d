// The label of a track: it selects its thread, and can be dragged to another place.
import type { JSX } from 'preact';
import { beginMove, stepTrack } from './reorder.ts';
import { clickTrack, hideTrack, toggleFolded, togglePinned } from './selection.ts';
import { foldable, type Track } from './tracks.ts';

interface TrackLabelProps {
  readonly track: Track;
  readonly isSelected: boolean;
}

/** Up and down go from label to label; with Alt the track itself goes. */
function onKeyDown(event: KeyboardEvent, track: Track): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (event.altKey) return stepTrack(track, step);
  const label = event.currentTarget as HTMLElement, labels = [...(label.closest('.tracks')?.querySelectorAll<HTMLElement>('.track-name:not(:disabled)') ?? [])];
  labels[labels.indexOf(label) + step]?.focus();
}

const stop = (event: PointerEvent): void => event.stopPropagation();

export function TrackLabel({ track, isSelected }: TrackLabelProps): JSX.Element {
  const { name, detail, title, thread, local, folded, pinned, pid } = track;
  const canFold = !local && foldable.value.has(pid);
  return (
    <div class="track-label" title={title} onPointerDown={(event) => beginMove(event, track)}>
      {canFold && (
        <button class="track-fold" aria-expanded={!folded} title={folded ? 'Show all tracks of this process' : 'One row for all threads of this process'} aria-label={`Tracks of ${name}`}
          onPointerDown={stop} onClick={() => toggleFolded(track)}>
          <span aria-hidden="true">{folded ? '▸' : '▾'}</span>
        </button>
      )}
      <button class="track-name" aria-pressed={isSelected} disabled={thread === null && !folded} onClick={(event) => clickTrack(track, event)} onKeyDown={(event) => onKeyDown(event, track)}>
        <span>{name}</span>
        {(!local || pinned) && <small>{local ? `PID: ${pid}` : folded ? `${detail}, all threads` : detail}</small>}
      </button>
      {pinned && (
        <button class="track-pin" title="Pinned: let it scroll again" aria-label={`Do not pin ${name}`} onPointerDown={stop} onClick={() => togglePinned(track)}>
          <svg viewBox="0 0 16 16" width="11" height="11" aria-hidden="true"><path d="M5 1h6v1.5l-1 .8v3.9l2.5 2.3V11H8.8v4H7.2v-4H3.5V9.5L6 7.2V3.3l-1-.8Z" fill="currentColor" /></svg>
        </button>
      )}
      <button class="track-hide" title="Hide this track" aria-label={`Hide ${name}`} onPointerDown={stop} onClick={() => hideTrack(track)}>×</button>
    </div>
  );
}
