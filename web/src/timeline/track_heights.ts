// How high tracks are: as is usual for their kind, or as the person dragged them.
import { prefer, preferences } from '../theme/theme.ts';
import type { Track } from './tracks.ts';

type Kind = 'process' | 'thread' | 'counter' | 'empty';

const USUAL: Record<Kind, number> = { process: 44, thread: 28, counter: 34, empty: 30 };
export const LEAST_HEIGHT = 20, MOST_HEIGHT = 300;

function kindOf({ thread, counter, local, folded }: Track): Kind {
  if (counter !== null) return 'counter';
  if (thread === null && !folded) return 'empty';
  return local ? 'thread' : 'process';
}

const keyOf = (track: Track): string => `${kindOf(track)} ${track.name}`;

/** Of the graph, without the markers above it. What is known of all tracks of a name is known of its kind, too, unless it has a height of its own. */
export function heightOf(track: Track): number {
  const { trackHeights } = preferences.value, kind = kindOf(track);
  return trackHeights[keyOf(track)] ?? trackHeights[kind] ?? USUAL[kind];
}

/** `all`: of its kind. Null: as is usual. */
export function setHeight(track: Track, height: number | null, all: boolean): void {
  const kind = kindOf(track), key = all ? kind : keyOf(track);
  const others = Object.entries(preferences.peek().trackHeights).filter(([name]) => name !== key && !(all && name.startsWith(`${kind} `)));
  const limited = height === null ? [] : [[key, Math.round(Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, height)))] as const];
  prefer({ trackHeights: Object.fromEntries([...others, ...limited]) });
}
