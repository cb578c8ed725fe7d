// What is looked at in a browser: a profile that `sonde view` serves, and the page of speedscope, from a local server of files.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Served {
  readonly origin: string;
  readonly token: string;
  /** Milliseconds since 1970: when the command began. */
  readonly begun: number;
  peakKiB(): number;
  stop(): Promise<void>;
}

const peakOf = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' }))?.[1] ?? 0);

export async function serveProfile(file: string): Promise<Served> {
  const begun = performance.timeOrigin + performance.now();
  const server = spawn('build/sonde', ['view', '--no-open', '--port', '0', file], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface(server.stdout)) {
    const address = /http:\/\/\S+/.exec(line)?.[0];
    if (!address) continue;
    const { origin, hash } = new URL(address);
    const stop = async (): Promise<void> => {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
    };
    return { origin, token: hash.replace('#token=', ''), begun, peakKiB: () => peakOf(server.pid!), stop };
  }
  throw new Error(`sonde view ${file} has ended`);
}

const SPEEDSCOPE = 'speedscope@1.25.0';
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** The folder of the page that the package ships; null where it cannot be had. */
export function speedscopeFolder(folder: string): string | null {
  const to = path.join(folder, 'speedscope'), page = path.join(to, 'package/dist/release');
  if (existsSync(page)) return page;
  mkdirSync(to, { recursive: true });
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', to, SPEEDSCOPE], { stdio: 'ignore' });
    const packed = readdirSync(to).find((name) => name.endsWith('.tgz'));
    execFileSync('tar', ['-xzf', path.join(to, packed!), '-C', to]);
    return existsSync(page) ? page : null;
  } catch {
    return null;
  }
}

/** Files of two folders. */
export async function serveFiles(...folders: string[]): Promise<{ origin: string; stop: () => void }> {
  const server = createServer(({ url = '/' }, response) => {
    const name = path.basename(new URL(url, 'http://localhost').pathname) || 'index.html';
    const file = folders.map((folder) => path.join(folder, name)).find(existsSync);
    if (!file) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream', 'Content-Length': statSync(file).size });
    createReadStream(file).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
