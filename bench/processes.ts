// What recording costs a build, which is many processes, and what a profile of a thousand of them costs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sessionParent } from './capture.ts';
import { median, quantile, spread, trimmedError, trimmedMean, type Series } from './statistics.ts';

// Parts of this project that need nothing else to be built, so that the two compilers always have work.
const TARGETS = ['src/common/libcommon.a', 'src/session/libsession.a'];
const PIECE = 24; // files: with fewer, what ninja does at its start would count for more than in a build of everything
const SHORT = 300;
const MANY = 1000;

/** `beside`: CPU time of the recorder meanwhile. */
type Measured = { seconds: number; cpu: number; peakKiB: number; status: number; beside?: number };
type Beside = { plain: Measured; recorded: Measured };
/** What has samples: process images, and CPU time. */
type Shares = { images: number; imagesSampled: number; cpuMs: number; notSampledMs: number; kernelMs: number; samples: number; lost: number };
type Recorded = { recorded: Measured; wholeSeconds: number; shares: Shares };
type Pair = Beside & Recorded;

function measure(...command: string[]): Measured {
  const measured: Measured = JSON.parse(execFileSync('build/bench/measure', command, { encoding: 'utf8' }));
  if (measured.status !== 0) throw new Error(`${command.join(' ')} failed with status ${measured.status}`);
  return measured;
}

/** The command as it is recorded, measured from within; `wholeSeconds` has the start of the recorder and the profile as well. */
function record(folder: string, ...command: string[]): Recorded {
  const profile = path.join(folder, 'processes.json.gz'), session = mkdtempSync(path.join(sessionParent(), 'sonde-bench-'));
  const within = ['sh', '-c', 'exec build/bench/measure --beside $PPID "$@"', 'sh', ...command];
  const start = performance.now();
  const text = execFileSync('build/sonde', ['record', '-s', '-o', profile, '--session', session, '--', ...within], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const wholeSeconds = (performance.now() - start) / 1000;
  const recorded: Measured = JSON.parse(text);
  if (recorded.status !== 0) throw new Error(`${command.join(' ')} failed with status ${recorded.status}`);
  const { cpuMs, notSampledMs, kernelMs } = infoOf(profile);
  const { files, filesSampled, byEvents, byTicks, lost } = JSON.parse(execFileSync('build/bench/bench_session_figures', [session], { encoding: 'utf8' }));
  return { recorded, wholeSeconds, shares: { images: files, imagesSampled: filesSampled, cpuMs, notSampledMs, kernelMs, samples: byEvents + byTicks, lost } };
}

/** Each run as it is has a recorded one beside it, and which of the two is first changes. */
function pairs(count: number, folder: string, before: () => void, ...command: string[]): Pair[] {
  const plainly = (): Measured => (before(), measure(...command));
  const recorded = (): Recorded => (before(), record(folder, ...command));
  plainly();
  return Array.from({ length: count }, (_, i): Pair => {
    if (i % 2 === 0) {
      const plain = plainly();
      return { plain, ...recorded() };
    }
    const both = recorded();
    return { plain: plainly(), ...both };
  });
}

type Info = { processes: { name: string | null }[]; cpuMs: number; notSampledMs: number; kernelMs: number };

function infoOf(profile: string): Info {
  const { processes, threads, quality } = JSON.parse(execFileSync('build/sonde', ['info', '--json', profile], { encoding: 'utf8', maxBuffer: 1 << 30 }));
  const cpuMs = threads.reduce((sum: number, thread: { cpuMs: number | null }) => sum + (thread.cpuMs ?? 0), 0);
  return { processes, cpuMs, notSampledMs: quality.notSampledMs, kernelMs: quality.kernelMs };
}

type Build = { before: string[]; command: string[] };

/**
 * The build of this project, some files at a time: what disturbs a run on a shared machine lasts for seconds, so that many short pairs say
 * more than a few long ones. Everything has been built once before, so that each piece needs nothing but its own compilers.
 */
function pieces(self: string): Build[] {
  const targets = execFileSync('ninja', ['-C', self, '-t', 'targets', 'rule', 'c_COMPILER'], { encoding: 'utf8' });
  const objects = targets.split('\n').filter((target) => target.startsWith('src/'));
  execFileSync('ninja', ['-C', self, ...objects], { stdio: 'ignore' });
  return Array.from({ length: Math.floor(objects.length / PIECE) }, (_, i): Build => {
    const piece = objects.slice(i * PIECE, (i + 1) * PIECE);
    return { before: ['rm', ...piece.map((object) => path.join(self, object))], command: ['ninja', '-C', self, '-j2', ...piece] };
  });
}

/**
 * Pairs within one session: a recorded shell runs each command with the recording's environment and without it. So the two differ in nothing
 * else, and what a session costs at its start is left out. The first pair is not counted.
 */
function pairsWithin(count: number, script: string, profile: string, all: Build[]): Beside[] {
  const step = (kind: 'before' | 'plain' | 'recorded', command: string[]): string =>
    `printf '${kind} '; build/bench/measure ${kind === 'recorded' ? '' : '--unrecorded '}--beside $PPID ${command.map((word) => `'${word}'`).join(' ')}`;
  const lines = Array.from({ length: count + 1 }, (_, i) => {
    const { before, command } = all[i % all.length];
    const pair = [step('plain', command), step('recorded', command)];
    return (i % 2 === 0 ? pair : pair.reverse()).flatMap((line) => [step('before', before), line]);
  });
  writeFileSync(script, `${lines.flat().join('\n')}\n`);
  const text = execFileSync('build/sonde', ['record', '-s', '--no-symbols', '-o', profile, '--', 'sh', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const runs = { before: [] as Measured[], plain: [] as Measured[], recorded: [] as Measured[] };
  for (const [, kind, json] of text.matchAll(/^(before|plain|recorded) (.*)$/gm)) {
    const measured: Measured = JSON.parse(json);
    if (measured.status !== 0) throw new Error(`${script}: '${kind}' failed with status ${measured.status}`);
    runs[kind as keyof typeof runs].push(measured);
  }
  if (runs.plain.length !== count + 1 || runs.recorded.length !== count + 1) throw new Error(`${script} has not run to its end`);
  const found = infoOf(profile).processes.filter(({ name }) => name?.startsWith('ninja ')).length;
  // There may be fewer: a long session drops its oldest data.
  if (found === 0 || found > count + 1) throw new Error(`${found} of ${count + 1} runs are in ${profile}`);
  return runs.plain.map((plain, i) => ({ plain, recorded: runs.recorded[i] })).slice(1);
}

const percents = <P>(all: P[], of: (pair: P) => [number, number]): Series => all.map((pair) => (of(pair)[1] / of(pair)[0] - 1) * 100);
const signed = (value: number): string => `${value >= 0 ? '+' : ''}${value.toFixed(1)}`;
const quartiles = (series: Series): string => `[${quantile(series, 0.25).toFixed(1)}, ${quantile(series, 0.75).toFixed(1)}]`;

/** "+1.2 % [0.4, 2.0]": by how much the second of each pair is more, median and quartiles. */
function more(all: Pair[], of: (pair: Pair) => [number, number]): string {
  const series = percents(all, of);
  return `${signed(median(series))} % ${quartiles(series)}`;
}

/** "+1.2 ± 0.3 %": the same by the trimmed mean, with its standard error. Of logarithms: or whatever disturbs either of the two would make it more. */
function moreExactly(all: Beside[], of: (measured: Measured) => number): string {
  const series: Series = all.map(({ plain, recorded }) => Math.log(of(recorded) / of(plain)));
  return `${signed(Math.expm1(trimmedMean(series)) * 100)} ± ${(trimmedError(series) * 100).toFixed(1)} %`;
}

const loop = (count: number): string[] => ['sh', '-c', `i=0; while [ $i -lt ${count} ]; do /bin/true; i=$((i+1)); done`];

const clock = ({ seconds }: Measured): number => seconds;
const cpuOfProcesses = ({ cpu }: Measured): number => cpu;
const cpuOfEverything = ({ cpu, beside }: Measured): number => cpu + beside!;

export function processesChapter(folder: string, repeat: number): string {
  const self = path.join(folder, 'self');
  const profile = path.join(folder, 'processes.json.gz');
  if (!existsSync(path.join(self, 'build.ninja'))) execFileSync('meson', ['setup', self, '--buildtype=release'], { stdio: 'ignore' });
  const clean = (): void => void measure('ninja', '-C', self, '-t', 'clean');
  const alone = pairs(2 * repeat, folder, clean, 'ninja', '-C', self, '-j2', ...TARGETS);
  const builds = pairsWithin(50 * repeat, path.join(folder, 'processes.sh'), profile, pieces(self));
  const shorts = pairs(repeat, folder, () => undefined, ...loop(SHORT));
  const perProcess: Series = shorts.map(({ plain, recorded }) => ((recorded.seconds - plain.seconds) / SHORT) * 1000);
  const cpuPerProcess: Series = shorts.map(({ plain, recorded }) => ((cpuOfEverything(recorded) - plain.cpu) / SHORT) * 1000);

  const session = path.join(folder, 'processes-session');
  rmSync(session, { recursive: true, force: true });
  execFileSync('build/sonde', ['record', '-s', '-o', profile, '--session', session, '--', ...loop(MANY)], { stdio: 'ignore' });
  const gathered: Series = [], peak: Series = [];
  for (let i = 0; i < repeat; i++) {
    const measured = measure('build/sonde', 'recover', session, '-o', profile);
    gathered.push(measured.seconds);
    peak.push(measured.peakKiB / 1024);
  }
  const gatheredProcesses = infoOf(profile).processes.length;
  rmSync(session, { recursive: true });

  const column = <P>(all: P[], of: (pair: P) => number): string => spread(all.map(of), 2);
  const inAll = (kind: keyof Beside, of: (measured: Measured) => number): string => builds.reduce((sum, pair) => sum + of(pair[kind]), 0).toFixed(1);
  const row = (title: string, of: (measured: Measured) => number): string => `| ${title} | ${inAll('plain', of)} | ${inAll('recorded', of)} | ${moreExactly(builds, of)} |`;
  const ofAll = (part: keyof Shares, whole: keyof Shares): Series => alone.map(({ shares }) => (shares[part] / shares[whole]) * 100);
  const images = spread(ofAll('imagesSampled', 'images'), 1);
  const sampledCpu = spread(ofAll('notSampledMs', 'cpuMs').map((percent) => 100 - percent), 1);
  const kernel = spread(ofAll('kernelMs', 'cpuMs'), 1);
  const due = spread(ofAll('samples', 'cpuMs'), 0);
  const lost = alone.reduce((sum, { shares }) => sum + shares.lost, 0);
  const whole = more(alone, ({ plain, recorded }) => [plain.seconds, recorded.seconds]);
  return [
    '## Many processes',
    '',
    'Before: commit 44860c3, as it was published here. How each figure is measured is told below.',
    '',
    '| | before | now | goal |',
    '|---|---|---|---|',
    `| a recorded build, by the clock | +2.1 ± 0.4 % | ${moreExactly(builds, clock)} | +5 % |`,
    `| … CPU time of its processes | +2.1 ± 0.4 % | ${moreExactly(builds, cpuOfProcesses)} | |`,
    `| … and of the recorder | – | ${moreExactly(builds, cpuOfEverything)} | |`,
    `| … with a recording of its own, by the clock | +6.0 % [0.4, 11.1] | ${whole} | |`,
    `| … CPU time that has samples, % | – | ${sampledCpu} | |`,
    `| a process that ends at once, ms by the clock | 0.43 (0.36–0.59) | ${spread(perProcess, 2)} | |`,
    `| … ms of CPU time | 0.46 (0.37–0.56) | ${spread(cpuPerProcess, 2)}, the recorder included | |`,
    '',
    `The build of all in \`src\` of this project with \`ninja -j2\`, ${PIECE} files at a time, with what \`sonde record\` does by itself. Within one recording, a script runs ${builds.length} such builds`,
    'recorded and as they are, without the environment of the recording, in the order as it is, recorded, recorded, as it is; the recorder is there all the time, but',
    'nearly idle while a build runs as it is. The last column is the mean of the differences within the pairs (of their logarithms), the tenth at each end left out, ± its',
    'standard error.',
    '',
    '| | as it is | recorded | more |',
    '|---|---|---|---|',
    row('seconds', clock),
    row('CPU seconds of all their processes', cpuOfProcesses),
    row('CPU seconds of all their processes and the recorder', cpuOfEverything),
    '',
    `A build of parts of it, ${alone[0].shares.images} process images, with a recording of its own each time: ${alone.length} pairs in changing order, the median of the differences within them [quartiles].`,
    '',
    '| | as it is | recorded | more |',
    '|---|---|---|---|',
    `| seconds | ${column(alone, ({ plain }) => plain.seconds)} | ${column(alone, ({ recorded }) => recorded.seconds)} | ${whole} |`,
    `| … until the profile is written | | ${column(alone, ({ wholeSeconds }) => wholeSeconds)} | ${more(alone, ({ plain, wholeSeconds }) => [plain.seconds, wholeSeconds])} |`,
    `| CPU seconds, of the recorder as well | ${column(alone, ({ plain }) => plain.cpu)} | ${column(alone, ({ recorded }) => cpuOfEverything(recorded))} | ${more(alone, ({ plain, recorded }) => [plain.cpu, cpuOfEverything(recorded)])} |`,
    '',
    `Of the process images ${images} % have a sample: many run for less than a millisecond. Of the CPU time ${sampledCpu} % is that of threads with samples (${kernel} % are known to be kernel time, but not where); there are samples for ${due} % of`,
    `its milliseconds, and ${lost} were lost in all of these builds.`,
    '',
    `A process that ends at once (\`/bin/true\`, ${SHORT} in a row from a shell) takes ${spread(perProcess, 2)} ms longer, and ${spread(cpuPerProcess, 2)} ms of CPU time, the recorder's included.`,
    '',
    `The profile of ${gatheredProcesses} such processes is gathered from their session, with symbols, in ${spread(gathered, 2)} s and ${spread(peak, 0)} MiB.`,
    '',
  ].join('\n');
}
