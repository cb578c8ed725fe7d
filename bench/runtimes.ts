// What frames of language runtimes cost, and whether they stand where the peer of each language sees them: Sonde and the peer record the
// same work, one after the other, at 1000 samples a second.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { spread, type Series } from './statistics.ts';

const SHOWN = 8; // functions of each program
const MOST = 1 << 30; // bytes of output

/** Self time by function, in percent. A function is "name (file)", the file without its folders. */
type Shares = Map<string, number>;

type Peer = { name: string; record: (command: string[]) => string[]; shares: () => Shares };
type Program = { language: string; command: string[]; peer: Peer };

const fileName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

function which(name: string): string {
  for (const folder of (process.env.PATH ?? '').split(':')) if (existsSync(path.join(folder, name))) return path.join(folder, name);
  throw new Error(`${name} is not installed`);
}

function sharesOf(weights: Map<string, number>): Shares {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return new Map([...weights].map(([name, weight]) => [name, (weight / total) * 100]));
}

function sondeShares(profile: string): Shares {
  const args = ['functions', profile, '--json', '--strategy', 'cpu', '--implementation', 'js'];
  const { functions } = JSON.parse(execFileSync('build/sonde', args, { encoding: 'utf8', maxBuffer: MOST }));
  const weights = new Map<string, number>();
  for (const { name, lib, self } of functions) {
    const key = `${name} (${fileName(lib ?? '')})`;
    weights.set(key, (weights.get(key) ?? 0) + self);
  }
  return sharesOf(weights);
}

// --- programs -------------------------------------------------------------------------------------------------------------------------

function python(folder: string): Program {
  const output = path.join(folder, 'py-spy.txt');
  const installed = path.resolve(folder, 'py-spy/bin/py-spy');
  const spy = existsSync(installed) ? installed : which('py-spy');
  // What PATH names may be a script that looks for the interpreter.
  const interpreter = execFileSync(which('python3'), ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  return {
    language: 'Python',
    command: [interpreter, 'bench/runtimes/work.py', '80'],
    peer: {
      name: 'py-spy',
      record: (command) => [spy, 'record', '--rate', '1000', '--format', 'raw', '--output', output, '--', ...command],
      shares: () => {
        const weights = new Map<string, number>();
        for (const line of readFileSync(output, 'utf8').trimEnd().split('\n')) {
          const found = /([^;]+) \(([^;]*?)(?::\d+)?\) (\d+)$/.exec(line);
          if (!found) continue; // A stack without a frame.
          const [, name, file, count] = found;
          const key = `${name} (${fileName(file)})`;
          weights.set(key, (weights.get(key) ?? 0) + Number(count));
        }
        return sharesOf(weights);
      },
    },
  };
}

// --- measuring ------------------------------------------------------------------------------------------------------------------------

type Measured = { seconds: number; cpu: number; status: number };

function measure(command: string[]): Measured {
  const measured: Measured = JSON.parse(execFileSync('build/bench/measure', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  if (measured.status !== 0) throw new Error(`${command.join(' ')} failed with status ${measured.status}`);
  return measured;
}

const more = (plain: Series, recorded: Series): string => spread(recorded.map((value, i) => (value / plain[i] - 1) * 100));

function chapterOf(program: Program, folder: string, repeat: number): { cost: string; shares: string } {
  const profile = path.join(folder, 'runtime.json.gz');
  const sonde = (features: string): string[] => ['build/sonde', 'record', '-s', '--features', features, '-o', profile, '--', ...program.command];
  const ways = new Map([
    ['plain', program.command],
    ['Sonde, native frames alone', sonde('stackwalk,processcpu')],
    ['Sonde', sonde('default')],
    [program.peer.name, program.peer.record(program.command)],
  ]);
  const seconds = new Map<string, Series>(), cpu = new Map<string, Series>();
  for (let i = 0; i < repeat; i++)
    for (const [name, command] of ways) {
      const measured = measure(command);
      seconds.set(name, [...(seconds.get(name) ?? []), measured.seconds]);
      cpu.set(name, [...(cpu.get(name) ?? []), measured.cpu]);
    }
  let cost = '', language = program.language;
  for (const name of [...ways.keys()].slice(1)) {
    cost += `| ${language} | ${name} | ${more(cpu.get('plain')!, cpu.get(name)!)} | ${more(seconds.get('plain')!, seconds.get(name)!)} |\n`;
    language = '';
  }
  // Of the last run of each.
  const ours = sondeShares(profile), theirs = program.peer.shares();
  const names = [...theirs].sort((a, b) => b[1] - a[1]).slice(0, SHOWN).map(([name]) => name);
  for (const [name] of [...ours].sort((a, b) => b[1] - a[1]).slice(0, SHOWN)) if (!names.includes(name)) names.push(name);
  let shares = `| ${program.language} | Sonde % | ${program.peer.name} % | difference |\n|---|---|---|---|\n`;
  for (const name of names) {
    const difference = (ours.get(name) ?? 0) - (theirs.get(name) ?? 0);
    shares += `| \`${name}\` | ${(ours.get(name) ?? 0).toFixed(1)} | ${(theirs.get(name) ?? 0).toFixed(1)} | ${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(1)} |\n`;
  }
  return { cost, shares };
}

export function runtimesChapter(folder: string, repeat: number, missing: string[]): string {
  let costs = '', shares = '';
  for (const prepare of [python]) {
    let program: Program;
    try {
      program = prepare(folder);
    } catch (error) {
      missing.push((error as Error).message);
      continue;
    }
    const chapter = chapterOf(program, folder, repeat);
    costs += chapter.cost;
    shares += `\n${chapter.shares}`;
  }
  return `## Frames of language runtimes

The same work, recorded by Sonde and by the peer of the language at 1000 samples a second. CPU time is that of the program and of what
records it together, until the profile is written; both are in percent above the plain run beside it: the median of ${repeat} runs, with the
least and the greatest.

| | | CPU time +% | time +% |
|---|---|---|---|
${costs}
Self time by function, in percent:
${shares}`;
}
