// From time to pixels and back: the same for tracks, ruler and charts, so that one x is one moment everywhere.
import type { Range } from '../transport/protocol.ts';

export const LABEL_WIDTH = 150;
export const RIGHT_MARGIN = 15;

export interface Scale {
  readonly range: Range;
  readonly width: number;
}

export const xOf = ({ range: [start, end], width }: Scale, time: number): number => ((time - start) / (end - start)) * width;
export const timeAt = ({ range: [start, end], width }: Scale, x: number): number => start + (x / width) * (end - start);
export const clampRange = ([start, end]: Range, [least, most]: Range): Range => [Math.max(least, Math.min(most, start)), Math.max(least, Math.min(most, end))];
