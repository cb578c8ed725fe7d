// How many samples a profile of Sonde rests on.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** How often a running thread was looked at: rows with CPU time, but not those that repeat one, which `taken` does not count. */
export function looksOf(sonde: string, profile: string): number {
  const bytes = readFileSync(profile);
  const { threads } = JSON.parse((profile.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
  let rows = 0;
  for (const { samples } of threads) rows += (samples.threadCPUDelta ?? []).filter((cpu: number | null) => cpu !== null && cpu > 0).length;
  const { quality } = JSON.parse(execFileSync(sonde, ['info', '--json', profile], { encoding: 'utf8', maxBuffer: 1 << 30 }));
  return Math.min(rows, quality?.taken ?? Infinity);
}
