// A profile that `sonde view` serves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Served {
  readonly pid: number;
  /** Milliseconds since 1970: when the command began. */
  readonly begun: number;
  readonly origin: string;
  readonly token: string;
  stop(): Promise<void>;
}

export async function serveProfile(sonde: string, files: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const begun = performance.timeOrigin + performance.now();
  const server = spawn(sonde, ['view', '--no-open', '--port', '0', ...files], { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } });
  const ended = once(server, 'exit');
  for await (const line of createInterface(server.stdout)) {
    const address = /http:\/\/\S+/.exec(line)?.[0];
    if (!address) continue;
    const { origin, hash } = new URL(address);
    const stop = async (): Promise<void> => {
      server.kill('SIGINT');
      await ended;
    };
    return { pid: server.pid!, begun, origin, token: hash.replace('#token=', ''), stop };
  }
  throw new Error(`sonde view ${files.join(' ')} has ended`);
}
