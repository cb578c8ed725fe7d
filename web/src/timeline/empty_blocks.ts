// The time before a thread was there, and after it had ended, in pixels.
import type { Range } from '../transport/protocol.ts';

export interface EmptyBlock {
  readonly left: number;
  readonly right: number;
  readonly text: string;
}

interface Life {
  readonly name: string;
  readonly registered: number | null;
  readonly unregistered: number | null;
}

/** Only those that are longer than an interval of sampling. */
export function emptyBlocks({ name, registered, unregistered }: Life, [start, end]: Range, width: number, interval: number): EmptyBlock[] {
  const x = (time: number): number => ((time - start) / (end - start)) * width;
  const blocks: EmptyBlock[] = [];
  if (registered !== null && registered - start > interval) blocks.push({ left: 0, right: Math.min(width, x(registered)), text: `${name} has not started yet` });
  if (unregistered !== null && end - unregistered > interval) blocks.push({ left: Math.max(0, x(unregistered)), right: width, text: `${name} has ended` });
  return blocks;
}

export const blockAt = (blocks: readonly EmptyBlock[], x: number): EmptyBlock | null => blocks.find(({ left, right }) => x >= left && x < right) ?? null;
