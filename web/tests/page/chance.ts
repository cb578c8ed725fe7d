// Chance that is the same in every run.

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1, without 1. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number {
    return Math.floor(this.share() * end);
  }

  /** `true` so often. */
  often(share: number): boolean {
    return this.share() < share;
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }

  /** So many of them, in any order. */
  some<T>(all: readonly T[], count: number): T[] {
    const left = [...all];
    return Array.from({ length: Math.min(count, all.length) }, () => left.splice(this.below(left.length), 1)[0]!);
  }
}
