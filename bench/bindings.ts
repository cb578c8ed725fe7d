// What a call of each binding costs, while nothing is recorded and while it is: as its own example `cost` measures it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { spread, type Series } from './statistics.ts';

type Binding = { language: string; prepare: () => void; command: string[]; environment?: Record<string, string> };

function bindings(folder: string): Binding[] {
  const target = path.resolve(folder, 'rust'), node = path.resolve(folder, 'node');
  return [
    {
      language: 'Rust',
      prepare: () => execFileSync('cargo', ['build', '--quiet', '--offline', '--release', '--example', 'cost'], { cwd: 'bindings/rust', env: { ...process.env, CARGO_TARGET_DIR: target } }),
      command: [path.join(target, 'release/examples/cost')],
    },
    {
      language: 'Java',
      prepare: () => {
        const sources = ['bindings/java/examples', 'bindings/java/src/main/java/sonde'].flatMap((from) => readdirSync(from).map((name) => path.join(from, name)));
        execFileSync('javac', ['-d', path.join(folder, 'java'), ...sources.filter((name) => name.endsWith('.java'))]);
      },
      command: ['java', '-cp', path.join(folder, 'java'), 'Cost'],
    },
    { language: 'Python', prepare: () => {}, command: ['python3', 'bindings/python/examples/cost.py'], environment: { PYTHONPATH: path.resolve('bindings/python') } },
    {
      language: 'Node',
      prepare: () => {
        const headers = [path.resolve(execFileSync('node', ['-p', 'process.execPath'], { encoding: 'utf8' }).trim(), '../../include/node'), '/usr/include/node'];
        cpSync('bindings/node', node, { recursive: true });
        mkdirSync(path.join(node, 'build/Release'), { recursive: true });
        const include = headers.find((candidate) => existsSync(path.join(candidate, 'node_api.h')));
        execFileSync('cc', ['-std=gnu17', '-O2', '-shared', '-fPIC', '-fvisibility=hidden', `-I${include}`, path.join(node, 'src/addon.c'), '-o', path.join(node, 'build/Release/sonde.node')]);
      },
      command: ['node', path.join(node, 'examples/cost.js')],
    },
  ];
}

/** The example prints a line for each kind of call: its name, a tab, nanoseconds. */
function run(binding: Binding, ...recorder: string[]): [string, number][] {
  const [command, ...args] = [...recorder, ...binding.command];
  const text = execFileSync(command, args, { encoding: 'utf8', env: { ...process.env, ...binding.environment }, stdio: ['ignore', 'pipe', 'ignore'] });
  return text.trim().split('\n').map((line): [string, number] => {
    const [name, nanoseconds] = line.split('\t');
    return [name, Number(nanoseconds)];
  });
}

export function bindingsChapter(folder: string, repeat: number, missing: string[]): string {
  let text = `## A marker from other languages

Nanoseconds for one call, the loop around it included, where Sonde is not there and while it records: the median of ${repeat} runs, with the least and the greatest.

| | | not recorded | recorded |
|---|---|---|---|
`;
  for (const binding of bindings(folder)) {
    const plain = new Map<string, Series>(), recorded = new Map<string, Series>();
    try {
      binding.prepare();
    } catch {
      missing.push(`the binding for ${binding.language}`);
      continue;
    }
    for (let i = 0; i < repeat; i++) {
      for (const [name, nanoseconds] of run(binding)) plain.set(name, [...(plain.get(name) ?? []), nanoseconds]);
      const recorder = ['build/sonde', 'record', '-s', '-o', path.join(folder, 'bindings.json.gz'), '--'];
      for (const [name, nanoseconds] of run(binding, ...recorder)) recorded.set(name, [...(recorded.get(name) ?? []), nanoseconds]);
    }
    let language = binding.language;
    for (const [name, series] of plain) {
      text += `| ${language} | ${name} | ${spread(series, 2)} | ${spread(recorded.get(name)!, 0)} |\n`;
      language = '';
    }
  }
  return text;
}
