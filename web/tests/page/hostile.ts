// Profiles that nobody means well with are shown as all others are: hostile.ts SONDE [TEXT] [report].
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { need, needEqual, test } from '../tap.ts';
import { APP, isReport, OWN_ENVIRONMENT, runAll, scratch, sonde, visit, type Visit } from './visit.ts';

// ---- what is shown ----

/** All panels, with what can be pointed at and opened in each. */
async function walk(view: Visit): Promise<void> {
  for (const key of '123456') {
    await view.press(key);
    const { x, y, width, height } = await view.box('#panel');
    for (const [across, down] of [[0.3, 0.15], [0.5, 0.5], [0.5, 0.97]] as const) await view.pointAt(x + across * width, y + down * height);
    await view.page.mouse.click(x + 0.3 * width, y + 0.15 * height, { button: 'right' });
    await view.settled();
    await view.press('Escape');
  }
  const { x, y, width, height } = await view.box('.track-graph');
  for (const across of [0.1, 0.5, 0.9]) await view.pointAt(x + across * width, y + 0.9 * height);
  for (const name of ['Profile info', 'Export']) {
    await view.clickOn('button', name);
    await view.press('Escape');
  }
  needEqual(await view.texts('.failure'), []);
}

const write = (name: string, profile: unknown): string => {
  const path = join(scratch, name);
  writeFileSync(path, typeof profile === 'string' ? profile : JSON.stringify(profile));
  return path;
};

// ---- profiles ----

type Table = Record<string, unknown>;
interface Thread extends Table {
  samples: Table;
  markers: Table;
}
interface Profile {
  meta: Table;
  libs: Table[];
  shared: { stringArray: string[] } & Record<string, Table | string[]>;
  threads: Thread[];
}

const read = (): Profile => JSON.parse(readFileSync(APP, 'utf8'));
const NO_MARKERS = { length: 0, name: [], startTime: [], endTime: [], phase: [], category: [], data: [] };
const fill = <T>(length: number, value: (i: number) => T): T[] => Array.from({ length }, (_, i) => value(i));

/** What would run, were a text ever taken for something else. */
const SCRIPT = '<img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>\u0007\u202e"\'&amp;${wasRun=1}';
/** As it is to be read: nothing in it acts, and nothing turns the line around. */
const SHOWN = '<img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>';

const KEPT = /^(ms|ns|bytes|µs|samples|tracing-ms|integer|url|string|unique-string|default|Text|Frame|marker-table|marker-chart|[a-z]+grey|grey|transparent|yellow|green|orange|blue|red|purple|\d+)$/;
const KEPT_KEYS = new Set(['color', 'type', 'format', 'key', 'display', 'processType', 'weightType', 'pid', 'breakpadId', 'codeId', 'arch', 'time', 'eventDelay', 'threadCPUDelta', 'tid', 'unit', 'tooltipLabel', 'tableLabel', 'chartLabel']);

/** Every text that is not a word of the format has the script in it, and stays different from others. */
function withScripts(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return KEPT_KEYS.has(key) || KEPT.test(value) ? value : `${value}${SCRIPT}`;
  if (Array.isArray(value)) return value.map((each) => withScripts(each, key));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withScripts(each, name)]));
}

const scripts = (): string => write('scripts<b>.json', withScripts(read()));

async function needNothingRan(view: Visit): Promise<void> {
  needEqual(await view.page.evaluate(() => [(globalThis as { wasRun?: number }).wasRun ?? null, document.querySelectorAll('img, #page script').length]), [null, 0]);
}

test('scripts in all texts are shown as texts', () =>
  visit(scripts(), async (view) => {
    await view.press('*');
    const [row] = await view.rows();
    need(row!.name.startsWith(`main${SHOWN}`) && row!.library.includes(SHOWN), row);
    need(!/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/.test(row!.name), 'control characters are to be seen', row);
    await walk(view);
    await view.press('/');
    await view.type('<img');
    await view.press('Escape', '1', 'f', 'm');
    for (const crumb of await view.crumbs()) need(crumb.includes(SHOWN), crumb);
    await view.page.reload();
    await view.settled();
    await needNothingRan(view);
  }));

if (!isReport) test('scripts in all texts are texts in a report and in pictures, too', () =>
  visit(scripts(), async (view) => {
    const report = join(scratch, 'scripts.html');
    execFileSync(sonde, ['report', scripts(), '-o', report], { env: { ...process.env, ...OWN_ENVIRONMENT }, stdio: 'ignore' });
    await view.page.goto(pathToFileURL(report).href);
    await view.page.waitForSelector('.tree-row');
    await view.settled();
    await walk(view);
    await needNothingRan(view);
    await view.clickOn('button', 'Export');
    const saved = view.page.waitForEvent('download');
    await view.clickOn('button', 'SVG');
    const picture = join(scratch, 'scripts.svg');
    await (await saved).saveAs(picture);
    await view.page.goto(pathToFileURL(picture).href);
    needEqual(await view.page.evaluate(() => [(globalThis as { wasRun?: number }).wasRun ?? null, document.documentElement.tagName, document.querySelectorAll('img').length]), [null, 'svg', 0]);
  }));

test('names of 10 MB are cut', () => {
  const profile = read(), long = 'x'.repeat(10_000_000);
  profile.shared.stringArray = profile.shared.stringArray.map((text) => (['main', 'Frame'].includes(text) ? `${text}${long}` : text));
  profile.threads[0]!.name = `main${long}`;
  return visit(write('long.json', profile), async (view) => {
    const [row] = await view.rows();
    need(row!.name.startsWith('mainxxx') && row!.name.length < 2000, row!.name.length);
    await walk(view);
    const length = await view.page.evaluate(() => document.documentElement.outerHTML.length);
    need(length < 2_000_000, `the page has ${length} characters`);
  });
});

test('a profile of 100,000 threads has a list of them', () => {
  const profile = read(), [thread] = profile.threads;
  profile.threads = fill(100_000, (i) => ({
    ...thread!, name: `thread ${i}`, tid: i, pid: String(Math.floor(i / 100)), isMainThread: i % 100 === 0, markers: NO_MARKERS, nativeAllocations: undefined, jsAllocations: undefined,
    samples: { length: 1, stack: [i % 3], timeDeltas: [100 + i], weight: null, weightType: 'samples', threadCPUDelta: [0] },
  }));
  return visit(write('threads.json', { ...profile, counters: [] }), async (view) => {
    need((await view.rows()).length > 0, 'there are rows');
    await walk(view);
    await view.click('.track-menu-button');
    await view.type('thread 99999');
    need((await view.texts('.menu li')).some((text) => text.includes('thread 99999')), await view.texts('.menu li'));
    need((await view.page.evaluate(() => document.querySelectorAll('*').length)) < 20_000, 'the page is as small as ever');
  });
});

test('a million markers at one moment have a row, and places in a list', () => {
  const profile = read(), COUNT = 1_000_000;
  profile.threads = profile.threads.slice(0, 1);
  profile.threads[0]!.markers = {
    length: COUNT, name: fill(COUNT, () => 0), startTime: fill(COUNT, () => 105), endTime: fill(COUNT, () => 105), phase: fill(COUNT, () => 1), category: fill(COUNT, () => 0), data: fill(COUNT, () => null),
  };
  return visit(write('markers.json', profile), async (view) => {
    await walk(view);
    await view.press('6', 'End');
    need((await view.texts('.sidebar h2'))[0]!.startsWith('Frame'), await view.texts('.sidebar h2'));
    await view.press('5', '4');
  });
});

test('a stack of 100,000 frames is walked to its end', () => {
  const profile = read(), DEPTH = 100_000, [thread] = profile.threads, { funcTable } = profile.shared as unknown as { funcTable: { length: number } };
  profile.shared.stackTable = { length: DEPTH, frame: fill(DEPTH, (i) => i % funcTable.length), prefixOffset: fill(DEPTH, (i) => (i === 0 ? 0 : 1)) };
  profile.threads = [{ ...thread!, markers: NO_MARKERS, nativeAllocations: undefined, jsAllocations: undefined,
    samples: { length: 2, stack: [DEPTH - 1, DEPTH - 1], timeDeltas: [100, 1], weight: null, weightType: 'samples', threadCPUDelta: [0, 0] } }];
  return visit(write('deep.json', profile), async (view) => {
    await view.press('Home', '*', 'End');
    const rows = await view.rows();
    needEqual(Math.max(...rows.map(({ level }) => level)), DEPTH);
    need(rows.some(({ isSelected }) => isSelected), 'the last row is in sight');
    await walk(view);
    await view.press('1', 'i', 'r');
  });
});

const TIMES: readonly (readonly [what: string, delta: string])[] = [['no number', 'null'], ['beyond all numbers', '1e999'], ['before the beginning', '-1e300'], ['hardly there', '1e-320'], ['a text', '"NaN"']];

for (const [what, delta] of TIMES)
  test(`a time that is ${what} is shown, or refused in one line`, async () => {
    const profile = read();
    profile.threads[0]!.samples.timeDeltas = fill(12, (i) => (i === 5 ? 123456789.5 : i === 0 ? 100 : 1));
    const path = write('times.json', JSON.stringify(profile).replace('123456789.5', delta));
    const { status, stderr } = spawnSync(sonde, ['info', path], { encoding: 'utf8', env: { ...process.env, ...OWN_ENVIRONMENT } });
    if (status !== 0) {
      needEqual(status, 1);
      need(/^sonde: .*times\.json.*\n$/.test(stderr) && stderr.split('\n').length === 2, stderr);
      return;
    }
    await visit(write(`times-${TIMES.findIndex(([each]) => each === what)}.json`, readFileSync(path, 'utf8')), async (view) => {
      await walk(view);
      const shown = await view.page.locator('body').innerText();
      need(!/NaN|Infinity|undefined/.test(shown), shown);
    });
  });

await runAll();
