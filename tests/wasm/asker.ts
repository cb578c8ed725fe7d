// asker.ts ENGINE PROFILE: as tests/api/asker.c, by the engine as WebAssembly.
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { FORM, WasmEngine } from '../../web/src/transport/wasm_engine.ts';

const [enginePath, profilePath] = process.argv.slice(2) as [string, string];
const file = readFileSync(profilePath);
const bytes = file[0] === 0x1f && file[1] === 0x8b ? gunzipSync(file) : file;
// In pieces, as a stream that unpacks gives it.
const chunks: Uint8Array[] = [];
for (let at = 0; at < bytes.length; at += 10_007) chunks.push(bytes.subarray(at, at + 10_007));

const engine = await WasmEngine.load(readFileSync(enginePath));
const opened = engine.open(chunks);
for await (const line of createInterface({ input: process.stdin })) {
  for (const form of [FORM.json, FORM.binary]) {
    const reply = new Uint8Array(engine.ask(opened, new TextEncoder().encode(line), form));
    process.stdout.write(`${reply.length}\n`);
    process.stdout.write(reply);
  }
}
