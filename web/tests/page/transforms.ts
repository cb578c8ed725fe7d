// Every transform, by mouse and by key, gives what the command gives, and can be taken back: transforms.ts SONDE [TEXT] [report].
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWords } from '../../src/state/command_line.ts';
import { need, needEqual, test } from '../tap.ts';
import { Chance } from './chance.ts';
import { command } from './command.ts';
import { APP, DATA, isReport, runAll, scratch, visit, type Visit } from './visit.ts';

interface Case {
  readonly kind: string;
  readonly key: string;
  /** The item of the menu, and the crumb. */
  readonly item: RegExp;
  readonly crumb: string;
  /** What it is done with. */
  readonly on: string;
  readonly profile?: string;
}

const RECURSIVE = join(scratch, 'recursive.folded');
writeFileSync(RECURSIVE, 'main;walk;walk;walk;leaf 5\nmain;walk;leaf;walk;leaf 3\nmain;other 2\n');

const CASES: readonly Case[] = [
  { kind: 'merge-function', key: 'm', item: /^Merge function draw/, crumb: 'Merge: draw', on: 'draw' },
  { kind: 'merge-call-node', key: 'M', item: /^Merge node only/, crumb: 'Merge Node: draw', on: 'draw' },
  { kind: 'focus-function', key: 'f', item: /^Focus on function draw/, crumb: 'Focus: draw', on: 'draw' },
  { kind: 'focus-subtree', key: 'F', item: /^Focus on subtree only/, crumb: 'Focus Node: draw', on: 'draw' },
  { kind: 'focus-self', key: 'S', item: /^Focus on self of draw only/, crumb: 'Focus Self: draw', on: 'draw' },
  { kind: 'focus-category', key: 'g', item: /^Focus on category Graphics/, crumb: 'Focus category: Graphics', on: 'draw' },
  { kind: 'collapse-function-subtree', key: 'c', item: /^Collapse function draw/, crumb: 'Collapse subtree: draw', on: 'draw' },
  { kind: 'collapse-resource', key: 'C', item: /^Collapse libc/, crumb: 'Collapse: libc.so.6', on: 'memcpy' },
  { kind: 'drop-function', key: 'd', item: /^Drop samples with draw/, crumb: 'Drop: draw', on: 'draw' },
  { kind: 'collapse-recursion', key: 'r', item: /^Collapse recursion/, crumb: 'Collapse recursion: walk', on: 'walk', profile: RECURSIVE },
  { kind: 'collapse-direct-recursion', key: 'R', item: /^Collapse direct recursion only/, crumb: 'Collapse direct recursion only: walk', on: 'walk', profile: RECURSIVE },
];

interface Node {
  readonly name: string;
  readonly total: number;
  readonly self: number;
  readonly children: readonly Node[];
}

function* flat(nodes: readonly Node[], level = 1): Generator<string> {
  for (const { name, total, self, children } of nodes) {
    yield `${level} ${name} ${total} ${self === 0 ? '—' : self}`;
    yield* flat(children, level + 1);
  }
}

/** What the command says of the view, by the command line that the page gives for it. */
async function toldTree(view: Visit, profile: string): Promise<string[]> {
  const [, , , ...options] = shellWords(await view.commandLine())!;
  return [...flat((command('tree', [profile, ...options]) as { nodes: Node[] }).nodes)];
}

/** The whole tree. */
async function openTree(view: Visit): Promise<string[]> {
  const roots = (await view.rows()).filter(({ level }) => level === 1).length;
  for (let i = 0; i < roots; i++) {
    await view.press('Home');
    for (let at = (await view.rows()).filter(({ level }) => level === 1)[i]!.name; ; await view.press('ArrowDown')) if ((await view.rows()).find(({ isSelected }) => isSelected)?.name === at) break;
    await view.press('*');
  }
  return view.tree();
}

const selectedName = async (view: Visit): Promise<string | undefined> => (await view.rows()).find(({ isSelected }) => isSelected)?.name;

/** The third row of that name, where recursions are. */
async function choose(view: Visit, name: string): Promise<void> {
  await view.press('Home', '*');
  await view.page.locator('#panel .tree-row:not([hidden])', { has: view.page.locator('.name', { hasText: new RegExp(`^${name}$`) }) }).nth(name === 'walk' ? 2 : 0).locator('.name').click();
  await view.settled();
}

for (const { kind, key, item, crumb, on, profile = APP } of CASES)
  test(`${kind}: the key ${key} and the menu do what the command does, and undo takes it back`, () =>
    visit(profile, async (view) => {
      await choose(view, on);
      const before = await view.tree();
      await view.press(key);
      needEqual((await view.crumbs())[1], crumb);
      const byKey = await view.tree();
      needEqual(await openTree(view), await toldTree(view, profile), 'the tree');
      await view.press('Control+z');
      needEqual([await view.crumbs().then((crumbs) => crumbs.length), await view.tree(), await selectedName(view)], [1, before, on], 'after undo');
      await view.page.locator('#panel .tree-row.selected').locator('.name').click({ button: 'right' });
      await view.settled();
      await view.clickOn('menuitem', item);
      needEqual([(await view.crumbs())[1], await view.tree()], [crumb, byKey], 'by the menu');
      await view.press('Control+z', 'Control+Shift+z');
      needEqual((await view.crumbs())[1], crumb, 'done again');
      await view.clickOn('button', `Remove ${crumb}`);
      needEqual([await view.crumbs().then((crumbs) => crumbs.length), (await view.tree())[0]], [1, before[0]], 'after its cross');
    }));

test('functions without names are merged at once', () =>
  visit(APP, async (view) => {
    await view.press('Home', '*');
    await view.row('0x7f1200').locator('.name').click({ button: 'right' });
    await view.settled();
    await view.clickOn('menuitem', 'Merge all functions without names');
    await view.press('Home', '*');
    need(!(await view.rows()).some(({ name }) => name.startsWith('0x')), await view.tree());
    needEqual(await openTree(view), await toldTree(view, APP));
  }));

test('transforms are keys in the flame graph, the stack chart and the functions, too', () =>
  visit(APP, async (view) => {
    await view.press('3');
    const box = await view.box('#panel canvas'), row = 16;
    await view.page.mouse.click(box.x + box.width / 2, box.y + box.height - 1.5 * row);
    await view.press('m');
    needEqual((await view.crumbs())[1], 'Merge: run');
    await view.press('Control+z', '4');
    const chart = await view.box('#panel canvas');
    await view.page.mouse.click(chart.x + 300, chart.y + 1.5 * row);
    await view.press('c');
    needEqual((await view.crumbs())[1], 'Collapse subtree: run');
    await view.press('Control+z', '2');
    await view.page.locator('.function-row:not([hidden]) .name', { hasText: /^parse$/ }).click();
    await view.press('d');
    needEqual((await view.crumbs())[1], 'Drop: parse');
  }));

test('samples in markers are a transform', () =>
  visit(APP, async (view) => {
    await view.press('5', '/');
    await view.type('name:Frame');
    await view.clickOn('button', 'Only samples in these markers');
    await view.press('Escape', '1');
    need((await view.crumbs())[1]!.startsWith('Only samples in markers matching'), await view.crumbs());
    needEqual(await openTree(view), await toldTree(view, APP));
  }));

const ROUNDS = 12, MOST_STEPS = 6;

for (const profile of [APP, join(DATA, 'workers.perf.txt')])
  test(`whatever transforms are made of ${profile.split('/').pop()}, a row is selected, and undo leads back`, () =>
    visit(profile, async (view) => {
      const chance = new Chance(isReport ? 3 : 2);
      for (let round = 0; round < ROUNDS; round++) {
        if (chance.often(0.3)) await view.press('i');
        const rows = await view.rows();
        await view.page.locator(`#panel .tree-row[data-row="${chance.below(rows.length)}"]:not([hidden]) .name`).click();
        await view.press(chance.of(['*', 'ArrowRight', 'ArrowDown']));
        const states: (readonly [string[], string | undefined])[] = [];
        const steps = 1 + chance.below(MOST_STEPS);
        for (let step = 0; step < steps; step++) {
          const before = await view.tree(), selected = await selectedName(view), count = (await view.crumbs()).length;
          if (before.length === 0) break;
          await view.press(chance.of(CASES).key);
          if ((await view.crumbs()).length > count) states.push([before, selected]);
          if ((await view.rows()).length > 0) need((await selectedName(view)) !== undefined, 'something is selected after', (await view.crumbs()).join(' › '), await view.tree());
        }
        for (const [tree, selected] of states.reverse()) {
          await view.press('Control+z');
          needEqual([await view.tree(), await selectedName(view)], [tree, selected], 'after undo');
        }
      }
    }));

await runAll();
