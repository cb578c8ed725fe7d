// Everything can be done by keys alone: keyboard.ts SONDE [TEXT] [report]. Nothing here touches the pointer.
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

const MOST_TABS = 80;

/** Goes on with Tab until something has the focus. */
async function tabTo(view: Visit, selector: string): Promise<void> {
  const seen: string[] = [];
  for (let i = 0; i < MOST_TABS; i++) {
    const [isThere, what] = await view.page.evaluate((wanted) => {
      const at = document.activeElement;
      return [at?.matches(wanted) ?? false, `${at?.tagName.toLowerCase()}.${at?.className}`] as const;
    }, selector);
    if (isThere) return;
    seen.push(what);
    await view.press('Tab');
  }
  need(false, `Tab does not lead to ${selector}, but to`, seen.join(' '));
}

const focused = (view: Visit, selector: string): Promise<boolean> => view.page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);

test('the name of the profile is changed', () =>
  visit(APP, async (view) => {
    await tabTo(view, 'button.profile-name');
    await view.press('Enter', 'Control+a');
    await view.type('Mine');
    await view.press('Enter');
    needEqual(await view.text('.profile-name'), 'Mine');
  }));

test('menus open, lead through their items, and give the focus back', () =>
  visit(APP, async (view) => {
    for (const button of ['.track-menu-button', '.settings-button']) {
      await tabTo(view, button);
      await view.press('Enter');
      need((await view.texts('.menu')).length === 1, `${button} opens`);
      await view.press('Escape');
      needEqual([await view.texts('.menu'), await focused(view, button)], [[], true], button);
    }
    await view.press('Control+,', 'ArrowDown', 'ArrowDown');
    needEqual(await view.page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await view.press('Escape');
  }));

test('a range of the timeline is made, zoomed to, and left', () =>
  visit(APP, async (view) => {
    await tabTo(view, '.track-name');
    const ranges = (): Promise<string[]> => view.texts('.breadcrumbs li');
    needEqual((await ranges()).length, 1);
    await view.press('Home');
    needEqual((await ranges()).length, 2, 'a range at the start');
    await view.press('Shift+ArrowRight', 'ArrowRight', 'z');
    needEqual((await ranges()).length, 2, 'zoomed');
    await view.press('Backspace');
    needEqual((await ranges()).length, 1, 'all of it');
  }));

test('panels are reached by Tab and arrows, and by their numbers', () =>
  visit(APP, async (view) => {
    await tabTo(view, '[role=tab][aria-selected=true]');
    await view.press('ArrowRight');
    needEqual(await view.text('[role=tab][aria-selected=true]'), 'Functions');
    need(await focused(view, '#tab-functions'), 'the focus goes with it');
    for (const [key, name] of [['3', 'Flame Graph'], ['4', 'Stack Chart'], ['5', 'Marker Chart'], ['6', 'Marker Table'], ['1', 'Call Tree']] as const) {
      await view.press(key);
      needEqual(await view.text('[role=tab][aria-selected=true]'), name);
      need(await focused(view, '#panel *'), `the focus is in ${name}`);
    }
  }));

test('the tree is walked, changed, searched, and leads to the source', () =>
  visit(APP, async (view) => {
    const selected = async (): Promise<string | undefined> => (await view.rows()).find(({ isSelected }) => isSelected)?.name;
    await view.press('1', 'Home', '*', 'ArrowRight', 'ArrowRight');
    needEqual(await selected(), 'draw');
    await view.press('m');
    needEqual((await view.crumbs())[1], 'Merge: draw');
    await tabTo(view, '.crumb-remove');
    await view.press('Enter');
    needEqual((await view.crumbs()).length, 1);
    await view.press('/');
    await view.type('onClick');
    await view.press('Enter', 'Escape');
    needEqual(await selected(), 'onClick');
    await view.press('Enter');
    needEqual(await view.text('.bottom-title'), 'https://example.org/app.js');
    await tabTo(view, '.bottom-header select');
    await view.press('Escape');
    needEqual(await view.texts('.bottom'), []);
  }));

test('parts of the page are made larger and smaller', () =>
  visit(APP, async (view) => {
    for (const label of ['Height of the timeline', 'Width of the sidebar']) {
      const separator = `[role=separator][aria-label="${label}"]`;
      await tabTo(view, separator);
      const value = async (): Promise<number> => Number(await view.page.locator(separator).getAttribute('aria-valuenow')), before = await value();
      await view.press(label.startsWith('Height') ? 'ArrowUp' : 'ArrowLeft');
      need((await value()) !== before, label);
    }
  }));

test('boxes of the flame graph are chosen, told, and zoomed to', () =>
  visit(APP, async (view) => {
    await view.press('3', 'Escape', 'ArrowUp', 'ArrowUp');
    need((await view.text('#flame-selected')).startsWith('run, 92%'), await view.text('#flame-selected'));
    await view.press('z');
    need((await view.texts('.chart-note')).includes('Whole graph'), 'it is zoomed');
    await view.press('Escape');
    needEqual(await view.texts('.chart-note'), []);
  }));

test('markers are sorted, chosen, and give their range', () =>
  visit(APP, async (view) => {
    await view.press('6');
    await tabTo(view, '.marker-header .duration button');
    await view.press('Enter');
    needEqual((await view.texts('.marker-row:not([hidden]) .name'))[0], 'Load');
    await view.press('6', 'Home', 'r');
    needEqual((await view.texts('.breadcrumbs li')).length, 2);
    await view.press('Escape');
    needEqual((await view.texts('.sidebar h2'))[0], 'Load3ms');
  }));

test('the list of keys and the palette open, search, and close', () =>
  visit(APP, async (view) => {
    await view.press('?');
    await view.type('invert');
    needEqual(await view.texts('.help dt'), ['Invert']);
    await view.press('Escape', 'Control+k');
    await view.type('marker table');
    await view.press('Enter');
    needEqual(await view.text('[role=tab][aria-selected=true]'), 'Marker Table');
  }));

await runAll({ atOnce: 3 });
