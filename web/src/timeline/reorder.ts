// Dragging a label up or down: the track goes where the line is when it is let go.
import { signal } from '@preact/signals';
import { adjust, announcement } from '../state/store.ts';
import { followPointer } from './drag.ts';
import { isSibling, movedOrder, shortOrder, steppedOrder } from './track_order.ts';
import { allTracks, orderedTracks, visibleTracks, type Track } from './tracks.ts';

interface Moving {
  readonly id: string;
  readonly target: string | null;
  readonly after: boolean;
}

export const moving = signal<Moving | null>(null);

interface Place {
  readonly track: Track;
  readonly top: number;
  readonly bottom: number;
}

/** Where rows of its kind are now; a process is as high as all of its rows. */
function placesFor(track: Track, list: Element): Place[] {
  const rows = new Map([...list.querySelectorAll<HTMLElement>('.track')].map((row) => [row.dataset.track, row.getBoundingClientRect()]));
  const shown = visibleTracks.peek().filter(({ onTop }) => onTop === track.onTop);
  return shown.filter((one) => isSibling(one, track)).flatMap((one) => {
    const members = shown.filter((other) => other.id === one.id || (!one.local && other.local && other.pid === one.pid)).flatMap(({ id }) => rows.get(id) ?? []);
    return members.length > 0 ? [{ track: one, top: Math.min(...members.map(({ top }) => top)), bottom: Math.max(...members.map(({ bottom }) => bottom)) }] : [];
  });
}

export function beginMove(event: PointerEvent, track: Track): void {
  const list = (event.currentTarget as Element).closest('.tracks');
  if (event.button !== 0 || !list) return;
  event.stopPropagation();
  followPointer(event, {
    cursor: 'grabbing',
    move: (_dx, _dy, { clientY }) => {
      const place = placesFor(track, list).find(({ top, bottom }) => clientY >= top && clientY < bottom);
      moving.value = { id: track.id, target: place && place.track.id !== track.id ? place.track.id : null, after: place !== undefined && clientY > (place.top + place.bottom) / 2 };
    },
    end: () => {
      const { target, after } = moving.peek() ?? { target: null, after: false };
      moving.value = null;
      const order = target === null ? null : movedOrder(orderedTracks.peek(), track.id, target, after);
      if (order) adjust({ trackOrder: shortOrder(order, allTracks.peek()) });
    },
  });
}

export function stepTrack(track: Track, step: 1 | -1): void {
  const order = steppedOrder(orderedTracks.peek(), visibleTracks.peek(), track.id, step);
  if (!order) return;
  adjust({ trackOrder: shortOrder(order, allTracks.peek()) });
  announcement.value = `${track.name} ${step > 0 ? 'down' : 'up'}`;
}
