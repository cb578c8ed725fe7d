// What a track shows of a thread, or of a process that is folded.
import { opened } from '../state/store.ts';
import { emptyBlocks, type EmptyBlock } from './empty_blocks.ts';
import type { Activity, TrackData } from './track_data.ts';
import type { Track } from './tracks.ts';

export function activityOf({ thread, folded, pid }: Track, data: TrackData | null): Activity | undefined {
  if (folded) return data?.processes.get(opened.peek()?.tracks.findIndex((process) => process.pid === pid) ?? -1);
  return thread === null ? undefined : data?.threads.get(thread);
}

export function blocksOf({ thread, folded }: Track, { range, width }: TrackData): EmptyBlock[] {
  const life = thread === null || folded ? undefined : opened.peek()?.threads[thread];
  return life ? emptyBlocks(life, range, width, opened.peek()?.interval ?? 1) : [];
}
