// Names, files, lines and inlined calls of 10,000 addresses: against addr2line and llvm-symbolizer.
import { execFileSync } from 'node:child_process';
import { closeSync, globSync, mkdtempSync, openSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median, spread, type Series } from './statistics.ts';
import { symbolsProgram } from './symbols_program.ts';

const ADDRESSES = 10_000;
const LEAST_DEBUG = 100e6;
const BENCH = 'build/bench/bench_symbols';

type Measured = { seconds: number; cpu: number; peakKiB: number; status: number };
type Runs = { seconds: Series; cpu: Series; peak: Series };

/** A file, and the addresses that are asked for in it. */
type Subject = { file: string; id: string; addresses: string };

const has = (command: string): boolean => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Bytes of the sections whose names begin so. */
function sectionBytes(file: string, prefix: string): number {
  const lines = execFileSync('size', ['-A', file], { encoding: 'utf8' }).split('\n');
  return lines.reduce((sum, line) => (line.startsWith(prefix) ? sum + Number(line.split(/\s+/)[1]) : sum), 0);
}

function subjectOf(folder: string, name: string, file: string): Subject {
  const addresses = path.join(folder, `${name}.addresses`);
  writeFileSync(addresses, execFileSync(BENCH, ['choose', file, String(ADDRESSES)]));
  return { file, id: execFileSync(BENCH, ['id', file], { encoding: 'utf8' }).trim(), addresses };
}

function withAddresses(subject: Subject, program: string, args: string[]): any {
  const input = openSync(subject.addresses, 'r');
  try {
    return JSON.parse(execFileSync(program, args, { encoding: 'utf8', stdio: [input, 'pipe', 'inherit'] }));
  } finally {
    closeSync(input);
  }
}

/** A whole process. */
function measure(runs: Runs, subject: Subject, ...command: string[]): void {
  const measured: Measured = withAddresses(subject, 'build/bench/measure', command);
  if (measured.status !== 0) throw new Error(`${command.join(' ')} failed with status ${measured.status}`);
  runs.seconds.push(measured.seconds);
  runs.cpu.push(measured.cpu);
  runs.peak.push(measured.peakKiB / 1024);
}

const times = (peer: Series, ours: Series): string => {
  const factor = median(peer) / median(ours);
  return factor.toFixed(factor < 20 ? 1 : 0);
};

function compare(subject: Subject, repeat: number, missing: string[]): string[] {
  const none = (): Runs => ({ seconds: [], cpu: [], peak: [] });
  const [cold, keeping, cached, llvm, gnu] = [none(), none(), none(), none(), none()];
  const alone: Record<'cold' | 'cached', { ms: Series; cpu: Series }> = { cold: { ms: [], cpu: [] }, cached: { ms: [], cpu: [] } };
  const { file, id } = subject;
  const timeAlone = (into: { ms: Series; cpu: Series }, ...cache: string[]): void => {
    const { ms, cpu } = withAddresses(subject, BENCH, ['time', file, id, ...cache]);
    into.ms.push(ms);
    into.cpu.push(cpu);
  };
  const hasLlvm = has('llvm-symbolizer');
  if (!hasLlvm) missing.push('llvm-symbolizer (Debian: llvm)');
  for (let i = 0; i < repeat; i++) {
    const cache = mkdtempSync('build/bench/symbol-cache-');
    measure(cold, subject, BENCH, 'look', file, id);
    if (hasLlvm) measure(llvm, subject, 'llvm-symbolizer', `--obj=${file}`);
    measure(keeping, subject, BENCH, 'look', file, id, cache);
    measure(cached, subject, BENCH, 'look', file, id, cache);
    timeAlone(alone.cold);
    timeAlone(alone.cached, cache);
    rmSync(cache, { recursive: true });
  }
  if (has('addr2line')) measure(gnu, subject, 'addr2line', '-i', '-f', '-e', file);
  else missing.push('addr2line (Debian: binutils)');
  const cell = (seconds: Series): string =>
    seconds.length > 1 ? spread(seconds.map((s) => s * 1000), 0) : seconds.length > 0 ? (seconds[0] * 1000).toFixed(0) : '–';
  const row = (name: string, { seconds, cpu, peak }: Runs): string =>
    `| ${name} | ${cell(seconds)} | ${cell(cpu)} | ${peak.length > 0 ? median(peak).toFixed(0) : '–'} |`;
  const against = (name: string, { seconds, cpu }: Runs): string =>
    seconds.length === 0 ? '' : `${name} takes ${times(seconds, cold.seconds)} times as long by the clock and ${times(cpu, cold.cpu)} times the CPU time. `;
  return [
    '| a whole process | ms by the clock | ms of CPU time | peak MiB |',
    '|---|---|---|---|',
    row('Sonde', cold),
    row('Sonde, and keeps the answers', keeping),
    row('Sonde, from its cache', cached),
    row('llvm-symbolizer', llvm),
    row('addr2line -i -f (one run)', gnu),
    '',
    `${against('addr2line', gnu)}${against('llvm-symbolizer', llvm)}`.trim(),
    `The lookup alone, without the process around it, takes ${spread(alone.cold.ms, 1)} ms, and ${spread(alone.cached.ms, 2)} ms from the cache: ${times(alone.cold.ms, alone.cached.ms)} times less`,
    `by the clock, ${times(alone.cold.cpu, alone.cached.cpu)} times less CPU time.`,
    '',
  ];
}

export async function symbolsChapter(folder: string, repeat: number, missing: string[]): Promise<string> {
  const program = path.resolve(await symbolsProgram(path.join(folder, 'symbols')));
  const debug = sectionBytes(program, '.debug_');
  if (debug < LEAST_DEBUG) throw new Error(`${program} has only ${debug} bytes of debug information`);
  const library = globSync('/usr/lib/*/libLLVM*.so.1').map((file) => realpathSync(file)).sort().at(-1);
  const part: string[] = [];
  if (library === undefined) missing.push('libLLVM (Debian: libllvm14)');
  else {
    part.push(
      `### ${path.basename(library)}, symbols alone`,
      '',
      `${(statSync(library).size / 1e6).toFixed(0)} MB, of which ${(sectionBytes(library, '.dynsym') / 1e6).toFixed(1)} MB are symbols and ${(sectionBytes(library, '.dynstr') / 1e6).toFixed(1)} MB their names.`,
      '',
      ...compare(subjectOf(folder, 'library', library), repeat, missing),
    );
  }
  return [
    '## Symbols',
    '',
    `${ADDRESSES.toLocaleString('en')} random addresses of the code, in random order, all given to one process; the files are in memory already. Sonde and`,
    'llvm-symbolizer make names readable, addr2line does not.',
    '',
    '### A program with full debug information',
    '',
    `C++ made by the bench, \`g++ -O2 -g\`: ${(sectionBytes(program, '.text') / 1e6).toFixed(1)} MB of code, ${(debug / 1e6).toFixed(0)} MB of debug information.`,
    '',
    ...compare(subjectOf(folder, 'program', program), repeat, missing),
    ...part,
  ].join('\n');
}
