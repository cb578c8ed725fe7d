// The command palette finds commands, functions, threads, markers and moments by name: palette.ts SONDE [TEXT].
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

const found = (view: Visit): Promise<string[]> => view.texts('.palette li span');

async function ask(view: Visit, words: string, wanted: string): Promise<void> {
  await view.press('Control+k');
  await view.type(words);
  await view.page.locator('.palette li', { hasText: wanted }).waitFor();
}

async function choose(view: Visit, text: string): Promise<void> {
  await view.page.locator('.palette li', { hasText: text }).click();
  await view.settled();
}

test('a function is found by a part of its name, and shown with its callers', () =>
  visit(APP, async (view) => {
    await ask(view, 'dra', 'Function draw');
    await choose(view, 'Function draw');
    needEqual(await view.text('.butterfly h2'), 'draw total 58% (7 samples), self 25% (3 samples)');
  }));

test('a thread is found by its name', () =>
  visit(APP, async (view) => {
    await ask(view, 'app', 'Thread app');
    need((await found(view)).some((title) => title.startsWith('Thread app')), await found(view));
    await choose(view, 'Thread app');
    needEqual((await view.crumbs())[0], 'Complete “app”');
  }));

test('markers are found by their name, and shown in their chart', () =>
  visit(APP, async (view) => {
    await ask(view, 'Fram', 'Markers Frame');
    await choose(view, 'Markers Frame');
    needEqual(await view.page.locator('[role=tab][aria-selected=true]').textContent(), 'Marker Chart');
    needEqual(await view.page.locator('input[type=search]').inputValue(), 'name:Frame');
  }));

test('a time selects a range around it, two of them what is between', () =>
  visit(APP, async (view) => {
    await ask(view, '2ms-5ms', 'Select 3ms');
    await view.press('Enter');
    needEqual((await view.texts('.breadcrumbs li')).pop(), '3ms');
  }));

test('what nothing is called is said', () =>
  visit(APP, async (view) => {
    await view.press('Control+k');
    await view.type('xyzzy');
    needEqual(await view.texts('.palette li, .palette p'), ['No command, function, thread or marker has this in its name.']);
    await view.page.keyboard.press('Control+a');
    await view.type('memc');
    need((await view.texts('.palette li')).some((text) => text.includes('memcpy')), 'functions are found');
    needEqual(await view.texts('.palette p'), []);
  }));

await runAll();
