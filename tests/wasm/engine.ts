// What the engine as WebAssembly does with bytes that are wrong: engine.ts ENGINE
import { readFileSync } from 'node:fs';

import { FORM, WasmEngine } from '../../web/src/transport/wasm_engine.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
let count = 0;

function test(what: string, passed: boolean, detail: string): void {
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${what}`);
  if (!passed) console.log(`# ${detail}`);
}

function refusal(engine: WasmEngine, bytes: Uint8Array): string {
  try {
    engine.open([bytes]);
    return 'it was opened';
  } catch (error) {
    return (error as Error).message;
  }
}

const engine = await WasmEngine.load(readFileSync(process.argv[2]!));
const refused: [string, Uint8Array, RegExp][] = [
  ['nothing', encode(' ').subarray(1), /the file is empty/],
  ['what is no profile', encode('{}'), /not a profile/],
  ['a packed profile', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), /not a profile/],
  ['a recording', encode('sonde\r\n\x1a and more'), /a recording is opened by 'sonde view'/],
  ['a truncated profile', encode('{"meta": {"preprocessedProfileVersion": 50, "interval'), /./],
  ['arrays in arrays', encode(`{"meta": {"preprocessedProfileVersion": 50, "a": ${'['.repeat(1_000_000)}`), /nested|deep/],
];
for (const [what, bytes, expected] of refused) {
  const message = refusal(engine, bytes);
  test(`${what} : refused in words`, expected.test(message), message);
}

const folded = encode('main;work 3\nmain 1\n');
const first = engine.open([folded]);
const second = engine.open([encode('other 5\n')]);
const ask = (opened: number, request: string): string =>
  new TextDecoder().decode(engine.ask(opened, encode(request), FORM.json));
test('a broken request is answered', ask(first, '{"v": 1').includes('"error"'), ask(first, '{"v": 1'));
test('an empty request is answered', ask(first, '').includes('"error"'), ask(first, ''));
const rows = '{"v": 1, "asks": [{"ask": "rows", "after": 10}]}';
test('several profiles are open at once', ask(first, rows).includes('main') && ask(second, rows).includes('other'), ask(second, rows));
console.log(`1..${count}`);
