// What recording costs a build, which is many processes, and what a profile of a thousand of them costs.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { median, quantile, spread, type Series } from './statistics.ts';

// Parts of this project that need nothing else to be built, so that the two compilers always have work. It takes seconds: the
// speed of a shared machine changes within minutes, so that many short pairs say more than a few long ones.
const TARGETS = ['src/common/libcommon.a', 'src/session/libsession.a'];
const SHORT = 300;
const MANY = 1000;

type Measured = { seconds: number; cpu: number; peakKiB: number; status: number };
type Pair = { plain: Measured; recorded: Measured; whole: Measured };

function measure(...command: string[]): Measured {
  const measured: Measured = JSON.parse(execFileSync('build/bench/measure', command, { encoding: 'utf8' }));
  if (measured.status !== 0) throw new Error(`${command.join(' ')} failed with status ${measured.status}`);
  return measured;
}

/** The command as it is recorded, measured from within; `whole` has the recorder and the profile as well. */
function record(profile: string, options: string[], ...command: string[]): { recorded: Measured; whole: Measured } {
  const start = performance.now();
  const text = execFileSync('build/sonde', ['record', '-s', '-o', profile, ...options, '--', 'build/bench/measure', ...command], { encoding: 'utf8' });
  const recorded: Measured = JSON.parse(text);
  if (recorded.status !== 0) throw new Error(`${command.join(' ')} failed with status ${recorded.status}`);
  return { recorded, whole: { ...recorded, seconds: (performance.now() - start) / 1000 } };
}

/** Each run as it is has a recorded one beside it, and which of the two is first changes. */
function pairs(count: number, profile: string, options: string[], before: () => void, ...command: string[]): Pair[] {
  const plainly = (): Measured => (before(), measure(...command));
  const recorded = (): { recorded: Measured; whole: Measured } => (before(), record(profile, options, ...command));
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

/** "+1.2 % [0.4, 2.0]": by how much the second of each pair is more, median and quartiles. */
function more(all: Pair[], of: (pair: Pair) => [number, number]): string {
  const series: Series = all.map((pair) => (of(pair)[1] / of(pair)[0] - 1) * 100);
  const text = (q: number): string => quantile(series, q).toFixed(1);
  return `${median(series) >= 0 ? '+' : ''}${text(0.5)} % [${text(0.25)}, ${text(0.75)}]`;
}

type Info = { processes: unknown[]; notes: string[] };

function infoOf(profile: string): Info {
  const info = JSON.parse(execFileSync('build/sonde', ['info', '--json', profile], { encoding: 'utf8', maxBuffer: 1 << 30 }));
  return { processes: info.processes, notes: info.quality?.notes ?? [] };
}

const loop = (count: number): string[] => ['sh', '-c', `i=0; while [ $i -lt ${count} ]; do /bin/true; i=$((i+1)); done`];

export function processesChapter(folder: string, repeat: number): string {
  const self = path.join(folder, 'self');
  const profile = path.join(folder, 'processes.json.gz');
  if (!existsSync(path.join(self, 'build.ninja'))) execFileSync('meson', ['setup', self, '--buildtype=release'], { stdio: 'ignore' });
  const clean = (): void => void execFileSync('ninja', ['-C', self, '-t', 'clean'], { stdio: 'ignore' });
  const build = ['ninja', '-C', self, '-j2', ...TARGETS];
  const everyTick = pairs(2 * repeat, profile, ['--rate', '1000'], clean, ...build);
  const builds = pairs(8 * repeat, profile, [], clean, ...build);
  const { processes, notes } = infoOf(profile);
  const repeated = notes.find((note) => note.includes('repeat the one before'));
  const shorts = pairs(repeat, profile, [], () => undefined, ...loop(SHORT));
  const perProcess: Series = shorts.map(({ plain, recorded }) => ((recorded.seconds - plain.seconds) / SHORT) * 1000);
  const cpuPerProcess: Series = shorts.map(({ plain, recorded }) => ((recorded.cpu - plain.cpu) / SHORT) * 1000);

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
  const column = (of: (pair: Pair) => Measured, key: 'seconds' | 'cpu'): string => spread(builds.map((pair) => of(pair)[key]), 2);
  return [
    '## Many processes',
    '',
    `A build of parts of this project with \`ninja -j2\`: ${processes.length} processes, all recorded, with what \`sonde record\` does by itself. ${builds.length} pairs of runs, one as it is and one`,
    'recorded beside it, in changing order; the last column is the median of the differences within the pairs [quartiles].',
    '',
    '| | as it is | recorded | more |',
    '|---|---|---|---|',
    `| seconds | ${column((pair) => pair.plain, 'seconds')} | ${column((pair) => pair.recorded, 'seconds')} | ${more(builds, ({ plain, recorded }) => [plain.seconds, recorded.seconds])} |`,
    `| … until the profile is written | | ${column((pair) => pair.whole, 'seconds')} | ${more(builds, ({ plain, whole }) => [plain.seconds, whole.seconds])} |`,
    `| CPU seconds of all its processes | ${column((pair) => pair.plain, 'cpu')} | ${column((pair) => pair.recorded, 'cpu')} | ${more(builds, ({ plain, recorded }) => [plain.cpu, recorded.cpu])} |`,
    `| seconds, with \`--rate 1000\` (${everyTick.length} pairs) | ${spread(everyTick.map(({ plain }) => plain.seconds), 2)} | ${spread(everyTick.map(({ recorded }) => recorded.seconds), 2)} | ${more(everyTick, ({ plain, recorded }) => [plain.seconds, recorded.seconds])} |`,
    '',
    ...(repeated ? [`What \`sonde info\` says of the last one: ${repeated}.`, ''] : []),
    `A process that ends at once (\`/bin/true\`, ${SHORT} in a row from a shell) takes ${spread(perProcess, 2)} ms longer, ${spread(cpuPerProcess, 2)} ms of that on a CPU.`,
    '',
    `The profile of ${gatheredProcesses} such processes is gathered from their session, with symbols, in ${spread(gathered, 2)} s and ${spread(peak, 0)} MiB.`,
    '',
  ].join('\n');
}
