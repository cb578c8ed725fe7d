// A report: the engine and the profile are in the document itself, and a worker answers.
import { ApiError, type Path, type QueryState, type Request } from './protocol.ts';
import type { FileEntry, Transport } from './transport.ts';
import type { FromWorker, ToWorker } from './wasm_worker.ts';

/** A multiple of four: each piece is base64 by itself. */
const PIECE = 1 << 20;

interface Waiting {
  readonly resolve: (bytes: ArrayBuffer | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The text of an element in pieces; the element is let go, so that it is in memory once. */
function takeText(element: Element): string[] {
  const text = element.textContent ?? '', pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) pieces.push(text.slice(at, at + PIECE));
  element.remove();
  return pieces;
}

export class EmbeddedTransport implements Transport {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #entry: FileEntry;
  /** What it is to show at first; undefined where nothing was said. */
  readonly view: (QueryState & { readonly selected?: Path }) | undefined;
  /** The whole view, where a page has made the report. */
  readonly address: string | undefined;
  #id = 0;
  #ended: ApiError | undefined;

  private constructor(worker: Worker, { name = '', view, address }: DOMStringMap, bytes: number) {
    this.#worker = worker;
    this.#entry = { id: 0, name, path: name, bytes, modified: 0, state: 'open' };
    this.view = view ? JSON.parse(view) : undefined;
    this.address = address;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data.bytes);
      else waiting?.reject(new ApiError('failed', data.error));
    };
    worker.onerror = ({ message }) => {
      this.#ended = new ApiError('gone', `The engine of this report has ended: ${message}`);
      for (const { reject } of this.#waiting.values()) reject(this.#ended);
      this.#waiting.clear();
    };
  }

  /** Only where the document is a report. */
  static async open(): Promise<EmbeddedTransport> {
    const [engine, script] = ['sonde-engine', 'sonde-worker'].map((id) => document.getElementById(id)!) as [HTMLElement, HTMLElement];
    const profile = document.querySelector<HTMLElement>('.sonde-profile');
    if (!profile) throw new ApiError('missing', 'This report is not complete: there is no profile in it.');
    const address = URL.createObjectURL(new Blob([script.textContent ?? ''], { type: 'text/javascript' }));
    const packed = takeText(profile), length = packed.reduce((sum, piece) => sum + piece.length, 0);
    const transport = new EmbeddedTransport(new Worker(address), profile.dataset, length);
    const base = document.querySelector<HTMLElement>('.sonde-base');
    await transport.#send({ do: 'open', engine: takeText(engine), profile: packed, ...(base ? { base: { name: base.dataset.name ?? '', profile: takeText(base) } } : {}) });
    URL.revokeObjectURL(address);
    return transport;
  }

  #send(message: { do: 'open'; engine: string[]; profile: string[]; base?: { name: string; profile: string[] } } | { do: 'ask' | 'export'; request: string }): Promise<ArrayBuffer | undefined> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#id;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message } satisfies ToWorker);
    });
  }

  async ask(_file: number, request: Request): Promise<ArrayBuffer> {
    return (await this.#send({ do: 'ask', request: JSON.stringify(request) }))!;
  }

  async exportFile(_file: number, request: unknown): Promise<Blob> {
    return new Blob([(await this.#send({ do: 'export', request: JSON.stringify(request) }))!]);
  }

  async files(): Promise<readonly FileEntry[]> {
    return [this.#entry];
  }

  /** Nothing is ever said unasked: the profile does not change. */
  listen(): void {}
}
