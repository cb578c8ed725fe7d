// What the command says of a profile.
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { OWN_ENVIRONMENT, sonde } from './visit.ts';

const MOST_BYTES = 1 << 30;
const OPTIONS = { encoding: 'utf8', maxBuffer: MOST_BYTES, env: { ...process.env, ...OWN_ENVIRONMENT } } as const;

/** The answer of `sonde NAME … --json`. */
export function command(name: string, options: readonly string[]): unknown {
  return JSON.parse(execFileSync(sonde, [name, ...options, '--json'], { ...OPTIONS, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** The same while pages go on. */
export async function told(name: string, options: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(sonde, [name, ...options, '--json'], OPTIONS);
  return JSON.parse(stdout);
}
