// What being recorded costs a program: slowdown against other profilers, time held, blocked threads, interrupted calls, room.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median, quantile, spread, type Series } from './statistics.ts';

const PAIRS = 30;
const TURNS = 1400; // of each waiting thread, 7 ms apart: ten seconds
const LIMIT = 2 << 20;
const LIMIT_SECONDS = 8;
const BLOCKED_ROUNDS = 5;
const SHORT_THREADS = 10_000;
const SHORT_ROUNDS = 9;
const DAY = 86_400;

type Figures = Record<string, number> & { held: number[] };
type Method = Figures & { method: string; slowdown: Series; cpu?: number; samples?: number; bytes?: number };

const program = (name: string, ...args: string[]): string =>
  execFileSync(`build/bench/bench_${name}`, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 });

const quartiles = (series: Series): string =>
  `${median(series).toFixed(1)} [${quantile(series, 0.25).toFixed(1)}, ${quantile(series, 0.75).toFixed(1)}]`;

/** Bucket i counts what took less than 2^i × 64 ns. The place within a bucket is taken to be even. In µs. */
export function heldQuantile(held: number[], q: number): number {
  const total = held.reduce((sum, count) => sum + count, 0);
  let left = total * q;
  for (const [i, count] of held.entries()) {
    const low = i === 0 ? 0 : 64 * 2 ** (i - 1);
    if (left <= count && count > 0) return (low + ((64 * 2 ** i - low) * left) / count) / 1000;
    left -= count;
  }
  return NaN;
}

const NAMES: Record<string, string> = {
  control: 'nothing (control)',
  wake: 'a thread that wakes at 1 kHz and does nothing',
  sonde: 'Sonde',
  perf: '`perf record -g` (frame pointers)',
  gperftools: 'gperftools (its timer is limited by the kernel)',
};

function slowdown(missing: string[]): string[] {
  const wanted = Object.keys(NAMES);
  const lines = program('windows', String(PAIRS), ...wanted).trim().split('\n');
  const methods: Method[] = lines.map((line) => JSON.parse(line));
  const found = new Map(methods.map((method) => [method.method, method]));
  if (!found.has('perf')) missing.push('perf (Debian: linux-perf; it may also be forbidden)');
  if (!found.has('gperftools')) missing.push('gperftools (Debian: libgoogle-perftools4)');
  const number = (value: number | undefined, digits: number): string => (value === undefined ? '' : value.toFixed(digits));
  const rows = methods.map(
    ({ method, slowdown, cpu, samples, bytes }) =>
      `| ${NAMES[method]} | ${quartiles(slowdown)} | ${number(cpu, 1)} | ${number(samples && samples * 100, 0)} | ${number(bytes, 0)} |`,
  );
  const sonde = found.get('sonde')!;
  const perf = found.get('perf');
  const difference = perf && sonde.slowdown.map((percent, i) => percent - perf.slowdown[i]);
  const held = (q: number): string => heldQuantile(sonde.held, q).toFixed(1);
  return [
    '## What being recorded costs',
    '',
    `Two CPU-bound threads on stacks of 32 frames, looked at 1000 times a second. Slowdown in percent, median and quartiles of ${PAIRS} pairs of windows of`,
    '400 ms, one with and one without, next to each other in one process that never stops; the pairs of the methods take turns. A window begins 0.3 s after',
    'the switch: in the first tenth of a second of a recording Sonde asks the threads one by one, which costs about 1 point more. Own CPU in percent of a core,',
    'samples in percent of those that were due.',
    '',
    '| | slowdown, % | own CPU | samples | bytes per sample |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...(difference ? [`Sonde minus perf, pair by pair: ${quartiles(difference)} points.`] : []),
    `A thread is held in Sonde's signal handler for ${held(0.5)} µs at the median and ${held(0.99)} µs at the 99th percentile (${sonde.signalled} samples; from a`,
    'histogram whose steps are factors of two).',
    '',
  ];
}

function blocked(): string[] {
  const { nothing, waking, recording, ticks, ticksIdle, signalled, remote } = JSON.parse(program('blocked', String(BLOCKED_ROUNDS)));
  return [
    '### Eight blocked threads',
    '',
    `CPU time of the whole process in percent of a core; median and range of ${BLOCKED_ROUNDS} seconds each, taking turns, each after half a second of waiting.`,
    '',
    '| | % of a core |',
    '|---|---|',
    `| not recorded | ${spread(nothing, 3)} |`,
    `| with a thread that wakes at 1 kHz and does nothing | ${spread(waking, 3)} |`,
    `| recorded at 1 kHz | ${spread(recording, 3)} |`,
    '',
    `Of ${ticks} ticks ${ticksIdle} were slept through; ${signalled} threads were sent a signal, and ${remote} stacks were taken from outside. All else was as before.`,
    '',
  ];
}

/** The environment in which a program records itself. */
const recordedInto = (folder: string): Record<string, string> => ({
  LD_PRELOAD: path.resolve('build/src/capture/libsonde-preload.so'),
  SONDE_STARTUP: '1',
  SONDE_SESSION: folder,
});

function shortThreads(): string[] {
  const measure = (environment: Record<string, string>): { wall: number; cpu: number } =>
    JSON.parse(
      execFileSync('build/bench/bench_short_threads', [String(SHORT_THREADS)], { encoding: 'utf8', env: { ...process.env, ...environment } }),
    );
  const rounds = Array.from({ length: SHORT_ROUNDS }, () => {
    const plain = measure({});
    const folder = mkdtempSync(path.join(tmpdir(), 'sonde-bench-'));
    const recorded = measure(recordedInto(folder));
    rmSync(folder, { recursive: true });
    return { plain, recorded };
  });
  const row = (name: string, of: (round: (typeof rounds)[number]) => { wall: number; cpu: number }): string =>
    `| ${name} | ${spread(rounds.map((round) => of(round).wall), 1)} | ${spread(rounds.map((round) => of(round).cpu), 1)} |`;
  const ratio = median(rounds.map(({ plain, recorded }) => recorded.cpu / plain.cpu));
  return [
    '### Short threads',
    '',
    `To make a thread that does nothing and to wait for its end, in µs; median and range of ${SHORT_ROUNDS} runs of ${SHORT_THREADS}, taking turns. CPU time is that of the`,
    `whole process, the sampler included: recorded, it is ${ratio.toFixed(2)} times as much.`,
    '',
    '| | by the clock | CPU time |',
    '|---|---|---|',
    row('not recorded', ({ plain }) => plain),
    row('recorded at 1 kHz', ({ recorded }) => recorded),
    '',
  ];
}

/** The chaos target counts how often its waits ended with EINTR. */
function interruptions(environment: Record<string, string>): { count: number; waits: number; seconds: number } {
  const start = performance.now();
  const { stderr } = spawnSync('build/tests/chaos/chaos_interrupted', [String(TURNS), '7000'], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  const [, count, waits] = /note: (\d+) of (\d+) waits/.exec(stderr)!;
  return { count: Number(count), waits: Number(waits), seconds: (performance.now() - start) / 1000 };
}

function interrupted(): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'sonde-bench-'));
  const plain = interruptions({});
  const recorded = interruptions(recordedInto(folder));
  const figures: Figures = JSON.parse(program('session_figures', folder));
  const perMinute = ({ count, seconds }: { count: number; seconds: number }): string => ((count / seconds) * 60).toFixed(1);
  return [
    '### Interrupted calls',
    '',
    `Twelve threads that wait in \`read\`, \`poll\`, \`select\`, \`epoll_wait\`, \`sem_wait\`, \`nanosleep\`, \`accept\`, \`recv\`, \`msgrcv\`, \`semop\` …, ${recorded.waits} waits of some`,
    `milliseconds each. EINTR seen by the program, a minute: ${perMinute(plain)} by itself, ${perMinute(recorded)} recorded at 1 kHz (${recorded.count} in ${recorded.seconds.toFixed(0)} s).`,
    `${figures.signalled} signals were sent, ${figures.interruptedCalls} of them to threads known to be blocked; ${figures.remote + figures.same} samples came without one.`,
    '',
  ];
}

function room(): string[] {
  const { limit, fileBytes, badEntries, keptSeconds, chunksRecycled, ticks, signalled } = JSON.parse(program('limit', String(LIMIT_SECONDS), String(LIMIT)));
  const written = fileBytes + chunksRecycled * 65536;
  const MiB = 2 ** 20;
  return [
    '### A day at 1 kHz',
    '',
    `Simulated by a limit of ${limit / MiB} MiB instead of 128: ${ticks} ticks at 10 kHz with ${signalled} stacks, and markers from two threads, wrote ${(written / MiB).toFixed(0)} MiB, ${(written / limit).toFixed(0)} times the limit`,
    `(as much as ${((written / limit) * 128).toFixed(0)} MiB are to the usual limit: ${(((written / limit) * 128 * MiB) / DAY / 1000).toFixed(0)} bytes for each of a day's 86.4 million ticks). The file took ${fileBytes} bytes, ${((fileBytes / limit) * 100).toFixed(1)} % of the limit; the last`,
    `${keptSeconds.toFixed(2)} s could be read, with ${badEntries} bad entries.`,
    '',
  ];
}

export function captureChapter(missing: string[]): string {
  if (!existsSync('build/tests/chaos/chaos_interrupted')) throw new Error('build/ is not complete');
  return [...slowdown(missing), ...blocked(), ...shortThreads(), ...interrupted(), ...room()].join('\n');
}
