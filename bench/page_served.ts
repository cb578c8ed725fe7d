// What is looked at in a browser besides: the page of speedscope, from a local server of files.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

/** Of a process, in KiB. */
export const peakOf = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

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
