// What frames of language runtimes cost, and whether they stand where the peers of each language see them: Sonde and the peers record the
// same work, one after the other, at 1000 samples a second. Each language has a file in bench/runtimes/.
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import path from 'node:path';
import { java } from './runtimes/java.ts';
import { node } from './runtimes/node.ts';
import { sharesOf, type Program, type Shares } from './runtimes/program.ts';
import { python } from './runtimes/python.ts';
import { spread, type Series } from './statistics.ts';

const SHOWN = 8; // functions of each program
const MOST = 1 << 30; // bytes of output

function sondeShares(profile: string, program: Program): Shares {
  const args = ['functions', profile, '--json', '--thread', 'all', '--strategy', 'cpu', '--implementation', 'js', '--limit', '100000'];
  const { functions } = JSON.parse(execFileSync('build/sonde', args, { encoding: 'utf8', maxBuffer: MOST }));
  const weights = new Map<string, number>();
  for (const { name, lib, self } of functions) {
    if (/^\((?!anonymous)/.test(name)) continue; // No function: (root), (kernel).
    const key = program.nameOf(name, lib ?? '');
    weights.set(key, (weights.get(key) ?? 0) + self);
  }
  return sharesOf(weights);
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
    ...program.peers.map((peer): [string, string[]] => [peer.name, peer.record(program.command)]),
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
  const peer = program.peers.find((candidate) => candidate.shares)!;
  const ours = sondeShares(profile, program), theirs = peer.shares!();
  const names = [...theirs].sort((a, b) => b[1] - a[1]).slice(0, SHOWN).map(([name]) => name);
  for (const [name] of [...ours].sort((a, b) => b[1] - a[1]).slice(0, SHOWN)) if (!names.includes(name)) names.push(name);
  let shares = `| ${program.language} | Sonde % | ${peer.name} % | difference |\n|---|---|---|---|\n`;
  for (const name of names) {
    const difference = (ours.get(name) ?? 0) - (theirs.get(name) ?? 0);
    shares += `| \`${name}\` | ${(ours.get(name) ?? 0).toFixed(1)} | ${(theirs.get(name) ?? 0).toFixed(1)} | ${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(1)} |\n`;
  }
  return { cost, shares };
}

export function runtimesChapter(folder: string, repeat: number, missing: string[]): string {
  const before = loadavg()[0];
  let costs = '', shares = '';
  for (const prepare of [node, python, java]) {
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

The same work, recorded by Sonde and by the peers of the language at 1000 samples a second. CPU time is that of the program and of what
records it together, until the profile is written; both are in percent above the plain run beside it: the median of ${repeat} runs, with the
least and the greatest. Two plain runs of a Java program differ by some percent, too. Load of the machine (1 minute) before and after:
${before.toFixed(1)}, ${loadavg()[0].toFixed(1)}.

| | | CPU time +% | time +% |
|---|---|---|---|
${costs}
Self time by function, in percent:
${shares}`;
}
