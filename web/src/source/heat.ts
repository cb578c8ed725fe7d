// Which lines, or instructions, are hot, and how much.

/** Weights of some places: lines of a file, rows of a listing. Places are in order, each once. */
export interface Timings {
  readonly place: ArrayLike<number>;
  readonly total: ArrayLike<number>;
  readonly self: ArrayLike<number>;
}

/** Shades of the tint. */
export const HEAT_LEVELS = 6;

export function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}

/** 0: nothing; else up to HEAT_LEVELS, so that what has any samples can be told from what has none. */
export function heatOf(value: number, most: number): number {
  if (!(most > 0) || value === 0) return 0;
  return Math.max(1, Math.min(HEAT_LEVELS, Math.ceil((Math.abs(value) / most) * HEAT_LEVELS)));
}

const HOT = 0.1;

/** Places that have at least a tenth of what the hottest one has. */
export function hotPlaces({ place, total }: Timings): number[] {
  const most = largest(total), hot: number[] = [];
  for (let i = 0; i < place.length; i++) if (most > 0 && Math.abs(total[i]!) >= HOT * most) hot.push(place[i]!);
  return hot;
}

/** The next hot place from one on, or before it; around the end it goes on at the other one. Null where nothing is hot. */
export function nextHot(hot: readonly number[], from: number, step: 1 | -1): number | null {
  const next = step > 0 ? hot.find((place) => place > from) : hot.findLast((place) => place < from);
  return next ?? hot.at(step > 0 ? 0 : -1) ?? null;
}
