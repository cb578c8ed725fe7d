// What the command says of a profile.
import { execFileSync } from 'node:child_process';
import { OWN_ENVIRONMENT, sonde } from './visit.ts';

const MOST_BYTES = 1 << 30;

/** The answer of `sonde NAME … --json`. */
export function command(name: string, options: readonly string[]): unknown {
  return JSON.parse(execFileSync(sonde, [name, ...options, '--json'], { encoding: 'utf8', maxBuffer: MOST_BYTES, env: { ...process.env, ...OWN_ENVIRONMENT }, stdio: ['ignore', 'pipe', 'pipe'] }));
}
