// The engine as WebAssembly (src/wasm/engine.c): bytes in, bytes out, on whatever thread this runs.
import { wasi } from './wasi.ts';

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly _initialize: () => void;
  readonly sonde_alloc: (size: number) => number;
  readonly sonde_free: (at: number) => void;
  readonly sonde_open: () => number;
  readonly sonde_compare: (opened: number, base: number, name: number, length: number) => number;
  readonly sonde_message: () => number;
  readonly sonde_ask: (opened: number, request: number, length: number, form: number) => number;
  readonly sonde_export: (opened: number, request: number, length: number) => number;
}

/** As `enum api_format` numbers them. */
export const FORM = { binary: 0, json: 1 } as const;

export class WasmEngine {
  readonly #exports: Exports;
  /** What is left of the profile that is being opened: the next chunk is the last one here. */
  #chunks: Uint8Array[] = [];

  private constructor(module: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: wasi(() => this.#exports.memory),
      page: { read: (at: number, capacity: number) => this.#read(at >>> 0, capacity >>> 0) },
    });
    this.#exports = instance.exports as unknown as Exports;
    this.#exports._initialize();
  }

  static async load(bytes: BufferSource): Promise<WasmEngine> {
    return new WasmEngine(await WebAssembly.compile(bytes));
  }

  #read(at: number, capacity: number): number {
    const chunk = this.#chunks.pop();
    if (!chunk) return 0;
    const now = chunk.subarray(0, capacity);
    if (now.length < chunk.length) this.#chunks.push(chunk.subarray(now.length));
    new Uint8Array(this.#exports.memory.buffer, at, now.length).set(now);
    return now.length;
  }

  /** A copy of what the engine has given: where it is, and how long. */
  #take(given: number): ArrayBuffer {
    const { buffer } = this.#exports.memory;
    const place = new DataView(buffer, given, 8);
    const start = place.getUint32(0, true);
    return buffer.slice(start, start + place.getUint32(4, true)) as ArrayBuffer;
  }

  /** The bytes of a profile, in pieces of any length, none empty; each is let go once it has been read. */
  open(chunks: readonly Uint8Array[]): number {
    this.#chunks = chunks.toReversed();
    const opened = this.#exports.sonde_open();
    this.#chunks = [];
    if (opened === 0) throw new Error(this.#message());
    return opened;
  }

  /** What `compare` holds one against. */
  compare(opened: number, base: number, name: string): void {
    const bytes = new TextEncoder().encode(name), at = this.#exports.sonde_alloc(Math.max(1, bytes.length)) >>> 0;
    if (at === 0) throw new Error('out of memory');
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    const done = this.#exports.sonde_compare(opened, base, at, bytes.length);
    this.#exports.sonde_free(at);
    if (!done) throw new Error(this.#message() || 'out of memory');
  }

  #message(): string {
    return new TextDecoder().decode(this.#take(this.#exports.sonde_message() >>> 0));
  }

  /** What a call gives, with the request in the memory of the engine; undefined where it gives nothing. */
  #with(request: Uint8Array, call: (at: number, length: number) => number): ArrayBuffer | undefined {
    const at = this.#exports.sonde_alloc(request.length) >>> 0;
    if (at === 0) throw new Error('out of memory');
    new Uint8Array(this.#exports.memory.buffer, at, request.length).set(request);
    const given = call(at, request.length) >>> 0;
    this.#exports.sonde_free(at);
    return given === 0 ? undefined : this.#take(given);
  }

  ask(opened: number, request: Uint8Array, form: number = FORM.binary): ArrayBuffer {
    const reply = this.#with(request, (at, length) => this.#exports.sonde_ask(opened, at, length, form));
    if (!reply) throw new Error('out of memory');
    return reply;
  }

  exportFile(opened: number, request: Uint8Array): ArrayBuffer {
    const file = this.#with(request, (at, length) => this.#exports.sonde_export(opened, at, length));
    if (!file) throw new Error(this.#message());
    return file;
  }
}
