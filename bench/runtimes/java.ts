// Java beside async-profiler, with both of its clocks. A function is "package.Class.method": of lambdas without what each run numbers
// as it likes.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sharesOf, which, type Peer, type Program, type Shares } from './program.ts';

const PROFILER = path.resolve('build/async-profiler/linux-x64/libasyncProfiler.so');

const plain = (name: string): string => name.replaceAll('/', '.').replace(/(\$\$Lambda)[$/.\w]*\./, '$1.');

function sharesIn(output: string): Shares {
  const weights = new Map<string, number>();
  for (const line of readFileSync(output, 'utf8').trimEnd().split('\n')) {
    const end = line.lastIndexOf(' '), name = plain(line.slice(line.lastIndexOf(';', end) + 1, end));
    if (!name.startsWith('[')) weights.set(name, (weights.get(name) ?? 0) + Number(line.slice(end + 1)));
  }
  return sharesOf(weights);
}

export function java(folder: string): Program {
  const classes = path.resolve(folder, 'work-java');
  const machine = which('java');
  if (!existsSync(PROFILER)) throw new Error('async-profiler is not installed');
  execFileSync(which('javac'), ['-d', classes, 'bench/runtimes/Work.java']);
  const peer = (event: string): Peer => {
    const output = path.resolve(folder, `async-profiler-${event}.txt`);
    const agent = `-agentpath:${PROFILER}=start,event=${event},interval=1ms,cstack=no,collapsed,total,file=${output}`;
    return {
      name: `async-profiler, ${event}`,
      record: ([first, ...others]) => [first, agent, ...others],
      shares: event === 'cpu' ? () => sharesIn(output) : undefined,
    };
  };
  return {
    language: 'Java',
    command: [machine, '-cp', classes, 'Work', '150'],
    nameOf: (name) => plain(name.replace(/\(.*/, '')),
    peers: [peer('cpu'), peer('ctimer')],
  };
}
