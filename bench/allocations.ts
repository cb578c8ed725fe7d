// What it costs to record a program's allocations, beside the heap profilers of others: CPU time and memory of real programs, of a stress
// that does nothing but malloc() and free(), and of a single pair of the two.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { median, type Series } from './statistics.ts';

const MEASURE = path.resolve('build/bench/measure');
const LONGEST = 100; // seconds, of a run of a peer
const LIBRARIES = '/usr/lib/x86_64-linux-gnu';

type Measured = { cpu: number; peakKiB: number; status: number };
type Run = { cpu: number; all: number; peakMiB: number };
type Program = { name: string; what: string; command: string[] };
type Way = { name: string; isOnce?: boolean; needs?: string; run: (program: Program) => Run | null };

// --- programs -------------------------------------------------------------------------------------------------------------------------

function build(folder: string, source: string, compiler: string, ...options: string[]): string {
  const program = path.resolve(folder, `allocations_${path.parse(source).name}`);
  execFileSync(compiler, ['-O2', ...options, '-o', program, `bench/allocations/${source}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  return program;
}

function jsonFile(folder: string): string {
  const file = path.resolve(folder, 'allocations.json');
  const tags = ['red', 'green', 'blue', 'a text that needs a block of its own'];
  const item = (i: number): object => ({
    id: i,
    name: `item ${i}`,
    tags: [0, 1, 2, 3].map((tag) => tags[(i * 7 + tag * 3) % 4]),
    position: { x: i / 3, y: i / 7 },
    active: i % 3 === 0,
  });
  writeFileSync(file, JSON.stringify(Array.from({ length: 60000 }, (_, i) => item(i))));
  return file;
}

const STATEMENTS = `create table t(id integer primary key, a text, b integer, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 600000)
insert into t select i, 'name ' || (i * 7919 % 100003), i * 31 % 1009, i * 0.5 from n;
create index ta on t(a);
create index tb on t(b, c);
select count(*), sum(c) from t where a like 'name 1%';
select b, count(*), group_concat(a) from t group by b order by 2 desc limit 3;
`;

const PYTHON = `import json, sys
text = open(sys.argv[1]).read()
for _ in range(4):
    size = len(json.dumps(json.loads(text)))
print(size)
`;

function programsOf(folder: string, missing: string[]): Program[] {
  const json = jsonFile(folder), file = (name: string): string => path.resolve(folder, name);
  const makers: [string, () => Program][] = [
    ['nlohmann-json3-dev', () => ({ name: 'json', what: 'nlohmann::json parses 9 MB eight times', command: [build(folder, 'parse.cpp', 'g++'), json, '8'] })],
    ['sqlite3', () => {
      writeFileSync(file('allocations.sql'), STATEMENTS);
      execFileSync('sqlite3', ['--version']);
      return { name: 'sqlite', what: '600,000 rows with two indexes in memory', command: ['sqlite3', ':memory:', '-init', file('allocations.sql'), '.quit'] };
    }],
    ['python3', () => {
      writeFileSync(file('allocations.py'), PYTHON);
      return { name: 'python', what: 'json.loads() and json.dumps() of the same text, four times', command: ['/usr/bin/python3', file('allocations.py'), json] };
    }],
    ['g++', () => {
      writeFileSync(file('allocations.cpp'), '#include <nlohmann/json.hpp>\nint main() { return (int)nlohmann::json::parse("[]").size(); }\n');
      execFileSync('g++', ['-E', file('allocations.cpp'), '-o', file('allocations.ii')]);
      const compiler = execFileSync('g++', ['-print-prog-name=cc1plus'], { encoding: 'utf8' }).trim();
      return { name: 'cc1plus', what: 'compiles a program that includes it', command: [compiler, '-quiet', '-O1', '-o', file('allocations.s'), file('allocations.ii')] };
    }],
    ['gcc', () => ({ name: 'stress', what: 'four threads, 20 million blocks', command: [build(folder, 'stress.c', 'gcc', '-pthread'), '5000000'] })],
  ];
  return makers.flatMap(([needs, make]) => {
    try {
      return [make()];
    } catch {
      missing.push(needs);
      return [];
    }
  });
}

// --- ways -----------------------------------------------------------------------------------------------------------------------------

function lastMeasured(output: string): Measured | null {
  const lines = output.split('\n').filter((line) => line.startsWith('{"seconds"'));
  return lines.length > 0 ? JSON.parse(lines[lines.length - 1]) : null;
}

/** NULL: it took too long, or failed. */
function measure(command: string[], environment: Record<string, string> = {}): Run | null {
  const env = { ...process.env, ...environment };
  const { stdout } = spawnSync('timeout', [String(LONGEST), MEASURE, ...command], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  const found = lastMeasured(stdout);
  return found && found.status === 0 ? { cpu: found.cpu, all: found.cpu, peakMiB: found.peakKiB / 1024 } : null;
}

function waysOf(folder: string): Way[] {
  const profile = path.resolve(folder, 'allocations.json.gz'), inner = path.resolve(folder, 'allocations.txt');
  const sonde = (...options: string[]) => (program: Program): Run | null => {
    const record = ['build/sonde', 'record', '--save-only', '--no-symbols', '--buffer-size', '4GiB', '-o', profile, ...options, '--'];
    // What the program itself took is written to a file: the output of what is measured is thrown away.
    const whole = measure([...record, 'sh', '-c', `exec 3>"${inner}"; exec "$@" >&3`, 'sh', MEASURE, ...program.command]);
    const own = whole && lastMeasured(execFileSync('cat', [inner], { encoding: 'utf8' }));
    return whole && own ? { cpu: own.cpu, all: whole.all, peakMiB: own.peakKiB / 1024 } : null;
  };
  const preloaded = (library: string, environment: Record<string, string> = {}) => (program: Program): Run | null =>
    measure(['env', `LD_PRELOAD=${LIBRARIES}/${library}`, ...program.command], environment);
  return [
    { name: 'plain', run: (program) => measure(program.command) },
    { name: 'Sonde, without allocations', run: sonde() },
    { name: '**Sonde, `--allocations`**', run: sonde('--allocations') },
    { name: 'Sonde, `--allocations=512KiB`', run: sonde('--allocations=512KiB') },
    { name: 'Sonde, `--allocations=all`', isOnce: true, run: sonde('--allocations=all') },
    { name: 'heaptrack', isOnce: true, needs: 'heaptrack', run: (program) => measure(['heaptrack', '-o', path.resolve(folder, 'allocations.heaptrack'), ...program.command]) },
    { name: 'tcmalloc alone', isOnce: true, needs: `${LIBRARIES}/libtcmalloc.so.4`, run: preloaded('libtcmalloc.so.4') },
    { name: 'gperftools, HEAPPROFILE', isOnce: true, needs: `${LIBRARIES}/libtcmalloc.so.4`, run: preloaded('libtcmalloc.so.4', { HEAPPROFILE: path.resolve(folder, 'allocations.hprof') }) },
    { name: 'jemalloc alone', needs: `${LIBRARIES}/libjemalloc.so.2`, run: preloaded('libjemalloc.so.2') },
    { name: 'jemalloc, prof (512 KiB)', needs: `${LIBRARIES}/libjemalloc.so.2`, run: preloaded('libjemalloc.so.2', { MALLOC_CONF: `prof:true,prof_final:true,prof_prefix:${path.resolve(folder, 'allocations.jeprof')}` }) },
    { name: 'massif', isOnce: true, needs: 'valgrind', run: (program) => measure(['valgrind', '-q', '--tool=massif', `--massif-out-file=${path.resolve(folder, 'allocations.massif')}`, ...program.command]) },
  ];
}

function isThere(needs: string): boolean {
  return needs.startsWith('/') ? existsSync(needs) : spawnSync(needs, ['--version'], { stdio: 'ignore' }).status === 0;
}

// --- the chapter ----------------------------------------------------------------------------------------------------------------------

const least = (runs: Run[], of: (run: Run) => number): number => Math.min(...runs.map(of));
const times = (runs: Run[], plain: Run[], of: (run: Run) => number): string => `${(least(runs, of) / least(plain, of)).toFixed(2)}×`;

function cell(runs: (Run | null)[], plain: Run[], isPlain: boolean): string {
  if (runs.length === 0) return '–';
  if (runs.some((run) => !run)) return `stopped after ${LONGEST} s, or failed`;
  const done = runs as Run[], memory = least(done, (run) => run.peakMiB);
  if (isPlain) return `${least(done, (run) => run.cpu).toFixed(2)} s, ${memory.toFixed(0)} MiB`;
  const more = memory - least(plain, (run) => run.peakMiB);
  const cpu = times(done, plain, (run) => run.cpu), all = times(done, plain, (run) => run.all);
  return `${cpu}${all === cpu ? '' : ` (${all})`}, ${more < 0 ? '−' : '+'}${Math.abs(more).toFixed(1)}`;
}

function pairRows(folder: string, repeat: number): string {
  const pair = build(folder, 'pair.c', 'gcc', '-fno-builtin');
  const record = ['build/sonde', 'record', '--save-only', '--no-symbols', '-o', path.resolve(folder, 'allocations.json.gz')];
  const ways: [string, string[]][] = [
    ['plain', []], ['`--allocations`', [...record, '--allocations', '--']], ['`--allocations=512KiB`', [...record, '--allocations=512KiB', '--']],
    ['`--allocations=all`', [...record, '--allocations=all', '--']],
  ];
  const found = new Map<string, { atOnce: number; window: number }[]>();
  for (let i = 0; i < repeat; i++)
    for (const [name, before] of ways) {
      const [command, ...args] = [...before, pair];
      found.set(name, [...(found.get(name) ?? []), JSON.parse(execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))]);
    }
  return ways.map(([name]) => {
    const of = (key: 'atOnce' | 'window'): string => Math.min(...found.get(name)!.map((run) => run[key])).toFixed(1);
    return `| ${name} | ${of('atOnce')} | ${of('window')} |\n`;
  }).join('');
}

export function allocationsChapter(folder: string, repeat: number, missing: string[]): string {
  const before = loadavg()[0], programs = programsOf(folder, missing), ways = waysOf(folder);
  const found = new Map<string, (Run | null)[]>(), key = (way: Way, program: Program): string => `${way.name} ${program.name}`;
  for (const { needs } of ways) if (needs && !isThere(needs)) missing.push(needs);
  for (const program of programs)
    for (let i = 0; i < repeat; i++)
      for (const way of ways) {
        if ((way.isOnce && i > 0) || (way.needs && !isThere(way.needs))) continue;
        found.set(key(way, program), [...(found.get(key(way, program)) ?? []), way.run(program)]);
        console.log(`${program.name}, ${way.name}: ${JSON.stringify(found.get(key(way, program))!.at(-1))}`);
      }
  for (const name of readdirSync(folder)) if (/^allocations\.(jeprof|hprof|massif|heaptrack)/.test(name)) rmSync(path.join(folder, name));
  let table = `| | ${programs.map(({ name }) => name).join(' | ')} |\n|---|${programs.map(() => '---|').join('')}\n`;
  for (const way of ways) {
    const plain = (program: Program): Run[] => found.get(key(ways[0], program))!.filter((run) => run !== null);
    table += `| ${way.name} | ${programs.map((program) => cell(found.get(key(way, program)) ?? [], plain(program), way === ways[0])).join(' | ')} |\n`;
  }
  const added: Series = programs.map((program) => {
    const of = (way: Way): number => least(found.get(key(way, program))!.filter((run) => run !== null), (run) => run.cpu);
    return (of(ways[2]) / of(ways[1]) - 1) * 100;
  });
  return `## Allocations

CPU time of the program, against the plain run beside it; in brackets with all other processes of the tool, until its data is written (for
Sonde the profile, without symbols). Behind it MiB that the peak of its resident memory is higher by. The least of ${repeat} runs, one after the
other; one run of Sonde's \`all\` and of the slow peers. Allocators that are not glibc's are measured without a profiler, too: what they
save is not the profiler's. To record allocations adds ${median(added).toFixed(1)} % to a recording without them (median of the programs; from
${Math.min(...added).toFixed(1)} to ${Math.max(...added).toFixed(1)} %). Load of the machine (1 minute) before and after: ${before.toFixed(1)}, ${loadavg()[0].toFixed(1)}.

${table}
${programs.map(({ name, what }) => `${name}: ${what}`).join('; ')}.

A pair of \`malloc()\` and \`free()\` of 64 bytes in nanoseconds, freed at once, and of a window of 1024 blocks in random order; the least of
4000 short rounds in each of ${repeat} runs:

| | at once | window |
|---|---|---|
${pairRows(folder, repeat)}`;
}
