// Makes a large trace or CPU profile from a small real one, so that benchmarks run on data of a real shape and any size.
//
//     node bench/generate_trace.ts SEED.gz OUT.json --copies K
//
// A Chrome trace goes on as if the page did the same again and again: the same threads, the same tree of functions, new samples, new
// events, new ids of stacks and requests. A CPU profile gets a new part of its tree with each copy, and one sample for every few nodes:
// as those of large programs, where most stacks are seen once.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { TextFile } from './text_file.ts';

type Event = Record<string, any>;

const NODES_PER_SAMPLE = 3.7;
const INTERVAL = 120; // µs

const { values, positionals } = parseArgs({ allowPositionals: true, options: { copies: { type: 'string', default: '1' } } });
const [seedPath, outPath] = positionals;
if (!seedPath || !outPath) {
  console.error('usage: generate_trace.ts SEED.gz OUT.json --copies K');
  process.exit(2);
}
const seed = JSON.parse(gunzipSync(readFileSync(seedPath)).toString());
const copies = Number(values.copies);

const out = new TextFile(outPath);
const write = (text: string): Promise<void> => out.write(text);

// --- traces -------------------------------------------------------------------------------------------------------------------------

/** The same id gets the same small number, and another one in each copy. */
class Ids {
  private known = new Map<string, number>();

  of(id: string | number, copy: number): number {
    const text = String(id);
    if (!this.known.has(text)) this.known.set(text, this.known.size + 1);
    return this.known.get(text)! + copy * 1_000_000;
  }
}

const ONCE = new Set(['Profile', 'TracingStartedInBrowser', 'TracingStartedInPage']);
const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

function renameStack(args: any, ids: Ids, copy: number): any {
  for (const key of ['beginData', 'data']) if (args[key]?.sampleTraceId) args = { ...args, [key]: { ...args[key], sampleTraceId: ids.of(args[key].sampleTraceId, copy) } };
  return args.sampleTraceId ? { ...args, sampleTraceId: ids.of(args.sampleTraceId, copy) } : args;
}

async function writeTrace(events: Event[], metadata: object): Promise<void> {
  const times = events.filter(({ ts }) => ts > 0).map(({ ts }) => ts);
  const span = times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b)) + 1000;
  const sampled = new Map<string, number>();
  for (const { name, id, args } of events) if (name === 'ProfileChunk') sampled.set(id, (sampled.get(id) ?? 0) + sum(args.data.timeDeltas ?? []));
  const ids = new Ids();
  let separator = '{"traceEvents":[\n';
  for (let copy = 0; copy < copies; copy++) {
    const begun = new Set<string>();
    for (const event of events) {
      if (copy > 0 && (event.ph === 'M' || ONCE.has(event.name))) continue;
      const changed = { ...event, args: renameStack(event.args ?? {}, ids, copy) };
      if (event.ts > 0) changed.ts += copy * span;
      if (copy > 0 && changed.args.data?.requestId) changed.args = { ...changed.args, data: { ...changed.args.data, requestId: `${changed.args.data.requestId}.${copy}` } };
      if (event.name === 'ProfileChunk') changed.args = { data: chunk(event.args.data, event.id, copy, begun) };
      await write(separator + JSON.stringify(changed));
      separator = ',\n';
    }
  }
  await write(`],\n"metadata":${JSON.stringify(metadata)}}\n`);

  function chunk(data: any, id: string, copy: number, begun: Set<string>): any {
    const { nodes, trace_ids, ...rest } = data.cpuProfile ?? {};
    const cpuProfile = { ...(copy === 0 && nodes ? { nodes } : {}), ...rest };
    if (trace_ids) cpuProfile.trace_ids = Object.fromEntries(Object.entries(trace_ids).map(([key, node]) => [ids.of(key, copy), node]));
    const timeDeltas = [...(data.timeDeltas ?? [])];
    // The samples of a copy begin as late as its events do.
    if (copy > 0 && timeDeltas.length > 0 && !begun.has(id)) {
      timeDeltas[0] += span - sampled.get(id)!;
      begun.add(id);
    }
    return { ...data, cpuProfile, timeDeltas };
  }
}

// --- CPU profiles -------------------------------------------------------------------------------------------------------------------

async function writeProfile({ nodes, startTime }: any): Promise<void> {
  const [root, ...others] = nodes;
  const most = Math.max(...nodes.map(({ id }: any) => id));
  const meta = new Set(others.filter(({ callFrame }: any) => /^\((program|idle|garbage collector)\)$/.test(callFrame.functionName)).map(({ id }: any) => id));
  // Of the nodes that stand for no function there is one for all copies.
  const shifted = (id: number, copy: number): number => (id === root.id || meta.has(id) ? id : id + copy * most);
  const children = new Set<number>();
  for (let copy = 0; copy < copies; copy++) for (const id of root.children) children.add(shifted(id, copy));
  await write(`{"nodes":[${JSON.stringify({ ...root, children: [...children] })}`);
  for (let copy = 0; copy < copies; copy++) {
    for (const node of others) {
      if (copy > 0 && meta.has(node.id)) continue;
      const changed = { ...node, id: shifted(node.id, copy) };
      if (node.children) changed.children = node.children.map((id: number) => shifted(id, copy));
      await write(`,\n${JSON.stringify(changed)}`);
    }
  }
  const seen = Array.from({ length: Math.floor(nodes.length / NODES_PER_SAMPLE) }, (_, i) => nodes[Math.floor(i * NODES_PER_SAMPLE)].id);
  await write(`],\n"startTime":${startTime},"endTime":${startTime + copies * seen.length * INTERVAL},\n"samples":[`);
  for (let copy = 0; copy < copies; copy++) await write(`${copy > 0 ? ',' : ''}${seen.map((id) => shifted(id, copy)).join()}`);
  await write('],\n"timeDeltas":[');
  for (let copy = 0; copy < copies; copy++) await write(`${copy > 0 ? ',' : ''}${seen.map((_, i) => INTERVAL + (i % 7)).join()}`);
  await write(']}\n');
}

if (seed.traceEvents) await writeTrace(seed.traceEvents, seed.metadata);
else await writeProfile(seed);
await out.close();
