// From a trace to timed calls: against Chrome DevTools' own engine, and by size.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { plot, type Line } from './plot.ts';
import { median, ratio, spread, type Series } from './statistics.ts';

const ENGINE = 'tests/compare/trace/engine_calls.ts';
const PLOT = 'bench/trace-scaling.svg';
const RUNS_BY_SIZE = 3;
const MOST_FOR_ENGINE = 120; // MB: a string of V8 ends at 512 MB, and its heap before that

type Seed = { name: string; file: string; copies: number; sizes: number[] };

/** Each of them 60 MB at first, and then from 10 MB to 1 GB. */
const SEEDS: Seed[] = [
  { name: 'Chrome trace', file: 'tests/data/trace/chrome_small.json.gz', copies: 5, sizes: [1, 3, 8, 25, 83] },
  { name: 'CPU profile', file: 'tests/data/trace/node_small.cpuprofile.gz', copies: 990, sizes: [165, 500, 1650, 5000, 16500] },
];

type Measured = { seconds: number; peakKiB: number; status: number };
type Runs = { seconds: Series; peak: Series };

function measure(runs: Runs, ...command: string[]): void {
  const measured: Measured = JSON.parse(execFileSync('build/bench/measure', command, { encoding: 'utf8' }));
  if (measured.status !== 0) throw new Error(`${command.join(' ')} failed with status ${measured.status}`);
  runs.seconds.push(measured.seconds);
  runs.peak.push(measured.peakKiB / 1024);
}

/** Both make all calls, and write nearly nothing unless they are told to write all. */
const sondeWriting = (file: string): string[] => ['build/sonde', 'calls', '--rules', '0.0.65', '--thread', 'all', '--json', file];
const sondeCommand = (file: string): string[] => [...sondeWriting(file), '--range', '0,0'];
const engineWriting = (file: string, ...options: string[]): string[] => [process.execPath, ENGINE, ...options, file];
const engineCommand = (file: string, ...options: string[]): string[] => engineWriting(file, '--count', ...options);
const none = (): Runs => ({ seconds: [], peak: [] });
const megabytes = (file: string): number => statSync(file).size / 1e6;

function withCopies<T>(folder: string, { file: seed }: Seed, copies: number, use: (file: string) => T): T {
  const file = path.join(folder, `copies-${copies}-${path.basename(seed, '.gz')}`);
  try {
    execFileSync(process.execPath, ['bench/generate_trace.ts', seed, file, '--copies', String(copies)], { stdio: 'inherit' });
    return use(file);
  } finally {
    rmSync(file, { force: true });
  }
}

/** What is in a file, so that its size can be judged. */
function contents(file: string): string {
  const { threads } = JSON.parse(execFileSync('build/sonde', sondeWriting(file).slice(1), { encoding: 'utf8', maxBuffer: 1 << 30 }));
  const calls = threads.reduce((sum: number, thread: { calls: unknown[] }) => sum + thread.calls.length, 0);
  const { traceEvents, nodes } = JSON.parse(readFileSync(file, 'utf8'));
  const size = traceEvents ? `${traceEvents.length.toLocaleString('en')} events` : `${nodes.length.toLocaleString('en')} nodes`;
  return `${megabytes(file).toFixed(1)} MB, ${size}, ${calls.toLocaleString('en')} calls`;
}

function against(folder: string, seed: Seed, repeat: number): string[] {
  return withCopies(folder, seed, seed.copies, (file) => {
    const [ours, written, profile, profileWritten, all] = [none(), none(), none(), none(), none()];
    for (let i = 0; i < repeat; i++) {
      measure(ours, ...sondeCommand(file));
      measure(profile, ...engineCommand(file));
      measure(written, ...sondeWriting(file));
      measure(profileWritten, ...engineWriting(file));
      measure(all, ...engineCommand(file, '--all'));
    }
    const row = (name: string, { seconds, peak }: Runs): string =>
      `| ${name} | ${spread(seconds, 3)} | ${ratio(seconds, ours.seconds)} | ${spread(peak, 0)} | ${ratio(peak, ours.peak)} |`;
    return [
      `### A ${seed.name} of ${contents(file)}`,
      '',
      '| | seconds | | peak MiB | |',
      '|---|---|---|---|---|',
      row('Sonde', ours),
      row('the engine, all its handlers, as DevTools runs it', all),
      row('the engine, only the handlers that calls come from', profile),
      '',
      `With all calls written as JSON it is ${spread(written.seconds, 3)} s for Sonde and ${spread(profileWritten.seconds, 3)} s for the engine with fewer handlers,`,
      `${ratio(profileWritten.seconds, written.seconds)}.`,
      '',
    ];
  });
}

function bySize(folder: string): string[] {
  const rows: string[] = [];
  const lines: Line[] = [];
  const colors = ['#3366cc', '#6699ff', '#dc3912', '#ff9900'];
  for (const seed of SEEDS) {
    const sonde: Line = { name: `Sonde, ${seed.name}`, color: colors.shift()!, points: [] };
    const engine: Line = { name: `engine, ${seed.name}`, color: colors.pop()!, points: [] };
    for (const copies of seed.sizes) {
      withCopies(folder, seed, copies, (file) => {
        const size = megabytes(file);
        const [ours, theirs] = [none(), none()];
        for (let i = 0; i < RUNS_BY_SIZE; i++) measure(ours, ...sondeCommand(file));
        const isSmall = size <= MOST_FOR_ENGINE;
        if (isSmall) measure(theirs, ...engineCommand(file));
        const seconds = Math.min(...ours.seconds);
        sonde.points.push({ x: size, y: seconds });
        if (isSmall) engine.points.push({ x: size, y: theirs.seconds[0] });
        const engineCells = isSmall ? `${theirs.seconds[0].toFixed(2)} | ${theirs.peak[0].toFixed(0)}` : '– | –';
        rows.push(`| ${seed.name}, ${size.toFixed(0)} MB | ${seconds.toFixed(3)} | ${((seconds / size) * 1000).toFixed(2)} | ${median(ours.peak).toFixed(0)} | ${engineCells} |`);
        console.log(rows.at(-1));
      });
    }
    lines.push(sonde, engine);
  }
  writeFileSync(PLOT, plot('MB', 'seconds from the file to all calls', lines));
  return [
    '### By size',
    '',
    `Sonde: least of ${RUNS_BY_SIZE} runs; the engine (only the handlers that calls come from): one run, as far as it is sure to have the memory.`,
    '',
    '| | seconds | ms per MB | peak MiB | engine, seconds | peak MiB |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    `![seconds by size, both axes logarithmic](${path.basename(PLOT)})`,
    '',
  ];
}

export function traceChapter(folder: string, repeat: number): string {
  return [
    '## From a trace to calls',
    '',
    'A whole process, from the file to the calls of all threads: `sonde calls --rules 0.0.65 --thread all --json --range 0,0`, which makes all and',
    'shows those at the very start, against `@paulirish/trace_engine` 0.0.65 in Node, which makes all and counts them; runs take turns. Both files are',
    'small recordings many times over (`bench/generate_trace.ts`).',
    '',
    ...SEEDS.flatMap((seed) => against(folder, seed, repeat)),
    ...bySize(folder),
  ].join('\n');
}
