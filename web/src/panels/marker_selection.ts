// Markers that are chosen together in the table: how many there are, and how long they last in all.
import { signal } from '@preact/signals';
import type { MarkerId } from '../state/view.ts';

export interface ChosenMarker {
  readonly id: MarkerId;
  /** Not a number where it has none. */
  readonly duration: number;
}

const keyOf = ({ thread, marker }: MarkerId): string => `${thread}.${marker}`;

/** By their ids. */
export const chosenMarkers = signal<ReadonlyMap<string, number>>(new Map());

export const isChosen = (id: MarkerId): boolean => chosenMarkers.peek().has(keyOf(id));

export function chooseMarkers(markers: readonly ChosenMarker[]): void {
  chosenMarkers.value = new Map(markers.map(({ id, duration }) => [keyOf(id), duration]));
}

/** It is one more, or one less. */
export function toggleMarker({ id, duration }: ChosenMarker): void {
  const changed = new Map(chosenMarkers.peek());
  if (!changed.delete(keyOf(id))) changed.set(keyOf(id), duration);
  chosenMarkers.value = changed;
}

export interface ChosenSum {
  readonly count: number;
  /** Of those that last. */
  readonly measured: number;
  readonly total: number;
}

export function sumOf(chosen: ReadonlyMap<string, number>): ChosenSum {
  const durations = [...chosen.values()].filter((duration) => !Number.isNaN(duration));
  return { count: chosen.size, measured: durations.length, total: durations.reduce((sum, duration) => sum + duration, 0) };
}
