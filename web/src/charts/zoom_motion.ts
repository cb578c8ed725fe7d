// A zoom is a short motion: the picture before it, or after it, through a window that grows or shrinks.
import { signal } from '@preact/signals';
import { samePath } from '../state/view.ts';
import { boxesOfPath } from './boxes.ts';
import type { Flame } from './flame_model.ts';

/** A flame graph, of which what lies between two of its pixels is as wide as the canvas. */
export interface FlamePicture {
  readonly flame: Flame;
  readonly left: number;
  readonly right: number;
}

const MOTION_MS = 120;

export const wholePicture = (flame: Flame): FlamePicture => ({ flame, left: 0, right: flame.width });

function windowOf(flame: Flame, zoom: readonly number[] | null): readonly [number, number] | null {
  const box = zoom ? boxesOfPath(flame.rows, zoom)[0] : undefined, row = box && flame.rows.get(box.depth);
  if (!row) return null;
  const place = row.places[box.index]!, left = row.columns.left[place]!;
  return [left, left + row.columns.width[place]!];
}

/** What is seen on the way, and whether it is the way in. Null: there is none. */
export function motionBetween(before: Flame, after: Flame): { readonly flame: Flame; readonly window: readonly [number, number]; readonly inward: boolean } | null {
  if (before.width !== after.width || before.inverted !== after.inverted || samePath(before.zoom, after.zoom)) return null;
  const inward = (after.zoom?.length ?? 0) > (before.zoom?.length ?? 0);
  const flame = inward ? before : after, window = windowOf(flame, inward ? after.zoom : before.zoom);
  return window && { flame, window, inward };
}

export class ZoomMotion {
  readonly picture = signal<FlamePicture | null>(null);
  #flame: Flame | null = null;
  #frame = 0;

  show(flame: Flame | null): void {
    const before = this.#flame;
    this.#flame = flame;
    cancelAnimationFrame(this.#frame);
    const motion = before && flame && !matchMedia('(prefers-reduced-motion: reduce)').matches ? motionBetween(before, flame) : null;
    if (!motion || !flame) {
      this.picture.value = flame && wholePicture(flame);
      return;
    }
    const start = performance.now(), { window: [left, right], inward } = motion, { width } = motion.flame;
    const step = (now: number): void => {
      const part = Math.min(1, Math.max(0, now - start) / MOTION_MS), way = (inward ? part : 1 - part) ** 2 * (3 - 2 * (inward ? part : 1 - part));
      this.picture.value = part === 1 ? wholePicture(this.#flame!) : { flame: motion.flame, left: left * way, right: width + (right - width) * way };
      if (part < 1) this.#frame = requestAnimationFrame(step);
    };
    step(start);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }
}
