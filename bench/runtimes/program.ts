// What the programs of bench/runtimes.ts have in common.
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Self time by function, in percent. A function is called as the peer calls it; `nameOf` does so with ours. */
export type Shares = Map<string, number>;

/** `record` is the command that records `command`; `shares`, where it has them, are those of its last recording. */
export type Peer = { name: string; record: (command: string[]) => string[]; shares?: () => Shares };
export type Program = { language: string; command: string[]; nameOf: (name: string, file: string) => string; peers: Peer[] };

export const fileName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

/** Throws where it is not installed. */
export function which(name: string): string {
  for (const folder of (process.env.PATH ?? '').split(':')) if (existsSync(path.join(folder, name))) return path.join(folder, name);
  throw new Error(`${name} is not installed`);
}

export function sharesOf(weights: Map<string, number>): Shares {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return new Map([...weights].map(([name, weight]) => [name, (weight / total) * 100]));
}
