// The engine in a thread of its own, so that the page never waits for it.
import { WasmEngine } from './wasm_engine.ts';

/** What the page asks; the answer has the same number. */
export type ToWorker =
  /** All packed with gzip, as base64 in pieces of four characters each. */
  | { readonly id: number; readonly do: 'open'; readonly engine: readonly string[]; readonly profile: readonly string[]; readonly base?: { readonly name: string; readonly profile: readonly string[] } }
  | { readonly id: number; readonly do: 'ask' | 'export'; readonly request: string };

export type FromWorker = { readonly id: number; readonly bytes?: ArrayBuffer; readonly error?: string };

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpacked(base64: readonly string[]): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = new Blob(base64.map(bytesOf)).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
  return chunks;
}

let opened: { readonly engine: WasmEngine; readonly profile: number };

async function answer(message: ToWorker): Promise<ArrayBuffer | undefined> {
  if (message.do !== 'open') {
    const request = new TextEncoder().encode(message.request), { engine, profile } = opened;
    return message.do === 'ask' ? engine.ask(profile, request) : engine.exportFile(profile, request);
  }
  const engine = await WasmEngine.load(await new Blob(await unpacked(message.engine)).arrayBuffer());
  opened = { engine, profile: engine.open(await unpacked(message.profile)) };
  if (message.base) engine.compare(opened.profile, engine.open(await unpacked(message.base.profile)), message.base.name);
  return undefined;
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>): Promise<void> => {
  let reply: FromWorker;
  try {
    const bytes = await answer(data);
    reply = bytes ? { id: data.id, bytes } : { id: data.id };
  } catch (error) {
    reply = { id: data.id, error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(reply, { transfer: reply.bytes ? [reply.bytes] : [] });
};
