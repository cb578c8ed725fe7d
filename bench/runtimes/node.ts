// Node beside its own --cpu-prof. A function is "name (file)", the file without its folders. V8's own code counts for the function that
// called it; what the collector uses is one function there, and with us belongs to the functions that it interrupts.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileName, sharesOf, which, type Program, type Shares } from './program.ts';

type Node = { id: number; callFrame: { functionName: string; url: string }; children?: number[] };
type Profile = { nodes: Node[]; samples: number[] };

function sharesIn(profile: Profile): Shares {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child): [number, Node] => [child, node])));
  const weights = new Map<string, number>();
  for (const sample of profile.samples) {
    let node: Node | undefined = nodes.get(sample);
    while (node && !node.callFrame.url) node = parents.get(node.id);
    if (!node) continue; // (program), (idle), (garbage collector)
    const key = `${node.callFrame.functionName || '(anonymous)'} (${fileName(node.callFrame.url)})`;
    weights.set(key, (weights.get(key) ?? 0) + 1);
  }
  return sharesOf(weights);
}

export function node(folder: string): Program {
  const output = path.resolve(folder, 'cpu-prof');
  return {
    language: 'Node',
    command: [which('node'), 'bench/runtimes/work.js', '150'],
    nameOf: (name, file) => `${name} (${fileName(file)})`,
    peers: [
      {
        name: '--cpu-prof',
        record: ([first, ...others]) => {
          rmSync(output, { recursive: true, force: true });
          mkdirSync(output, { recursive: true });
          return [first, '--cpu-prof', '--cpu-prof-interval', '1000', '--cpu-prof-dir', output, ...others];
        },
        shares: () => sharesIn(JSON.parse(readFileSync(path.join(output, readdirSync(output)[0]), 'utf8'))),
      },
    ],
  };
}
