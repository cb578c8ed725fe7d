// Makes a large Gecko profile from a small real one, so that benchmarks run on data of a real shape and any size.
//
//     node bench/generate.ts SEED.json.gz OUT.json [--samples N] [--copies K]
//
// --samples  about how many samples all threads have together: each thread's samples are thinned out, or repeated with later times
// --copies   how often every process is there: stacks, frames, strings and markers grow with it
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { TextFile } from './text_file.ts';

type Row = (number | null)[];
type Table = { schema: Record<string, number>; data: Row[] };
type Thread = { samples: Table; pid: number; tid: number; [key: string]: unknown };
type Process = { meta: Record<string, unknown>; threads: Thread[]; processes?: Process[]; [key: string]: unknown };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { samples: { type: 'string' }, copies: { type: 'string', default: '1' } },
});
const [seedPath, outPath] = positionals;
if (!seedPath || !outPath) {
  console.error('usage: generate.ts SEED.json.gz OUT.json [--samples N] [--copies K]');
  process.exit(2);
}

const packed = readFileSync(seedPath);
const seed: Process = JSON.parse((packed[0] === 0x1f ? gunzipSync(packed) : packed).toString());
const seedProcesses = [seed, ...(seed.processes ?? [])];
const seedSamples = seedProcesses.flatMap((p) => p.threads).reduce((sum, t) => sum + t.samples.data.length, 0);
const copies = Number(values.copies);
const factor = values.samples === undefined ? 1 : Number(values.samples) / copies / seedSamples;

const out = new TextFile(outPath);
const write = (text: string): Promise<void> => out.write(text);

// The samples `factor` times: the whole of them as often as it goes, then every nth of them for the rest.
async function writeSamples(table: Table): Promise<void> {
  const { time } = table.schema;
  const last = table.data.at(-1)?.[time] ?? 0;
  const first = table.data[0]?.[time] ?? 0;
  const span = (last as number) - (first as number) + 1;
  const count = Math.round(table.data.length * factor);
  const step = factor < 1 ? 1 / factor : 1;
  await write(`{"schema":${JSON.stringify(table.schema)},"data":[`);
  for (let i = 0; i < count; i++) {
    const round = Math.floor(i / table.data.length);
    const row = table.data[factor < 1 ? Math.floor(i * step) : i % table.data.length].slice();
    row[time] = Number(((row[time] as number) + round * span).toFixed(6));
    await write((i > 0 ? ',' : '') + JSON.stringify(row));
  }
  await write(']}');
}

async function writeThread(thread: Thread, copy: number): Promise<void> {
  const moved = { ...thread, pid: thread.pid + copy * 100000, tid: thread.tid + copy * 100000 };
  let separator = '{';
  for (const [key, value] of Object.entries(moved)) {
    await write(`${separator}${JSON.stringify(key)}:`);
    if (key === 'samples') await writeSamples(value as Table);
    else await write(JSON.stringify(value));
    separator = ',';
  }
  await write('}');
}

// Repeated samples come after the end of the seed.
const extended = (meta: Record<string, unknown>): Record<string, unknown> => ({
  ...meta,
  profilingEndTime: (meta.profilingEndTime as number) * (Math.ceil(factor) + 1),
});

// A process without its subprocesses; the object stays open for them.
async function writeProcess(source: Process, copy: number): Promise<void> {
  let separator = '{';
  for (const [key, value] of Object.entries(source)) {
    if (key === 'processes') continue;
    await write(`${separator}${JSON.stringify(key)}:`);
    if (key === 'threads') {
      await write('[');
      for (const [i, thread] of source.threads.entries()) {
        if (i > 0) await write(',');
        await writeThread(thread, copy);
      }
      await write(']');
    } else {
      await write(JSON.stringify(key === 'meta' ? extended(source.meta) : value));
    }
    separator = ',';
  }
}

await writeProcess(seed, 0);
await write(',"processes":[');
let separator = '';
for (let copy = 0; copy < copies; copy++) {
  for (const [i, source] of seedProcesses.entries()) {
    if (copy === 0 && i === 0) continue;
    await write(separator);
    separator = ',';
    await writeProcess(source, copy);
    await write(',"processes":[]}');
  }
}
await write(']}');
await out.close();
