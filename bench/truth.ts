// How true shares are: programs that know where their CPU time went (bench/truth.c), as Sonde and perf show them.
//
// With a second of CPU time each, all rows once take 40 s for each tool on an idle machine, and twice that on a busy one: 20 runs take two hours.
// So they can be measured in pieces. What was measured is kept in build/bench/truth.jsonl, one line a run, and the chapters, one for each state of the machine, are made of all
// runs with as much CPU time. --repeat says how many of them each row shall have, those of before included; --minutes ends a piece sooner, --fresh forgets what there is.
//
//     ./dev bench truth --cpu 3 --repeat 20 --machines idle --minutes 50      # again, until it says that all are there
//     ./dev bench truth --cpu 3 --repeat 20 --machines busy --minutes 50
//     ./dev bench truth --cpu 3 --repeat 0 --keep                             # only puts the chapters into bench/results.md
//
// With --found the machine is taken as others leave it: each run is filed by the CPU time that others took meanwhile, and left out where the machine was neither idle nor busy.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { looksOf } from './looks.ts';
import { median, quantile, type Series } from './statistics.ts';

const SONDE = process.env.SONDE ?? 'build/sonde';
const PROGRAM = 'build/bench/bench_truth';
const REFUSE = 'build/bench/refuse_events';
const DEADLINE_MS = 120_000;

const TOOLS = ['sonde', 'sonde without events', 'perf'] as const;
const MACHINES = ['idle', 'busy'] as const;
type Tool = (typeof TOOLS)[number];
type Machine = (typeof MACHINES)[number];

type Row = { name: string; args: string[] };
/** What one tool said of one run, in percent of CPU time: the share of A as the program measured it, and as the tool shows it. */
type Run = { row: string; machine: Machine; tool: Tool; truth: number; share: number; samples: number; cpu: number; commit: string; load: number; others?: number };
type Measured = Pick<Run, 'truth' | 'share' | 'samples'>;

/** `runs`: so many of each row shall there be. `cpu`: seconds of CPU time of each run. `minutes`: no run begins later. `spin`: processes that keep the machine busy.
 * `found`: it is as others leave it. `fresh`: what was measured before is forgotten. */
export type TruthOptions = { runs: number; cpu: number; minutes: number; spin: number; found: boolean; fresh: boolean; rows?: string; machines?: string; tools?: string };

function bursts(period: number, busy: number, threads: number): Row {
  return {
    name: `${period} ms, ${busy} % busy, ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    args: ['bursts', '--period', String(period), '--busy', String(busy), '--threads', String(threads)],
  };
}

/** Every period with one thread that waits; some of them with threads that never wait, and with more threads than CPUs. */
function allRows(): Row[] {
  return [
    ...[1, 2, 4, 5, 7, 10, 16.7].map((period) => bursts(period, 50, 1)),
    ...[1, 4, 16.7].map((period) => bursts(period, 100, 2)),
    ...[2, 5, 10].map((period) => bursts(period, 50, 4)),
    { name: 'request and response, threads', args: ['pipes'] },
    { name: 'request and response, processes', args: ['processes'] },
    { name: 'short functions, 1 thread', args: ['short'] },
    { name: 'short functions, 4 threads', args: ['short', '--threads', '4'] },
    { name: 'locks under contention, 4 threads', args: ['locks', '--threads', '4'] },
    { name: 'bursts after long waits, 4 threads', args: ['long-waits', '--threads', '4'] },
    { name: 'user code 60 : read() 40', args: ['kernel'] },
  ];
}

type Functions = { sampleCount: number; rootTotal: number; functions: { name: string; self: number }[] };

const shareOfA = ({ rootTotal, functions }: Functions): number =>
  (functions.filter(({ name }) => /^work_A(_\d+)?$/.test(name)).reduce((sum, { self }) => sum + self, 0) / rootTotal) * 100;

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: DEADLINE_MS, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `status ${status}`}\n${stderr}`);
  return stdout;
}

function truthOf(output: string): number {
  const { total_ms, a_ms } = JSON.parse(output);
  return (a_ms / total_ms) * 100;
}

function runSonde(folder: string, args: string[], withEvents: boolean): Measured {
  const profile = path.join(folder, 'truth.json.gz');
  const command = [SONDE, 'record', '-s', '-o', profile, '--', PROGRAM, ...args];
  if (!withEvents) command.unshift(REFUSE);
  const truth = truthOf(run(command[0], ...command.slice(1)));
  const share = shareOfA(JSON.parse(run(SONDE, 'functions', profile, '--json', '--strategy', 'cpu', '--thread', 'all')));
  return { truth, share, samples: looksOf(SONDE, profile) };
}

function runPerf(folder: string, args: string[]): Measured {
  const data = path.join(folder, 'perf.data');
  const truth = truthOf(run('perf', 'record', '-q', '-e', 'cpu-clock', '-F', '1000', '-o', data, '--', PROGRAM, ...args));
  const script = run('perf', 'script', '-i', data);
  const text = execFileSync(SONDE, ['functions', '-', '--json', '--thread', 'all'], { input: script, encoding: 'utf8', maxBuffer: 1 << 28 });
  const functions: Functions = JSON.parse(text);
  return { truth, share: shareOfA(functions), samples: functions.sampleCount };
}

const RUNNERS: Record<Tool, (folder: string, args: string[]) => Measured> = {
  sonde: (folder, args) => runSonde(folder, args, true),
  'sonde without events': (folder, args) => runSonde(folder, args, false),
  perf: runPerf,
};

/** Keeps the machine busy until it is stopped. */
function keepBusy(processes: number): () => void {
  const spinning: ChildProcess[] = Array.from({ length: processes }, () => spawn(PROGRAM, ['spin'], { stdio: 'ignore' }));
  return () => spinning.forEach((child) => child.kill('SIGKILL'));
}

/** What all processes of the machine and its host used of its CPUs, and what the programs that were run from here did, in seconds. */
function cpuTimes(): { all: number; ours: number; clock: number } {
  const perSecond = 100;
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/).slice(1).map(Number);
  const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(11, 15).map(Number);
  const sum = (ticks: number[]): number => ticks.reduce((a, b) => a + b, 0) / perSecond;
  return { all: sum([user, nice, system, irq, softirq, steal]), ours: sum(own), clock: performance.now() / 1000 };
}

/** So many CPUs' worth of others make a machine idle, or busy. */
const IDLE_CPUS = 0.1, BUSY_CPUS = 0.8;

/** How others leave it; undefined where it was neither. */
function stateFound(before: ReturnType<typeof cpuTimes>): { machine?: Machine; others: number } {
  const after = cpuTimes();
  const others = (after.all - before.all - (after.ours - before.ours)) / (after.clock - before.clock);
  return { machine: others <= IDLE_CPUS ? 'idle' : others >= BUSY_CPUS ? 'busy' : undefined, others: Math.max(others, 0) };
}

/** Until each row and tool has enough runs on these machines, or the time is over. The tools take turns, so that what else the machine does meets all of them. `machine` is
 * what it is made to be; undefined: as it is found. */
function measure(rows: Row[], machines: Machine[], tools: Tool[], machine: Machine | undefined, deadline: number, { runs, cpu }: TruthOptions, log: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'sonde-truth-'));
  const commit = run('git', 'describe', '--always', '--dirty').trim();
  const measured = readRuns(log, cpu);
  const count = (row: Row, of: Machine, tool: Tool): number => measured.filter((run) => run.row === row.name && run.machine === of && run.tool === tool).length;
  const isOpen = (row: Row, tool: Tool): boolean => machines.some((of) => count(row, of, tool) < runs);
  const fewest = (of: Machine): number => Math.min(...rows.flatMap((row) => tools.map((tool) => count(row, of, tool))));
  try {
    for (;;) {
      const open = rows.flatMap((row) => tools.filter((tool) => isOpen(row, tool)).map((tool) => ({ row, tool })));
      if (open.length === 0) return;
      for (const { row, tool } of open) {
        if (performance.now() > deadline) return;
        const before = cpuTimes();
        const seen = RUNNERS[tool](folder, [...row.args, '--cpu', String(cpu)]);
        const found = machine ? { machine } : stateFound(before);
        if (!found.machine || count(row, found.machine, tool) >= runs) continue;
        const result: Run = { row: row.name, tool, ...seen, cpu, commit, load: loadavg()[0], ...found, machine: found.machine };
        appendFileSync(log, `${JSON.stringify(result)}\n`);
        measured.push(result);
      }
      for (const of of machines) console.log(`${of}, ${fewest(of)} runs of all rows: ${tools.map((tool) => `${tool} ${summary(measured, of, tool)}`).join('; ')}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
    for (const of of runs > 0 ? machines : []) console.log(`${of}: ${fewest(of)} of ${runs} runs of all rows are there${fewest(of) < runs ? '; call it again for the rest' : ''}`);
  }
}

/** Those with as much CPU time. */
const readRuns = (log: string, cpu: number): Run[] =>
  (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((run) => run.cpu === cpu);

const errorOf = ({ truth, share }: Run): number => Math.abs(share - truth);

/** The standard deviation of a share that is counted in so many independent samples. */
const binomial = ({ truth, samples }: Run): number => Math.sqrt((truth * (100 - truth)) / samples);

const format = (errors: Series): string => [median(errors), quantile(errors, 0.95), Math.max(...errors)].map((e) => e.toFixed(1)).join(' / ');

function figures(measured: Run[], row: string, machine: Machine, tool: Tool): string {
  const runs = measured.filter((run) => run.row === row && run.machine === machine && run.tool === tool);
  if (runs.length === 0) return '–';
  return `${format(runs.map(errorOf))} (${median(runs.map(binomial)).toFixed(1)})`;
}

/** All rows of a machine and tool together. */
function summary(measured: Run[], machine: Machine, tool: Tool): string {
  const runs = measured.filter((run) => run.machine === machine && run.tool === tool);
  if (runs.length === 0) return '–';
  return `${format(runs.map(errorOf))} (${median(runs.map(binomial)).toFixed(1)})`;
}

/** "20 runs of 2 s of CPU time each, at a load of 0.5 to 1.2". */
function runLength(measured: Run[], rows: Row[], machine: Machine, tools: Tool[]): { fewest: number; text: string } {
  const of = measured.filter((run) => run.machine === machine);
  const counts = rows.flatMap(({ name }) => tools.map((tool) => of.filter((run) => run.row === name && run.tool === tool).length));
  const commits = [...new Set(of.map(({ commit }) => commit))].join(', ');
  const fewest = Math.min(...counts), most = Math.max(...counts);
  const loads = of.map(({ load }) => load).sort((a, b) => a - b);
  const others = of.flatMap(({ others }) => others ?? []).sort((a, b) => a - b);
  const found = others.length > 0 ? `; others took ${others[0].toFixed(2)} to ${others[others.length - 1].toFixed(2)} CPUs meanwhile` : '';
  return { fewest, text: `${fewest === most ? fewest : `${fewest} to ${most}`} runs of ${of[0].cpu} s of CPU time each (commit ${commits}), at a load of ${loads[0].toFixed(1)} to ${loads[loads.length - 1].toFixed(1)}${found}` };
}

/** A median of fewer runs is an accident: no verdict about a row is given from it. */
const RUNS_FOR_A_VERDICT = 5;

/** The rows in which Sonde's median error is greater than perf's by more than chance: the standard error of both medians, twice. */
function worseThanPerf(measured: Run[], rows: Row[], machine: Machine): string[] {
  const of = (row: Row, tool: Tool): Run[] => measured.filter((run) => run.row === row.name && run.machine === machine && run.tool === tool);
  return rows
    .filter((row) => {
      const ours = of(row, 'sonde'), theirs = of(row, 'perf');
      if (ours.length === 0 || theirs.length === 0) return false;
      const chance = (1.25 * 0.6 * (median(ours.map(binomial)) + median(theirs.map(binomial)))) / Math.sqrt(ours.length);
      return median(ours.map(errorOf)) > median(theirs.map(errorOf)) + 2 * chance;
    })
    .map(({ name }) => name);
}

/** The rows whose median error without events is more than twice the binomial one: programs in step with the kernel's ticks, or a fault. */
function beyondBinomial(measured: Run[], rows: Row[], machine: Machine): string[] {
  return rows
    .filter((row) => {
      const runs = measured.filter((run) => run.row === row.name && run.machine === machine && run.tool === 'sonde without events');
      return runs.length > 0 && median(runs.map(errorOf)) > 2 * median(runs.map(binomial));
    })
    .map(({ name }) => name);
}

const TITLES: Record<Tool, string> = { sonde: 'Sonde', 'sonde without events': 'Sonde, no events', perf: 'perf' };

function choose<T extends string>(all: readonly T[], wanted: string | undefined, what: string): T[] {
  if (!wanted) return [...all];
  const chosen = wanted.split(',') as T[];
  for (const name of chosen) if (!all.includes(name)) throw new Error(`no ${what} '${name}'; there are: ${all.join(', ')}`);
  return chosen;
}

const HEADINGS: Record<Machine, string> = { idle: '## Truth on an idle machine', busy: '## Truth on a machine that others keep busy' };

function chapter(measured: Run[], rows: Row[], machine: Machine, tools: Tool[], { spin }: TruthOptions): string {
  const wasFound = measured.some((run) => run.machine === machine && run.others !== undefined);
  const { fewest, text } = runLength(measured, rows, machine, tools);
  const judged = fewest >= RUNS_FOR_A_VERDICT;
  const verdicts = [
    ...(tools.includes('perf') && tools.includes('sonde')
      ? [`Rows in which Sonde's median error is greater than perf's by more than chance: ${worseThanPerf(measured, rows, machine).join('; ') || 'none'}.`, '']
      : []),
    ...(tools.includes('sonde without events')
      ? [`Rows in which its median error without events is more than twice the binomial one: ${beyondBinomial(measured, rows, machine).join('; ') || 'none'}.`, '']
      : []),
  ];
  return [
    HEADINGS[machine],
    '',
    `Programs that measure their own shares with their CPU clocks (\`bench/truth.c\`), ${text}${machine === 'busy' && !wasFound ? `, beside ${spin} processes that spin` : ''}.`,
    "The error of work_A's share of all CPU time, kernel included, in points: median / 95th percentile / worst, and in brackets the binomial error (one",
    'standard deviation) of as many samples as were taken; of errors that are nothing but chance the median is 0.67 of it, and the 95th percentile 1.96. Work is',
    '30 : 70 after each wake-up unless the row says otherwise. `sonde record` with its defaults; `perf record -e cpu-clock -F 1000`. "No events":',
    '`perf_event_open` is refused by a seccomp filter.',
    '',
    `| | ${tools.map((tool) => TITLES[tool]).join(' | ')} |`,
    `|---|${tools.map(() => '---|').join('')}`,
    ...rows.map(({ name }) => `| ${name} | ${tools.map((tool) => figures(measured, name, machine, tool)).join(' | ')} |`),
    `| **all rows** | ${tools.map((tool) => `**${summary(measured, machine, tool)}**`).join(' | ')} |`,
    '',
    ...(judged ? verdicts : [`Too few runs to say in which rows the error is more than chance: that takes ${RUNS_FOR_A_VERDICT}.`, '']),
  ].join('\n');
}

/** One for each state of the machine. */
export function truthChapters(folder: string, missing: string[], options: TruthOptions): string[] {
  for (const file of [SONDE, PROGRAM, REFUSE]) if (!existsSync(file)) throw new Error(`${file} is missing`);
  let tools = choose(TOOLS, options.tools, 'tool');
  if (tools.includes('perf') && spawnSync('perf', ['record', '-q', '-e', 'cpu-clock', '-o', '/dev/null', 'true']).status !== 0) {
    missing.push('perf (Debian: linux-perf; it may also be forbidden)');
    tools = tools.filter((tool) => tool !== 'perf');
  }
  const machines = choose(MACHINES, options.machines, 'machine');
  const pattern = new RegExp(options.rows ?? '');
  const rows = allRows().filter(({ name }) => pattern.test(name));
  if (rows.length === 0) throw new Error(`no row of bench/truth matches ${options.rows}`);
  const log = path.join(folder, 'truth.jsonl');
  if (options.fresh) rmSync(log, { force: true });
  const deadline = performance.now() + options.minutes * 60_000;
  if (options.found) measure(rows, machines, tools, undefined, deadline, options, log);
  else
    for (const machine of machines) {
      const stop = machine === 'busy' ? keepBusy(options.spin) : () => {};
      try {
        measure(rows, [machine], tools, machine, deadline, options, log);
      } finally {
        stop();
      }
    }
  const measured = readRuns(log, options.cpu);
  return machines.filter((machine) => measured.some((run) => run.machine === machine)).map((machine) => chapter(measured, rows, machine, tools, options));
}
