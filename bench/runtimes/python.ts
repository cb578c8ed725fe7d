// Python beside py-spy. A function is "name (file)", the file without its folders.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileName, sharesOf, which, type Program } from './program.ts';

export function python(folder: string): Program {
  const output = path.join(folder, 'py-spy.txt');
  const installed = path.resolve(folder, 'py-spy/bin/py-spy');
  const spy = existsSync(installed) ? installed : which('py-spy');
  // What PATH names may be a script that looks for the interpreter.
  const interpreter = execFileSync(which('python3'), ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  return {
    language: 'Python',
    command: [interpreter, 'bench/runtimes/work.py', '80'],
    nameOf: (name, file) => `${name} (${fileName(file)})`,
    peers: [
      {
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
    ],
  };
}
