// Numbers on the page are those of the command, in 200 random states, of reports in fewer: states.ts SONDE [TEXT] [report].
//
// A state is a command line that is given to the page as a person pastes it. What the page shows of it is held against what the
// command says of it, and against what it says of the command line that the page makes of its view.
import { basename, join } from 'node:path';
import { percent, weight, weightOrDash, weightWithUnit, type WeightType } from '../../src/format/numbers.ts';
import { shellWords } from '../../src/state/command_line.ts';
import { need, needEqual, test, Wrong } from '../tap.ts';
import { Chance } from './chance.ts';
import { told } from './command.ts';
import { APP, DATA, isReport, runAll, visit, type Row, type Visit } from './visit.ts';

/** Numbers in reports are made by the same code as those of a server: fewer states are enough. */
const STATES = isReport ? 84 : 200;
const PROFILES = [APP, ...['walk.perf.txt', 'workers.perf.txt', 'js-allocations.json', 'native-allocations.json', 'async.cpuprofile', 'gecko1.json.gz'].map((name) => join(DATA, name))];

// ---- what the command says ----

interface Answer {
  readonly weightType: WeightType;
  readonly rootTotal: number;
}
interface Node {
  readonly func: string;
  readonly name: string;
  readonly lib: string | null;
  readonly category: string | null;
  readonly total: number;
  readonly self: number;
  readonly children: readonly Node[];
}
interface Tree extends Answer {
  readonly nodes: readonly Node[];
}
interface Functions extends Answer {
  readonly functions: readonly Omit<Node, 'children'>[];
}
interface Lines extends Answer {
  readonly lines: readonly { readonly line: number; readonly total: number; readonly self: number }[];
}
interface Info {
  readonly meta: { readonly duration: number };
  readonly threads: readonly { readonly handle: string; readonly samples: number }[];
}

// ---- random states ----

const OF_FUNCTIONS = ['focus-function', 'focus-self', 'merge-function', 'drop-function', 'collapse-recursion', 'collapse-direct-recursion', 'collapse-function-subtree'];
const OF_PATHS = ['merge-call-node', 'focus-subtree', 'filter-samples:stack-prefix'];
const OF_TEXTS = ['keep-matching:-a', 'drop-matching:/^[a-c]/', 'merge-matching:e, -name:a', 'collapse-matching:lib:/[a-z]/'];
const SEARCHES = ['e, r', 'xyzzy', '-e', '/^[a-m]/, -lib:s', 'cat:o, -thread:/1$/'];

/** Of a path that is in the tree. */
function randomTransform(chance: Chance, roots: readonly Node[]): string {
  const path: Node[] = [];
  for (let nodes = roots; nodes.length > 0 && (path.length === 0 || chance.often(0.8)); ) {
    const node = chance.of(nodes);
    path.push(node);
    nodes = node.children;
  }
  const { func, lib, category } = path[path.length - 1]!, handles = path.map((node) => node.func).join(';');
  return chance.of([
    ...OF_FUNCTIONS.map((kind) => `${kind}:${func}`), `filter-samples:function-include:${func}`, ...OF_PATHS.map((kind) => `${kind}:${handles}`), ...OF_TEXTS,
    ...(category ? [`focus-category:${category}`] : []), ...(lib ? [`collapse-resource:${lib}`] : []),
  ]);
}

/** Never on a sample, and never before the start: a minus counts from the end. */
function randomRange(chance: Chance, ms: number): string {
  const start = Math.max(0, Math.round((chance.share() * 0.6 - 0.1) * ms)) + 0.3711, end = Math.round(start + (0.2 + 0.6 * chance.share()) * ms) + 0.7213;
  const [from, until] = [String(start / 1000), String(end / 1000)];
  return chance.of([`${from},${until}`, `${from},`, `,${until}`]);
}

/** Mostly threads that have samples. */
function randomThreads(chance: Chance, threads: Info['threads']): string[] {
  const sampled = threads.filter(({ samples }) => samples > 0);
  return chance.some(sampled.length > 0 && chance.often(0.9) ? sampled : threads, chance.of([1, 1, 2, 3])).flatMap(({ handle }) => ['-t', handle]);
}

async function randomOptions(chance: Chance, profile: string, { meta, threads }: Info): Promise<string[]> {
  const options = randomThreads(chance, threads), { nodes } = (await told('tree', [profile, ...options])) as Tree;
  if (chance.often(0.4)) options.push('-r', randomRange(chance, meta.duration));
  if (chance.often(0.2)) options.push('--implementation', chance.of(['js', 'cpp']));
  if (chance.often(0.3)) options.push(`--search=${chance.of([...SEARCHES, chance.of(['r', ...nodes.map(({ name }) => name.slice(0, 3).toUpperCase())])])}`);
  for (let left = nodes.length > 0 ? chance.of([0, 0, 1, 1, 2, 3]) : 0; left > 0; left--) options.push('-T', randomTransform(chance, nodes));
  if (chance.often(0.3)) options.push('--exclude-idle');
  return options;
}

// ---- what the page shows ----

const quote = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Pastes a command line, as a person does. */
async function show(view: Visit, words: readonly string[]): Promise<void> {
  await view.press('Control+k');
  await view.page.keyboard.insertText(words.map(quote).join(' '));
  await view.page.locator('.palette li', { hasText: 'Show what this command line says' }).waitFor();
  await view.press('Enter');
  needEqual(await view.texts('.failure'), []);
}

/** The nodes that rows have to be: those below an open row are shown. */
function* shownNodes(roots: readonly Node[], rows: readonly Row[], level = 1, at = { row: 0 }): Generator<readonly [Node, number]> {
  for (const node of roots) {
    if (at.row >= rows.length) return;
    const { isOpen } = rows[at.row++]!;
    yield [node, level];
    if (isOpen) yield* shownNodes(node.children, rows, level + 1, at);
  }
}

async function compareTree(view: Visit, { nodes, weightType, rootTotal }: Tree): Promise<void> {
  if (nodes.length > 0) await view.press('Home', '*');
  const rows = await view.rows();
  const expected = [...shownNodes(nodes, rows)].map(([{ name, lib, total, self }, level]) => [level, name, lib ?? '', percent(total, rootTotal), weight(total, weightType), weightOrDash(self, weightType)]);
  needEqual(rows.map(({ level, name, library, share, total, self }) => [level, name, library, share, total, self]), expected, 'rows of the tree');
  const first = nodes[0];
  if (!first) return;
  const amount = (value: number): string => (value === 0 ? '——' : percent(value, rootTotal) + weightWithUnit(value, weightType));
  needEqual((await view.texts('.sidebar tr')).slice(0, 2), [`Total of this node${amount(first.total)}`, `Self of this node${amount(first.self)}`], 'the sidebar');
}

/** From the root along the heaviest boxes. */
async function compareFlame(view: Visit, { nodes, weightType, rootTotal }: Tree): Promise<void> {
  await view.press('3');
  for (let left = 3, at = nodes; left > 0 && at.length > 0; left--) {
    await view.press('ArrowUp');
    const described = await view.text('#flame-selected');
    const [box] = at.filter(({ name, total }) => described.startsWith(`${name}, ${percent(total, rootTotal)}, ${weightWithUnit(total, weightType)}`));
    need(box !== undefined, `the flame graph says “${described}”, which is none of`, at.slice(0, 5).map(({ name, total }) => `${name} ${total}`));
    at = box.children;
  }
}

async function compareFunctions(view: Visit, { functions, weightType, rootTotal }: Functions): Promise<void> {
  await view.press('Home');
  const rows = await view.page.locator('.function-row:not([hidden])').evaluateAll((all) =>
    all.sort((a, b) => Number((a as HTMLElement).dataset.row) - Number((b as HTMLElement).dataset.row)).map((row) => [...row.children].slice(0, 6).map((cell) => cell.textContent)),
  );
  const expected = functions.slice(0, rows.length).map(({ name, lib, total, self }) =>
    [self === 0 ? '' : percent(self, rootTotal), weightOrDash(self, weightType), percent(total, rootTotal), weight(total, weightType), name, lib ?? '']);
  needEqual(rows, expected, 'the functions');
}

async function compareLines(view: Visit, { lines, rootTotal }: Lines): Promise<void> {
  const shown = await view.page.locator('.hot-line').evaluateAll((all) => all.map((line) => `${line.children[0]?.textContent} ${line.children[2]?.textContent}`));
  const hottest = lines.filter(({ line }) => line > 0).sort((a, b) => b.total - a.total || b.self - a.self).slice(0, 5);
  needEqual(shown, hottest.map(({ line, total }) => `${line} ${percent(total, rootTotal)}`), 'the hottest lines');
}

// ---- both ----

/** Whether there was something to compare. */
async function compare(view: Visit, chance: Chance, profile: string, options: readonly string[]): Promise<boolean> {
  const which = chance.of(['tree', 'inverted', 'functions', 'flame']), name = which === 'functions' ? 'functions' : 'tree';
  const words = [profile, ...options, ...(which === 'inverted' ? ['-i'] : [])];
  await show(view, ['sonde', name, ...words]);
  const answer = (await told(name, words)) as Tree & Functions;
  const [, ownName, , ...own] = shellWords(await view.commandLine())!;
  needEqual(await told(ownName!, [profile, ...own]), answer, 'the command line that the page makes');
  if (which === 'flame') await compareFlame(view, answer);
  else if (which === 'functions') await compareFunctions(view, answer);
  else {
    await compareTree(view, answer);
    const [first] = answer.nodes;
    if (first) await compareLines(view, (await told('lines', [...words, '--function', first.func])) as Lines);
  }
  return answer.rootTotal !== 0;
}

for (const [number, profile] of PROFILES.entries())
  test(`what the page says of ${basename(profile)}, the command says`, () =>
    visit(profile, async (view) => {
      const chance = new Chance(number), info = (await told('info', [profile])) as Info;
      let all = 0, shown = 0;
      for (let state = number; state < STATES; state += PROFILES.length) {
        const options = await randomOptions(chance, profile, info);
        try {
          all++;
          if (await compare(view, chance, profile, options)) shown++;
        } catch (error) {
          throw new Wrong(`${options.map(quote).join(' ')}\n${error instanceof Wrong ? error.message : String(error)}`);
        }
      }
      need(shown > all / (isReport ? 4 : 2), `only ${shown} of ${all} states show something`);
    }));

await runAll({ atOnce: PROFILES.length });
