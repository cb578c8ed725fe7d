// What being recorded costs: busy threads, blocked threads, many processes, short lives, interrupted calls, the limit of a recording.
//
// Everything is measured as whole commands, each beside the same command without a profiler, in turns whose order changes. The measured
// programs read their own CPU clock and that of their parent (bench/costs.h), which is the profiler.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median, quantile, spread, type Series } from './statistics.ts';

const SONDE = 'build/sonde';
const BUSY_ROUNDS = 4; // for each of `repeat`, as the next two
const BLOCKED_ROUNDS = 1;
const LIVES_ROUNDS = 2;
const BUSY_UNITS = 3_000_000; // about 2 s of CPU time for each of two threads
const BLOCKED_SECONDS = 5;
const MANY = { processes: 200, threads: 4, seconds: 10, buffer: '64MiB' };
const TURNS = 1400; // of each waiting thread, 7 ms apart: ten seconds
const LIMIT = 2 << 20;
const LIMIT_SECONDS = 8;
const MiB = 2 ** 20;

export type CaptureOptions = { repeat: number; before?: string };

type Costs = { wall: number; own: number; children: number; parent: number };
type Figures = { byEvents: number; byTicks: number; lost: number; bytes: number };
type Quality = { taken: number; lost: number; looks?: number; looksMs?: number; notSampledMs?: number; stoppedMsP50: number | null; stoppedMsP99: number | null; notes: string[] };
/** `whole`: CPU seconds of the command as a whole, all its processes until the last has ended. */
type Run<Printed> = { printed: Printed; whole: number; quality?: Quality; cpuMs?: number; durationMs?: number; figures?: Figures; samples?: number; bytes?: number };
type Place = { profile: string; session: string; data: string };
type Tool = { name: string; before: (place: Place) => string[]; sonde?: string; isPerf?: boolean; records?: boolean };

// --- running a program under a profiler -----------------------------------------------------------------------------------------------------

const record =
  (sonde: string, ...around: string[]) =>
  ({ profile, session }: Place): string[] => [...around, sonde, 'record', '-s', '--no-symbols', '--session', session, '-o', profile];

const NONE: Tool = { name: 'no profiler', before: () => [] };
const EVENTS: Tool = { name: 'Sonde, with events', before: record(SONDE), sonde: SONDE };
const TICKS: Tool = { name: 'Sonde, where events are refused', before: record(SONDE, 'build/bench/refuse_events'), sonde: SONDE };
const ITSELF: Tool = { name: 'Sonde, recording itself through the API', before: () => [], records: true };
const PERF: Tool = { name: '`perf record -g -F 1000 -e cpu-clock`', before: ({ data }) => ['perf', 'record', '-g', '-F', '1000', '-e', 'cpu-clock', '-o', data], isPerf: true };
const old = (sonde: string | undefined): Tool[] => (sonde ? [{ name: 'Sonde before, `--rate 1000`', before: (place) => [...record(sonde)(place), '--rate', '1000'], sonde }] : []);

/** Where sessions are by default: in memory, unless TMPDIR says otherwise. On a disk each process costs a third of a millisecond more. */
export const sessionParent = (): string => process.env.TMPDIR ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

function within<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(path.join(sessionParent(), 'sonde-bench-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function infoOf(sonde: string, profile: string): { quality: Quality; cpuMs: number; durationMs: number } {
  const { quality, threads, meta } = JSON.parse(execFileSync(sonde, ['info', '--json', profile], { encoding: 'utf8', maxBuffer: 1 << 30 }));
  return { quality, durationMs: meta.duration, cpuMs: threads.reduce((sum: number, { cpuMs }: { cpuMs?: number }) => sum + (cpuMs ?? 0), 0) };
}

/** The program writes a line of JSON to the file that is put in place of OUT; SESSION is the folder of the recording. */
function run<Printed>(tool: Tool, program: string, args: string[], options: string[] = []): Run<Printed> {
  return within((folder) => {
    const place: Place = { profile: path.join(folder, 'profile.json'), session: path.join(folder, 'session'), data: path.join(folder, 'perf.data') };
    const out = path.join(folder, 'out.json');
    const words = args.map((word) => (word === 'OUT' ? out : word === 'SESSION' ? place.session : word));
    const before = tool.before(place);
    const command = [...before, ...(tool.sonde ? options : []), ...(before.length > 0 ? ['--'] : []), `build/bench/bench_${program}${tool.records ? '_itself' : ''}`, ...words];
    const { stdout, stderr, status } = spawnSync('build/bench/measure', command, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const measured = status === 0 ? JSON.parse(stdout) : { status };
    if (measured.status !== 0) throw new Error(`${command.join(' ')} failed with status ${measured.status}\n${stderr}`);
    const result: Run<Printed> = { printed: JSON.parse(readFileSync(out, 'utf8')), whole: measured.cpu };
    if (tool.sonde) Object.assign(result, infoOf(tool.sonde, place.profile));
    // A session of another version cannot be read by these programs.
    if (tool.sonde === SONDE) result.figures = JSON.parse(execFileSync('build/bench/bench_session_figures', [place.session], { encoding: 'utf8' }));
    if (tool.records) result.figures = result.printed as unknown as Figures;
    if (result.figures) Object.assign(result, { samples: result.figures.byEvents + result.figures.byTicks, bytes: result.figures.bytes });
    // "[ perf record: Captured and wrote 0.123 MB FILE (4567 samples) ]"
    if (tool.isPerf) Object.assign(result, { samples: Number(/\((\d+) samples\)/.exec(stderr)?.[1] ?? 0), bytes: statSync(place.data).size });
    return result;
  });
}

/** Each tool once a round; the first of a round is another one each time. */
function rounds<R>(count: number, tools: Tool[], measure: (tool: Tool) => R): Map<Tool, R[]> {
  const results = new Map<Tool, R[]>(tools.map((tool) => [tool, []]));
  for (let round = 0; round < count; round++)
    for (let i = 0; i < tools.length; i++) {
      const tool = tools[(i + round) % tools.length];
      results.get(tool)!.push(measure(tool));
    }
  return results;
}

const quartiles = (series: Series, digits = 1): string => {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(series, q).toFixed(digits));
  return `${middle} [${low}, ${high}]`;
};

const everything = ({ own, children, parent }: Costs): number => own + children + parent;

/** By how many percent each run is more than that without a profiler in its round. */
const more = <P>(runs: Run<P>[], plain: Run<P>[], of: (run: Run<P>) => number): Series => runs.map((run, i) => (of(run) / of(plain[i]) - 1) * 100);

// --- what is said of a part: its section, and its rows of the table before and after --------------------------------------------------------

/** `now` and `again` (the build of before, in this run) are the same figure; `published` is what results.md said of commit 44860c3. */
type Row = { title: string; published: string; again?: string; now: string; goal?: string };
type Part = { rows: Row[]; text: string[] };

function busy(rounds_: number, missing: string[], before: Tool[]): Part {
  const hasPerf = spawnSync('perf', ['record', '-g', '-e', 'cpu-clock', '-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
  if (!hasPerf) missing.push('perf (Debian: linux-perf; it may also be forbidden)');
  const control: Tool = { ...NONE, name: 'no profiler (control)' };
  const tools = [NONE, EVENTS, TICKS, ITSELF, ...(hasPerf ? [PERF] : []), ...before, control];
  const runs = rounds(rounds_, tools, (tool) => run<Costs>(tool, 'busy', [String(BUSY_UNITS), 'OUT']));
  const plain = runs.get(NONE)!;
  const untilEnd = (tool: Tool): Series => more(runs.get(tool)!, plain, ({ printed }) => everything(printed));
  const inProgram = (tool: Tool): Series => more(runs.get(tool)!, plain, ({ printed }) => printed.own);
  const recorder = (tool: Tool): Series => runs.get(tool)!.map(({ printed }) => (printed.parent / everything(printed)) * 100);
  const line = (tool: Tool): string => {
    const all = runs.get(tool)!;
    // The samples of before are those of waiting threads, too.
    const samples = before.includes(tool) ? [] : all.filter((one) => one.samples !== undefined);
    const due = samples.map((one) => (one.samples! / (one.printed.own * 1000)) * 100);
    const bytes = all.filter((one) => one.bytes !== undefined && one.samples! > 0).map((one) => one.bytes! / one.samples!);
    const cells = [
      tool.name,
      quartiles(untilEnd(tool)),
      quartiles(inProgram(tool)),
      tool === control || tool.records ? '' : quartiles(recorder(tool)),
      tool.records ? '' : quartiles(more(all, plain, ({ whole }) => whole)),
      quartiles(more(all, plain, ({ printed }) => printed.wall)),
      due.length > 0 ? median(due).toFixed(0) : '',
      bytes.length > 0 ? median(bytes).toFixed(0) : '',
    ];
    return `| ${cells.join(' | ')} |`;
  };
  const held = (tool: Tool, key: 'stoppedMsP50' | 'stoppedMsP99'): string => {
    const series = runs.get(tool)!.flatMap(({ quality }) => (quality?.[key] == null ? [] : [quality[key] * 1000]));
    return series.length > 0 ? quartiles(series) : '–';
  };
  const heldLine = (tool: Tool): string => `| ${tool.name} | ${held(tool, 'stoppedMsP50')} | ${held(tool, 'stoppedMsP99')} |`;
  const lost = (tool: Tool): number => runs.get(tool)!.reduce((sum, { figures }) => sum + (figures?.lost ?? 0), 0);
  const again = (of: (tool: Tool) => string): string | undefined => (before.length > 0 ? of(before[0]) : undefined);
  const percents = (tool: Tool): string => quartiles(untilEnd(tool));
  const perf = hasPerf ? `perf: ${percents(PERF)}` : 'not above perf';
  return {
    rows: [
      { title: 'two busy threads: CPU time of everything, % more, with events', published: '1.6 [0.2, 3.2] by the clock', again: again(percents), now: percents(EVENTS), goal: perf },
      { title: '… where events are refused', published: '', now: percents(TICKS), goal: perf },
      { title: '… of the program alone, with events', published: '', again: again((tool) => quartiles(inProgram(tool))), now: quartiles(inProgram(EVENTS)), goal: hasPerf ? `perf: ${quartiles(inProgram(PERF))}` : '' },
      { title: '… recording itself through the API', published: '', now: percents(ITSELF) },
      { title: 'held in the handler, µs a sample, median', published: '1.7', again: again((tool) => held(tool, 'stoppedMsP50')), now: held(EVENTS, 'stoppedMsP50'), goal: 'as before' },
      { title: '… 99th percentile', published: '4.1', again: again((tool) => held(tool, 'stoppedMsP99')), now: held(EVENTS, 'stoppedMsP99'), goal: 'as before' },
    ],
    text: [
      '### Two busy threads',
      '',
      `Two CPU-bound threads on stacks of 32 frames with a fixed amount of work, 2 s of CPU time each, at 1 kHz: percent more than without a profiler in the same round, median`,
      `[quartiles] of ${rounds_} rounds, in which the tools take turns.`,
      '',
      '- Until the program ends: CPU time of the program and of the profiler from their starts to the end of the work, without what the profiler does afterwards. For a program',
      '  that records itself: with start and stop of the recording and its background thread, and no profile made.',
      "- The program alone: its own CPU time, in which are interrupts and handlers. It grows with the work; much of what a profiler's process takes does not (`perf record` needs",
      '  some 0.14 s for its start), so this column is what counts for long runs.',
      "- Profiler's share: CPU time of its process, in percent of that of everything.",
      '- The whole command: until everything has ended, the profile (without symbols) or `perf.data` included.',
      '- Samples: in percent of the milliseconds of CPU time of the program.',
      '',
      "| | until the program ends, % | the program alone, % | profiler's share, % | the whole command, % | by the clock, % | samples, % | bytes per sample |",
      '|---|---|---|---|---|---|---|---|',
      ...tools.filter((tool) => tool !== NONE).map(line),
      '',
      `Samples lost in all rounds: ${lost(EVENTS)} with events, ${lost(TICKS)} without, ${lost(ITSELF)} recording itself.`,
      '',
      'How long a sample holds its thread in the handler, in µs, as `sonde info` says it of each run (from a histogram whose steps are factors of two): median [quartiles].',
      '',
      '| | median | 99th percentile |',
      '|---|---|---|',
      ...[EVENTS, TICKS, ...before].map(heldLine),
      '',
    ],
  };
}

function blocked(count: number, before: Tool[]): Part {
  const tools = [NONE, EVENTS, TICKS, ITSELF, ...before];
  const runs = rounds(count, tools, (tool) => run<Costs>(tool, 'blocked', [String(BLOCKED_SECONDS), 'OUT']).printed);
  const shares = (tool: Tool, of: (costs: Costs) => number): Series => runs.get(tool)!.map((costs) => (of(costs) / costs.wall) * 100);
  const both = (tool: Tool): string => spread(shares(tool, everything), 3);
  const line = (tool: Tool): string =>
    `| ${tool.name} | ${spread(shares(tool, ({ own }) => own), 3)} | ${tool === NONE || tool.records ? '' : spread(shares(tool, ({ parent }) => parent), 3)} | ${both(tool)} |`;
  return {
    rows: [
      { title: 'eight blocked threads: % of a core, recorder included', published: '0.177 (0.164–0.264)', again: before.length > 0 ? both(before[0]) : undefined, now: both(EVENTS), goal: '0.2' },
      { title: '… recording itself through the API', published: '', now: both(ITSELF) },
    ],
    text: [
      '### Eight blocked threads',
      '',
      `CPU time in percent of a core, over ${BLOCKED_SECONDS} s that begin a second after the threads; median and range of ${count} rounds.`,
      '',
      '| | the program | the recorder | together |',
      '|---|---|---|---|',
      ...tools.map(line),
      '',
    ],
  };
}

function many(count: number): Part {
  const { processes, threads, seconds, buffer } = MANY;
  type Printed = Costs & { held: number };
  const tools = [EVENTS, TICKS];
  const args = [processes, threads, seconds].map(String);
  const runs = rounds(count, tools, (tool) => run<Printed>(tool, 'many', [...args, 'OUT', 'SESSION'], ['--buffer-size', buffer]));
  const cell = (tool: Tool, of: (one: Run<Printed>) => number, digits: number): string => spread(runs.get(tool)!.map(of), digits);
  const share = (tool: Tool): string => cell(tool, ({ printed }) => (printed.parent / printed.wall) * 100, 2);
  const held = (tool: Tool): string => cell(tool, ({ printed }) => printed.held / MiB, 1);
  const lost = (tool: Tool): string => cell(tool, ({ figures }) => figures!.lost, 0);
  const samples = (tool: Tool): string => cell(tool, (one) => one.samples!, 0);
  const looks = (tool: Tool): string => cell(tool, ({ quality }) => quality!.looks!, 0);
  const looksShare = (tool: Tool): string => cell(tool, ({ quality, durationMs }) => (quality!.looksMs! / durationMs!) * 100, 2);
  const sampled = (tool: Tool): string => cell(tool, ({ quality, cpuMs }) => (1 - quality!.notSampledMs! / cpuMs!) * 100, 1);
  return {
    rows: [
      { title: `${processes} processes × ${threads} threads, ${buffer}: the recorder, % of a core`, published: '', now: share(EVENTS), goal: '' },
      { title: '… of that the looks, which have a budget', published: '', now: looksShare(EVENTS), goal: '1' },
      { title: '… MiB held', published: '', now: held(EVENTS), goal: '64' },
      { title: '… samples lost', published: '', now: lost(EVENTS), goal: '0' },
    ],
    text: [
      '### Many processes at once',
      '',
      `${processes} processes with ${threads} threads each, all of which wait 100 to 200 ms and then work for 0.1 ms, recorded with \`--buffer-size ${buffer}\`. The recorder's CPU time (looks, chunks,`,
      `events) over ${seconds} s, from a second after the last thread began (of looks alone, over the whole recording, with the burst of 20 ms that its start may take); held: disk space of all files of the session at its largest in that time. Median and range of ${count} rounds.`,
      '',
      '| | recorder, % of a core | looks alone, % of a core | held, MiB | samples | lost | looks | CPU time with samples, % |',
      '|---|---|---|---|---|---|---|---|',
      ...tools.map((tool) => `| ${[tool.name, share(tool), looksShare(tool), held(tool), samples(tool), lost(tool), looks(tool), sampled(tool)].join(' | ')} |`),
      '',
    ],
  };
}

const KINDS = [
  { kind: 'thread', count: 5000, title: 'a thread' },
  { kind: 'fork', count: 1000, title: '`fork`' },
  { kind: 'exec', count: 500, title: '`fork` and `exec` of `/bin/true`' },
  { kind: 'spawn', count: 500, title: '`posix_spawn` of `/bin/true`' },
];

function shortLives(count: number, before: Tool[]): Part {
  const tools = [NONE, EVENTS, TICKS, ...before];
  const rows: Row[] = [], lines: string[] = [];
  for (const { kind, count: lives, title } of KINDS) {
    const runs = rounds(count, tools, (tool) => run<Costs>(tool, 'short_lives', [kind, String(lives), 'OUT']).printed);
    const plain = runs.get(NONE)!;
    const beyond = (tool: Tool, of: (costs: Costs) => number): Series => runs.get(tool)!.map((costs, i) => of(costs) - of(plain[i]));
    const clock = (tool: Tool): string => quartiles(beyond(tool, ({ wall }) => wall), 0);
    lines.push(`| ${title}, ${NONE.name} | ${quartiles(plain.map(({ wall }) => wall), 0)} | ${quartiles(plain.map(everything), 0)} | |`);
    for (const tool of tools.slice(1))
      lines.push(`| … more: ${tool.name} | ${clock(tool)} | ${quartiles(beyond(tool, everything), 0)} | ${quartiles(beyond(tool, ({ parent }) => parent), 0)} |`);
    const published: Record<string, string> = { thread: '11.6', exec: '430, from a shell' };
    rows.push({ title: `${title}: µs more by the clock`, published: published[kind] ?? '', again: before.length > 0 ? clock(before[0]) : undefined, now: clock(EVENTS) });
  }
  return {
    rows,
    text: [
      '### Short lives',
      '',
      `To make a thread or a process that ends at once, and to wait for its end, one after the other: µs for one, median [quartiles] of ${count} rounds of ${KINDS.map(({ count: lives }) => lives).join(', ')}.`,
      'CPU time is that of the program, its children and the recorder; the session is in memory, as by default. `exec` after `fork` is two process images to record.',
      '',
      '| | by the clock | CPU time of everything | of that the recorder |',
      '|---|---|---|---|',
      ...lines,
      '',
    ],
  };
}

type Interruptions = { count: number; waits: number };

/** Both programs count how often their waits ended with EINTR: chaos_interrupted says the sum on standard error, timed_waits one for each kind. */
function interruptions(tool: Tool): { all: Interruptions; timed: Interruptions } {
  const output = (program: string, ...args: string[]): string =>
    within((folder) => {
      const before = tool.before({ profile: path.join(folder, 'profile.json'), session: path.join(folder, 'session'), data: '' });
      const command = [...before, ...(before.length > 0 ? ['--'] : []), program, ...args];
      const { stdout, stderr, status } = spawnSync(command[0], command.slice(1), { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${command.join(' ')} failed with status ${status}\n${stderr}`);
      return stdout + stderr;
    });
  const sum = (text: string, pattern: RegExp): Interruptions => {
    const found = [...text.matchAll(pattern)];
    if (found.length === 0) throw new Error(`no figures: ${text}`);
    return found.reduce((all, [, count, waits]) => ({ count: all.count + Number(count), waits: all.waits + Number(waits) }), { count: 0, waits: 0 });
  };
  return {
    all: sum(output('build/tests/chaos/chaos_interrupted', String(TURNS), '7000'), /note: (\d+) of (\d+) waits/g),
    timed: sum(output('build/tests/harmless/timed_waits'), /(\d+) of (\d+) waits interrupted/g),
  };
}

function interrupted(before: Tool[]): Part {
  const measured = new Map([NONE, EVENTS, TICKS, ...before].map((tool) => [tool, interruptions(tool)]));
  const text = ({ count, waits }: Interruptions): string => `${count} of ${waits}`;
  return {
    rows: [
      { title: 'waits that ended with `EINTR`', published: '25 of 16800', again: before.length > 0 ? text(measured.get(before[0])!.all) : undefined, now: text(measured.get(EVENTS)!.all), goal: '0' },
      { title: '… of timed waits between work', published: '', again: before.length > 0 ? text(measured.get(before[0])!.timed) : undefined, now: text(measured.get(EVENTS)!.timed), goal: '0' },
    ],
    text: [
      '### Interrupted calls',
      '',
      'Waits that ended with `EINTR`. First twelve threads that wait some milliseconds in `read`, `poll`, `select`, `epoll_wait`, `sem_wait`, `nanosleep`, `accept`, `recv`, `msgrcv`,',
      '`semop` …; then five kinds of waits with a time limit, with work between them, beside a busy thread.',
      '',
      '| | waits | timed waits |',
      '|---|---|---|',
      ...[...measured].map(([tool, { all, timed }]) => `| ${tool.name} | ${text(all)} | ${text(timed)} |`),
      '',
    ],
  };
}

function limit(): Part {
  const output = execFileSync('build/bench/bench_limit', [String(LIMIT_SECONDS), String(LIMIT)], { encoding: 'utf8' });
  const { fileBytes, badEntries, chunksRecycled, byEvents, byTicks } = JSON.parse(output);
  const written = fileBytes + chunksRecycled * 65536;
  const percent = ((fileBytes / LIMIT) * 100).toFixed(1);
  return {
    rows: [{ title: 'a recording beyond its limit: disk space, % of the limit', published: '100.2', now: percent, goal: 'about 100' }],
    text: [
      '### A recording that is longer than its limit',
      '',
      `A program that records itself with a limit of ${LIMIT / MiB} MiB, for ${LIMIT_SECONDS} s: ${byEvents + byTicks} samples of two busy threads, and markers from two others, wrote ${(written / MiB).toFixed(0)} MiB,`,
      `${(written / LIMIT).toFixed(0)} times the limit. The files took ${fileBytes} bytes of disk space, ${percent} % of it, with ${badEntries} bad entries.`,
      '',
    ],
  };
}

/** Each part says on standard error that it begins: all of them take some ten minutes. */
export function captureChapter(missing: string[], { repeat, before: oldSonde }: CaptureOptions): string {
  for (const program of ['chaos/chaos_interrupted', 'harmless/timed_waits'])
    if (!existsSync(path.join('build/tests', program))) throw new Error('build/ is not complete');
  const before = old(oldSonde);
  const parts: [string, () => Part][] = [
    ['two busy threads', () => busy(BUSY_ROUNDS * repeat, missing, before)],
    ['eight blocked threads', () => blocked(BLOCKED_ROUNDS * repeat, before)],
    ['many processes', () => many(Math.min(repeat, 5))],
    ['short lives', () => shortLives(LIVES_ROUNDS * repeat, before)],
    ['interrupted calls', () => interrupted(before)],
    ['a limit', limit],
  ];
  const done = parts.map(([name, part]) => {
    const start = performance.now();
    const result = part();
    console.error(`capture: ${name}: ${((performance.now() - start) / 60_000).toFixed(1)} min`);
    return result;
  });
  const rows = done.flatMap(({ rows }) => rows);
  const row = ({ title, published, again, now, goal }: Row): string => `| ${[title, published || '–', ...(oldSonde ? [again ?? '–'] : []), now, goal ?? ''].join(' | ')} |`;
  return [
    '## What being recorded costs',
    '',
    'Before: a sampler thread in the program that looked at all threads by the wall clock (commit 44860c3), as it was published here; where it says "by the clock", in windows of one',
    `process, without the recorder.${oldSonde ? ' Again: that commit, measured in this run by the same programs, with `--rate 1000`.' : ''} Now: each thread by its own CPU clock, waits from outside. How each figure is measured is told below.`,
    '',
    `| | before |${oldSonde ? ' before, again |' : ''} now | goal |`,
    `|---|---|${oldSonde ? '---|' : ''}---|---|`,
    ...rows.map(row),
    '',
    ...done.flatMap(({ text }) => text),
  ].join('\n');
}
