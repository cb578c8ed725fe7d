// Measures Sonde against its peers in one run and writes bench/results.md and the plots beside it.
//
//     bench/run [--repeat N] [--only load,transforms,json,stream,markers,bindings,runtimes,scaling,capture,processes,allocations,unwind,symbols,trace,page] [--keep]
//     bench/run page [--repeat N] [--samples small,1,3.7,27] [--keep]
//     bench/run capture [--repeat N] [--before SONDE] [--no-keep]
//     bench/run truth [--repeat N] [--rows REGEXP] [--machines idle,busy] [--cpu SECONDS] [--minutes N] [--spin N] [--found] [--fresh] [--tools 'sonde,sonde without events,perf'] [--keep]
//
// Chapters can be given as words, too. `truth` takes hours, and is run only where it is asked for. `capture` as a word is all that recording
// costs, `processes` included, and is kept; --before measures the build of an older commit beside it.
//
// Machines are noisy: measurements of Sonde and of a peer alternate, are repeated, and are reported as median and range; what counts is
// the ratio. Everything generated is kept in build/bench/. The results of some chapters alone are only shown, unless --keep puts them in the
// place of those that are there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, loadavg, release, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '../tests/compare/client.ts';
import { toSonde, toUrl, type Transform } from '../tests/compare/transforms.ts';
import { allocationsChapter } from './allocations.ts';
import { bindingsChapter } from './bindings.ts';
import { captureChapter } from './capture.ts';
import { pageChapter } from './page.ts';
import { plot, type Line } from './plot.ts';
import { processesChapter } from './processes.ts';
import { runtimesChapter } from './runtimes.ts';
import { symbolsChapter } from './symbols.ts';
import { median, quantile, ratio, spread, type Series } from './statistics.ts';
import { traceChapter } from './trace.ts';
import { truthChapters } from './truth.ts';

const SEED = 'tests/data/gecko1.json.gz';
const FOLDER = 'build/bench';
const THREAD = 99; // the thread of the seed with the most CPU time
const LARGE_SAMPLES = 3_700_000;
const EVERY_NODE = 1e6; // more than there are

const ALL = 'load,transforms,json,stream,markers,bindings,runtimes,scaling,capture,processes,allocations,unwind,symbols,trace,page';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    repeat: { type: 'string' }, // 5, and 20 for truth, with those of before
    cpu: { type: 'string', default: '1' }, // seconds of a run of truth
    minutes: { type: 'string', default: 'Infinity' }, // truth: the rest is measured by another call
    fresh: { type: 'boolean', default: false }, // truth: runs of before are forgotten
    spin: { type: 'string', default: '2' }, // processes that keep the machine busy for truth
    found: { type: 'boolean', default: false }, // truth: on the machine as others leave it, each run filed as idle or busy
    only: { type: 'string', default: ALL },
    keep: { type: 'boolean' },
    before: { type: 'string' }, // an older build/sonde
    rows: { type: 'string' },
    machines: { type: 'string' },
    tools: { type: 'string' },
    samples: { type: 'string', default: 'small,1,3.7,27' }, // page: profiles by their millions of samples; 27 is 1 GB
  },
});
const repeat = Number(options.repeat ?? 5);
const chapters = new Set(positionals.length > 0 ? positionals : options.only.split(','));
for (const chapter of chapters) if (!ALL.split(',').includes(chapter) && chapter !== 'truth') throw new Error(`no chapter '${chapter}'`);
if (positionals.includes('capture')) chapters.add('processes');
const isKept = options.keep ?? positionals.includes('capture');
const missing: string[] = [];

type Measured = { seconds: number; peakKiB: number; status: number };

function measure(command: string, ...args: string[]): Measured {
  const measured: Measured = JSON.parse(execFileSync('build/bench/measure', [command, ...args], { encoding: 'utf8' }));
  if (measured.status !== 0) throw new Error(`${command} ${args.join(' ')} failed with status ${measured.status}`);
  return measured;
}

function generate(name: string, ...args: string[]): string {
  const file = path.join(FOLDER, name);
  if (!existsSync(file)) {
    console.log(`generating ${file}`);
    execFileSync(process.execPath, ['bench/generate.ts', SEED, file, ...args], { stdio: 'inherit' });
  }
  return file;
}

const megabytes = (file: string): number => statSync(file).size / 1e6;
const sonde = (...args: string[]): any => JSON.parse(execFileSync('build/sonde', args, { encoding: 'utf8', maxBuffer: 1 << 30 }));

// --- the Firefox Profiler's client --------------------------------------------------------------------------------------------------

/** The daemon of a session, asked through its socket: without the start of a process for every question. */
class Daemon {
  private folder: string;
  private id: string;

  constructor(environment: Record<string, string>, id: string) {
    this.folder = environment.PROFILER_CLI_SESSION_DIR;
    this.id = id;
  }

  private get session(): { socketPath: string; pid: number } {
    return JSON.parse(readFileSync(path.join(this.folder, `${this.id}.json`), 'utf8'));
  }

  /** Until it has ended: giving back its memory would disturb the next measurement. */
  async stop(): Promise<void> {
    const { pid } = this.session;
    process.kill(pid);
    while (existsSync(`/proc/${pid}/exe`)) await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }

  peakKiB(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.session.pid}/status`, 'utf8'))![1]);
  }

  /** Milliseconds until the answer has arrived. */
  ask(command: object): Promise<number> {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const socket = connect(this.session.socketPath);
      const pieces: string[] = []; // of up to 35 MB: looking at the whole after each would be what is measured
      socket.setEncoding('utf8');
      socket.on('error', reject);
      socket.on('data', (piece: string) => {
        pieces.push(piece);
        if (!piece.endsWith('\n')) return;
        const milliseconds = performance.now() - start;
        socket.end();
        const { type, error } = JSON.parse(pieces.join(''));
        if (type === 'success') resolve(milliseconds);
        else reject(new Error(`the client says: ${error}`));
      });
      socket.write(JSON.stringify({ type: 'command', command }) + '\n');
    });
  }
}

const treeCommand = (inverted: boolean, maxNodes: number): object => ({
  command: 'thread',
  subcommand: inverted ? 'samples-bottom-up' : 'samples-top-down',
  thread: `t-${THREAD}`,
  includeIdle: true,
  callTreeOptions: { maxNodes },
});

// --- chapters -----------------------------------------------------------------------------------------------------------------------

/** A sentence for chapters that may have been measured beside other work. */
const busy = (): string => `Load average at the end: ${loadavg()[0].toFixed(1)}, on ${cpus().length} cores; ${repeat} runs.`;

interface FirstTree {
  ours: Series;
  theirs: Series;
  ourPeak: Series;
  theirPeak: Series;
}

async function firstTree(client: Client, file: string): Promise<FirstTree> {
  const series: FirstTree = { ours: [], theirs: [], ourPeak: [], theirPeak: [] };
  for (let i = 0; i < repeat; i++) {
    const measured = measure('build/sonde', 'tree', file, '--thread', `t-${THREAD}`, '--json', '--limit', '100');
    series.ours.push(measured.seconds);
    series.ourPeak.push(measured.peakKiB / 1024);
    const start = performance.now();
    const session = await client.load(file);
    await session.command('thread', 'samples-top-down', '--thread', `t-${THREAD}`, '--include-idle', '--max-lines', '100', '--json');
    series.theirs.push((performance.now() - start) / 1000);
    const daemon = new Daemon(session.environment, session.id);
    series.theirPeak.push(daemon.peakKiB() / 1024);
    await daemon.stop();
  }
  return series;
}

/** As Firefox and most tools save a profile. */
function packed(file: string): string {
  if (!existsSync(`${file}.gz`)) execFileSync('gzip', ['--keep', '--no-name', file]);
  return `${file}.gz`;
}

async function loadChapter(client: Client, large: string): Promise<string> {
  const gz = packed(large);
  const plain = await firstTree(client, large);
  const unpacked = await firstTree(client, gz);
  const { modelBytes, stringBytes } = sonde('info', large, '--json');
  const size = megabytes(large);
  const rows = (of: string, { ours, theirs, ourPeak, theirPeak }: FirstTree): string[] => [
    `| seconds${of} | ${spread(ours, 3)} | ${spread(theirs, 2)} | ${ratio(theirs, ours)} |`,
    `| peak memory, MiB${of} | ${spread(ourPeak, 0)} | ${spread(theirPeak, 0)} | ${ratio(theirPeak, ourPeak)} |`,
    `| MB of JSON a second, with everything${of} | ${spread(ours.map((s) => size / s), 0)} | ${spread(theirs.map((s) => size / s), 0)} | |`,
  ];
  return [
    '## From a file to the first call tree',
    '',
    `A Gecko profile of ${size.toFixed(0)} MB, 3.7 million samples, plain and as \`.json.gz\` of ${megabytes(gz).toFixed(0)} MB; \`sonde tree --json --limit 100\`, the whole process, against two`,
    'commands of the client for the same: `load` and `thread samples-top-down --json --max-lines 100`.',
    '',
    '| | Sonde | client | ratio |',
    '|---|---|---|---|',
    ...rows('', plain),
    ...rows(', packed', unpacked),
    '',
    `The model of this profile takes ${(modelBytes / 1e6).toFixed(1)} MB and its strings ${(stringBytes / 1e6).toFixed(1)} MB; the first is ${((modelBytes / 1e6 / size) * 100).toFixed(1)} % of the JSON text.`,
    busy(),
    '',
  ].join('\n');
}

/** A transform of every kind, on functions that matter in this thread. */
function chooseTransforms(large: string): Transform[] {
  const { functions } = sonde('functions', large, '--thread', `t-${THREAD}`, '--json');
  const heavy = [...functions].sort((a: any, b: any) => b.total - a.total);
  const handle = (name: string): number => Number(name.slice(2));
  const path: number[] = [];
  let nodes = sonde('tree', large, '--thread', `t-${THREAD}`, '--json', '--depth', '12').nodes;
  while (nodes.length > 0 && path.length < 10) {
    path.push(handle(nodes[0].func));
    nodes = nodes[0].children;
  }
  const { meta, shared } = convertedSeed();
  const { resourceTable, funcTable, stringArray } = shared;
  const category = meta.categories.findIndex((c: { name: string }) => c.name === 'JavaScript');
  const resource = resourceTable.type.indexOf(1); // a library
  const func = handle(heavy[Math.min(20, heavy.length - 1)].func);
  const leaf = handle(functions[0].func);
  const implementation = 'combined';
  return [
    { kind: 'focus-subtree', path, implementation },
    { kind: 'focus-function', func },
    { kind: 'focus-self', func: leaf, implementation },
    { kind: 'focus-category', category, name: 'JavaScript' },
    { kind: 'merge-call-node', path, implementation },
    { kind: 'merge-function', func },
    { kind: 'drop-function', func: leaf },
    {
      kind: 'collapse-resource',
      resource,
      collapsedFunc: funcTable.length + resource,
      name: stringArray[resourceTable.name[resource]],
      implementation,
    },
    { kind: 'collapse-recursion', func },
    { kind: 'collapse-direct-recursion', func, implementation },
    { kind: 'collapse-function-subtree', func },
    { kind: 'filter-samples', type: 'marker-search', filter: 'GC' },
  ];
}

/** The generated profile has the categories, functions and libraries of its seed, in the same order. */
function convertedSeed(): any {
  const json = execFileSync('build/sonde', ['convert', SEED, '--to', 'processed', '-o', '-'], { encoding: 'utf8', maxBuffer: 1 << 30 });
  return JSON.parse(json);
}

function timeOurs(large: string, items: string[]): Map<string, Series> {
  const args = [large, String(THREAD), String(repeat), ...items];
  const lines = execFileSync('build/bench/bench_tree', args, { encoding: 'utf8' }).trim().split('\n');
  return new Map(lines.map((line) => [JSON.parse(line).item, JSON.parse(line).ms]));
}

async function timeTheirs(client: Client, large: string, transforms: string, inverted: boolean, maxNodes = 100): Promise<Series> {
  const series: Series = [];
  for (let i = 0; i < Math.min(repeat, 3); i++) {
    const session = await client.load(large, transforms ? { thread: String(THREAD), transforms } : {});
    const daemon = new Daemon(session.environment, session.id);
    series.push(await daemon.ask(treeCommand(inverted, maxNodes)));
    await daemon.stop();
  }
  return series;
}

async function transformsChapter(client: Client, large: string): Promise<string> {
  const transforms = chooseTransforms(large);
  const items = transforms.map((transform) => toSonde(transform, 'combined'));
  const ours = timeOurs(large, ['plain', 'inverted', 'inverted-all', ...items]);
  const rows: string[] = [];
  const row = (name: string, our: Series, their: Series | null): void => {
    rows.push(`| ${name} | ${spread(our, 2)} | ${their ? spread(their, 0) : '–'} | ${their ? ratio(their, our) : '–'} |`);
    console.log(rows.at(-1));
  };
  row('no transform', ours.get('plain')!, await timeTheirs(client, large, '', false));
  row('inverted, what is shown first', ours.get('inverted')!, await timeTheirs(client, large, '', true));
  row('inverted, every node', ours.get('inverted-all')!, await timeTheirs(client, large, '', true, EVERY_NODE));
  for (const [i, transform] of transforms.entries())
    row(transform.kind, ours.get(items[i])!, await timeTheirs(client, large, toUrl(transform), false));
  return [
    '## From a loaded profile to a tree',
    '',
    'Milliseconds from the profile in memory to the tree of the busiest thread, everything that comes between included: on our side the view, the',
    'filters, the transform, call nodes and timings; on the side of the client its first answer after `load`, asked through its socket. The client',
    'makes the nodes of a tree as they are asked for, a hundred in each row but `every node`, and sends them as JSON.',
    busy(),
    '',
    '| | Sonde | client | ratio |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** The programs print `walk 891.3 MB/s …`, the best of several times; the peer a second line for the walk without reading the file. */
function speeds(program: string, large: string): number[] {
  const output = execFileSync(program, [large, '5'], { encoding: 'utf8' });
  return [...output.matchAll(/^(?:walk|load)\s+([\d.]+) MB\/s/gm)].map((match) => Number(match[1]));
}

function jsonChapter(large: string): string {
  const peer = 'build/bench/bench_simdjson';
  const loading: Series = [], walking: Series = [], peerReading: Series = [], peerWalking: Series = [];
  for (let i = 0; i < repeat; i++) {
    loading.push(speeds('build/bench/bench_load', large)[0]);
    walking.push(speeds('build/bench/bench_json', large)[0]);
    if (existsSync(peer)) {
      const [reading, inMemory] = speeds(peer, large);
      peerReading.push(reading);
      peerWalking.push(inMemory);
    }
  }
  const hasPeer = peerReading.length > 0;
  if (!hasPeer) missing.push('simdjson (Debian: libsimdjson-dev)');
  const row = (name: string, series: Series): string =>
    `| ${name} | ${spread(series, 0)} | ${hasPeer ? `${(median(series) / median(peerReading)).toFixed(2)}×` : '–'} |`;
  return [
    '## Reading JSON',
    '',
    'MB of JSON a second on one core, on the same file. Walking: every value is looked at, numbers become doubles, strings are unescaped, nothing is kept.',
    'Loading: the profile with all its tables. Both include reading the file, but for the last row. simdjson is built for this very CPU, Sonde for any.',
    '',
    '| | MB/s | against simdjson |',
    '|---|---|---|',
    row('Sonde, loading', loading),
    row('Sonde, walking', walking),
    ...(hasPeer ? [row('simdjson on demand, walking', peerReading), row('simdjson on demand, walking what is in memory', peerWalking)] : []),
    '',
  ].join('\n');
}

/** The program prints `stream 598.5 MB/s, 601.2 by CPU time: 97.1 MB of JSON from a session of 15.9 MB; peak memory 15696 KiB`. */
function streamChapter(): string {
  const clock: Series[] = [[], []], cpu: Series[] = [[], []], peak: Series = [];
  const outputs = ['/dev/null', path.join(FOLDER, 'stream.json')];
  let json = 0, session = 0;
  for (let i = 0; i < repeat; i++) {
    for (const [place, out] of outputs.entries()) {
      const output = execFileSync('build/bench/bench_gecko_stream', ['5', out], { encoding: 'utf8' });
      const numbers = [...output.matchAll(/[\d.]+/g)].map(Number);
      clock[place].push(numbers[0]);
      cpu[place].push(numbers[1]);
      [json, session] = numbers.slice(2, 4);
      peak.push(numbers[4] / 1024);
    }
  }
  return [
    '## Writing a session as JSON',
    '',
    `The Gecko profile of a session of ${session.toFixed(0)} MB, ${json.toFixed(0)} MB of JSON: 24 threads at 1 kHz, of which 4 run, in 270,000 stacks; with 12,000 markers. One pass over`,
    'the session, everything included; each run is the best of 5. Memory is that of the whole program, which also makes the session.',
    '',
    '| MB/s | by the clock | by CPU time |',
    '|---|---|---|',
    ...['to nowhere', 'to a file'].map((name, i) => `| ${name} | ${spread(clock[i], 0)} | ${spread(cpu[i], 0)} |`),
    '',
    `Peak memory: ${spread(peak, 0)} MiB.`,
    '',
  ].join('\n');
}

/** The program prints a line for each item and number of threads: {"item": "instant", "threads": 1, "ns": [31.2, …]}. */
function markersChapter(): string {
  const rounds = 40 * repeat;
  const lines = execFileSync('build/bench/bench_marker', [String(rounds)], { encoding: 'utf8' }).trim().split('\n');
  const measured = new Map<string, Series>(lines.map((line) => JSON.parse(line)).map(({ item, threads, ns }) => [`${item} ${threads}`, ns]));
  const series = (item: string, threads: number): Series => measured.get(`${item} ${threads}`)!;
  const cell = (item: string, threads: number): string => {
    const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(series(item, threads), q).toFixed(item === 'off' ? 2 : 1));
    return `${middle} [${low}, ${high}]`;
  };
  const row = (name: string, item: string): string => `| ${name} | ${cell(item, 1)} | ${cell(item, 2)} |`;
  const beyond = median(series('interval', 1)) - 2 * median(series('clock', 1));
  return [
    '## A marker',
    '',
    `Nanoseconds for one, median [quartiles] of ${rounds} batches of 10,000; with one thread, and with two that mark at the same time. The peer puts events of 48`,
    'bytes into a ring under a mutex.',
    '',
    '| | one thread | two threads |',
    '|---|---|---|',
    row('one reading of the clock', 'clock'),
    row('a marker while nothing is recorded', 'off'),
    row('a moment (one reading of the clock)', 'instant'),
    row('… under a mutex', 'mutex'),
    row('an interval (two readings)', 'interval'),
    row('… under a mutex', 'mutex interval'),
    row('an interval with a text, until the end of a block', 'scope'),
    row('an interval with three fields', 'typed'),
    '',
    `An interval costs its two readings of the clock and ${beyond.toFixed(1)} ns. With two threads the mutex is ${ratio(series('mutex', 2), series('instant', 2))} as dear for moments and ${ratio(series('mutex interval', 2), series('interval', 2))} for intervals.`,
    '',
  ].join('\n');
}

function scalingChapter(): string {
  const sizes = [1e4, 1e5, 1e6, 1e7];
  const copies = [1, 2, 4, 8, 16];
  const least = (run: () => number): number => Math.min(...Array.from({ length: Math.max(3, Math.ceil(repeat / 2)) }, run));
  const bySamples: Line = { name: 'samples', color: '#0b7285', points: [] };
  const byStacks: Line = { name: 'stacks', color: '#c92a2a', points: [] };
  const rows: string[] = [];
  const run = (file: string): number =>
    least(() => measure('build/sonde', 'tree', file, '--thread', 'all', '--json', '--limit', '100').seconds);
  for (const size of sizes) {
    const file = generate(`samples-${size}.json`, '--samples', String(size));
    const seconds = run(file);
    bySamples.points.push({ x: size, y: seconds });
    rows.push(`| ${size.toLocaleString('en')} samples | ${megabytes(file).toFixed(0)} | ${seconds.toFixed(3)} | ${((seconds / megabytes(file)) * 1000).toFixed(2)} |`);
    console.log(rows.at(-1));
  }
  for (const count of copies) {
    const file = generate(`copies-${count}.json`, '--copies', String(count));
    const stacks = 81624 * count;
    const seconds = run(file);
    byStacks.points.push({ x: stacks, y: seconds });
    rows.push(`| ${stacks.toLocaleString('en')} stacks | ${megabytes(file).toFixed(0)} | ${seconds.toFixed(3)} | ${((seconds / megabytes(file)) * 1000).toFixed(2)} |`);
    console.log(rows.at(-1));
  }
  writeFileSync('bench/scaling.svg', plot('samples, or stacks', 'seconds to the tree of all threads', [bySamples, byStacks]));
  return [
    '## Cost by size',
    '',
    '`sonde tree --thread all`, the whole process, least of several runs. First the samples of the seed are thinned out or repeated (10 MB of other',
    'data stay the same), then all its processes are copied, with their stacks, frames, strings and markers.',
    '',
    '| | MB | seconds | ms per MB |',
    '|---|---|---|---|',
    ...rows,
    '',
    '![seconds by samples and stacks, both axes logarithmic](scaling.svg)',
    '',
  ].join('\n');
}

/** The program measures both from the same registers and prints, for each, the least and the median of many rounds. */
function unwindChapter(): string {
  type Costs = Record<'warm' | 'different' | 'evicted', Series>;
  const costs = new Map<string, Costs>();
  for (let i = 0; i < repeat; i++) {
    for (const line of execFileSync('build/bench/bench_unwind', ['--json'], { encoding: 'utf8' }).trim().split('\n')) {
      const { method, ...measured } = JSON.parse(line);
      const series = costs.get(method) ?? { warm: [], different: [], evicted: [] };
      for (const name of ['warm', 'different', 'evicted'] as const) series[name].push(measured[name][1]);
      costs.set(method, series);
    }
  }
  const ours = costs.get('sonde')!;
  const theirs = costs.get('libunwind unw_step');
  if (!theirs) missing.push('libunwind (Debian: libunwind-dev)');
  const row = (title: string, name: keyof Costs): string =>
    `| ${title} | ${spread(ours[name], 1)} | ${theirs ? spread(theirs[name], 0) : '–'} | ${theirs ? ratio(theirs[name], ours[name]) : '–'} |`;
  return [
    '## Unwinding a stack',
    '',
    'Nanoseconds per frame, stacks of 30 frames in code without frame pointers, from saved registers; against `unw_step` of libunwind. At a sample',
    'each millisecond the caches are cold: the last row is what a program pays.',
    '',
    '| | Sonde | libunwind | ratio |',
    '|---|---|---|---|',
    row('the same stack again', 'warm'),
    row('256 different stacks in turn', 'different'),
    row('another stack, second-level cache evicted', 'evicted'),
    '',
  ].join('\n');
}

/** The text with one chapter exchanged, or added at the end. */
function withChapter(results: string, chapter: string): string {
  const heading = chapter.split('\n', 1)[0];
  const chapters = results.split(/^(?=## )/m);
  const at = chapters.findIndex((old) => old.split('\n', 1)[0] === heading);
  const isLast = at < 0 || at === chapters.length - 1;
  if (at < 0) chapters[chapters.length - 1] += '\n';
  chapters.splice(at < 0 ? chapters.length : at, at < 0 ? 0 : 1, isLast ? chapter : `${chapter}\n`);
  return chapters.join('');
}

/** Title and path. */
function pageFiles(): [string, string][] {
  return options.samples.split(',').map((millions) => {
    if (millions === 'small') return ['31 k samples', SEED];
    const samples = Number(millions) * 1e6;
    return [`${millions} M samples`, generate(samples === LARGE_SAMPLES ? 'large.json' : `page-${millions}.json`, '--samples', String(samples))];
  });
}

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const isLoaded = ['load', 'transforms', 'json'].some((chapter) => chapters.has(chapter));
  const large = isLoaded ? generate('large.json', '--samples', String(LARGE_SAMPLES)) : '';
  const client = chapters.has('load') || chapters.has('transforms') ? await Client.start() : null;
  const parts: string[] = [];
  try {
    if (client && chapters.has('load')) parts.push(await loadChapter(client, large));
    if (client && chapters.has('transforms')) parts.push(await transformsChapter(client, large));
    if (chapters.has('json')) parts.push(jsonChapter(large));
    if (chapters.has('stream')) parts.push(streamChapter());
    if (chapters.has('markers')) parts.push(markersChapter());
    if (chapters.has('bindings')) parts.push(bindingsChapter(FOLDER, repeat, missing));
    if (chapters.has('runtimes')) parts.push(runtimesChapter(FOLDER, repeat, missing));
    if (chapters.has('scaling')) parts.push(scalingChapter());
    if (chapters.has('capture')) parts.push(captureChapter(missing, { repeat, before: options.before }));
    if (chapters.has('processes')) parts.push(processesChapter(FOLDER, repeat));
    if (chapters.has('allocations')) parts.push(allocationsChapter(FOLDER, repeat, missing));
    if (chapters.has('unwind')) parts.push(unwindChapter());
    if (chapters.has('symbols')) parts.push(await symbolsChapter(FOLDER, repeat, missing));
    if (chapters.has('trace')) parts.push(traceChapter(FOLDER, repeat));
    if (chapters.has('page')) parts.push(await pageChapter(FOLDER, repeat, missing, pageFiles()));
    if (chapters.has('truth')) {
      const { found, fresh, rows, machines, tools } = options;
      const [cpu, minutes, spin] = [options.cpu, options.minutes, options.spin].map(Number);
      parts.push(...truthChapters(FOLDER, missing, { runs: Number(options.repeat ?? 20), cpu, minutes, spin, found, fresh, rows, machines, tools }));
    }
  } finally {
    client?.stop();
  }
  const head = [
    '# Results of `./dev bench`',
    '',
    `${cpus()[0].model}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}; shared and noisy. Numbers are the median of ${repeat} runs (up to 3`,
    'for the client under transforms) with the least and the greatest in brackets; ratios are ratios of medians. The client is that of the Firefox Profiler',
    `(\`@firefox-devtools/profiler-cli\`) on Node ${process.versions.node}. Peers that were missing: ${missing.join(', ') || 'none'}.`,
    '',
  ].join('\n');
  const results = [head, ...parts].join('\n');
  console.log(`\n${results}`);
  // The chapters that are not part of every run stay as they were.
  const old = existsSync('bench/results.md') ? readFileSync('bench/results.md', 'utf8') : '';
  const truth = old.split(/^(?=## )/m).filter((chapter) => chapter.startsWith('## Truth')).map((chapter) => chapter.trimEnd() + '\n');
  if (ALL.split(',').every((chapter) => chapters.has(chapter)))
    writeFileSync('bench/results.md', chapters.has('truth') ? results : truth.reduce(withChapter, results));
  else if (isKept) writeFileSync('bench/results.md', parts.reduce(withChapter, readFileSync('bench/results.md', 'utf8')));
}

await main();
