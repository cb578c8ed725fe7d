// Requests as POST: what works without a WebSocket.
import type { QueryState, Request } from './protocol.ts';
import { ApiError } from './protocol.ts';
import type { EngineEvent, FileEntry, Transport } from './transport.ts';

export class HttpTransport implements Transport {
  readonly #base: string;
  readonly #listeners: ((event: EngineEvent) => void)[] = [];

  /** `base`: the address of the server with the token. */
  constructor(base: string) {
    this.#base = base;
  }

  async #fetch(path: string, init?: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${this.#base}${path}`, init);
    } catch {
      for (const listener of this.#listeners) listener({ event: 'bye' });
      throw new ApiError('gone', 'The server has ended. `sonde view` starts it again.');
    }
    if (response.ok) return response;
    const text = await response.text();
    let message = text;
    try {
      message = JSON.parse(text).error ?? text;
    } catch {
      // it is what a proxy or another server says
    }
    throw new ApiError(response.status === 404 ? 'missing' : 'refused', String(message));
  }

  async ask(file: number, request: Request): Promise<ArrayBuffer> {
    const response = await this.#fetch(`/api/v1/files/${file}/ask`, { method: 'POST', body: JSON.stringify(request) });
    return response.arrayBuffer();
  }

  async files(): Promise<readonly FileEntry[]> {
    return (await this.#fetch('/api/v1/files')).json();
  }

  async exportFile(file: number, request: unknown): Promise<Blob> {
    return (await this.#fetch(`/api/v1/files/${file}/export`, { method: 'POST', body: JSON.stringify(request) })).blob();
  }

  async partFile(file: number, state: QueryState): Promise<Blob> {
    const blob = await (await this.#fetch(`/api/v1/files/${file}/part`, { method: 'POST', body: JSON.stringify({ v: 1, state, asks: [] }) })).blob();
    if (blob.type.startsWith('application/json')) throw new ApiError('refused', JSON.parse(await blob.text()).error.message);
    return blob;
  }

  listen(listener: (event: EngineEvent) => void): void {
    this.#listeners.push(listener);
  }

  profileFile = async (file: number): Promise<Blob> => (await this.#fetch(`/api/v1/files/${file}/profile.json.gz`)).blob();

  firefoxProfiler = (file: number): string => {
    const served = `${location.origin}${this.#base}/api/v1/files/${file}`;
    return `https://profiler.firefox.com/from-url/${encodeURIComponent(`${served}/profile.json.gz`)}/?symbolServer=${encodeURIComponent(served)}`;
  };
}
