// The local page in headless Chromium, beside speedscope's, and beside the same page as one file.
//
// All times are those of the page's own clock: from the event until the frame is painted that has the change.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, CDPSession, Page } from '../web/node_modules/playwright-core/index.mjs';
import { allActions, allFrames, Hand, QUIET_MS, type Measured } from './page_actions.ts';
import { installProbe } from './page_probe.ts';
import { peakOf, serveFiles, speedscopeFolder } from './page_served.ts';
import { serveProfile, type Served } from '../web/tests/served.ts';
import { median, quantile, spread, type Series } from './statistics.ts';

const DRIVER = 'web/node_modules/playwright-core/index.mjs';
const SONDE = 'build/sonde';
const CHROMIUM = '/usr/bin/chromium';
const PATIENCE_MS = 120_000;
const ROUNDS = 4; // of all actions, for each of `repeat`

type Memory = { heap: number; rss: number; own: number };
/** Times in ms, sizes in MB. */
type Run = { rows: number; chart: number; memory: Memory; memoryAfter: Memory; frames: Map<string, Series>; measured: Measured; server: number };

/** With a window, a browser and a cache of its own. */
async function withPage<R>(panelSelector: string, rows: string, work: (page: Page, devtools: CDPSession, browser: Browser) => Promise<R>): Promise<R> {
  const { chromium } = await import(path.resolve(DRIVER));
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS });
  try {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', ({ message }) => console.error(`the page says: ${message}`));
    await page.addInitScript(installProbe, { panelSelector, rows });
    return await work(page, await context.newCDPSession(page), browser);
  } finally {
    await browser.close();
  }
}

/** After a collection; with array buffers, which are no part of the heap. */
async function memoryOf(devtools: CDPSession, browser: Browser): Promise<Memory> {
  await devtools.send('HeapProfiler.collectGarbage');
  const usage = (await devtools.send('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize?: number };
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  const kiB = (id: number, file: string, pattern: RegExp): number => [...readFileSync(`/proc/${id}/${file}`, 'utf8').matchAll(pattern)].reduce((sum, [, figure]) => sum + Number(figure), 0);
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return {
    heap: (usage.usedSize + (usage.backingStorageSize ?? 0)) / 1e6,
    rss: (Math.max(...renderers.map(({ id }) => kiB(id, 'status', /VmRSS:\s+(\d+)/g))) * 1024) / 1e6,
    own: (Math.max(...renderers.map(({ id }) => kiB(id, 'smaps_rollup', /Private_\w+:\s+(\d+)/g))) * 1024) / 1e6,
  };
}

const first = (page: Page, what: 'firstRows' | 'firstChart'): Promise<number> =>
  page.waitForFunction((name) => globalThis.bench[name] > 0 && globalThis.bench[name], what, { polling: 50 }).then((handle) => handle.jsonValue() as Promise<number>);

async function measureChart(file: string): Promise<number> {
  const served = await serveProfile(SONDE, [file]);
  try {
    return await withPage('#panel', '.tree-row', async (page) => {
      await page.addInitScript((token) => sessionStorage.setItem('sonde.token', token), served.token);
      await page.goto(`${served.origin}/#/flame-graph`);
      return (await first(page, 'firstChart')) - served.begun;
    });
  } finally {
    await served.stop();
  }
}

/** `served`: what answers it, none for a report. */
async function measurePage(url: string, begun: () => number, rounds: number, served?: Served): Promise<Omit<Run, 'chart'>> {
  return withPage('#panel', '.tree-row:not([hidden]) .name', async (page, devtools, browser) => {
    const start = begun();
    await page.goto(url);
    const rows = (await first(page, 'firstRows')) - start;
    const hand = new Hand(page);
    await hand.settled();
    const memory = await memoryOf(devtools, browser);
    await allActions(hand, rounds);
    const frames = await allFrames(hand);
    const memoryAfter = await memoryOf(devtools, browser);
    return { rows, memory, memoryAfter, frames, measured: hand.measured, server: (served ? peakOf(served.pid) : 0) / 1024 };
  });
}

async function measureServed(file: string): Promise<Run> {
  const chart = await measureChart(file);
  const served = await serveProfile(SONDE, [file]);
  try {
    return { ...(await measurePage(`${served.origin}/#token=${served.token}`, () => served.begun, ROUNDS, served)), chart };
  } finally {
    await served.stop();
  }
}

/** Bytes of everything that comes before the first rows, as they are packed, but for replies. */
async function firstLoad(file: string): Promise<{ name: string; bytes: number }[]> {
  const served = await serveProfile(SONDE, [file]);
  try {
    return await withPage('#panel', '.tree-row', async (page, devtools) => {
      const names = new Map<string, string>(), parts: { name: string; bytes: number }[] = [];
      await devtools.send('Network.enable');
      devtools.on('Network.requestWillBeSent', ({ requestId, request }) => names.set(requestId, request.url));
      devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const { pathname } = new URL(names.get(requestId) ?? 'about:blank');
        if (!pathname.includes('/api/')) parts.push({ name: path.basename(pathname) || 'index.html', bytes: encodedDataLength });
      });
      await page.goto(`${served.origin}/#token=${served.token}`);
      await first(page, 'firstRows');
      await page.evaluate((quiet) => globalThis.bench.settled(quiet), QUIET_MS);
      return parts;
    });
  } finally {
    await served.stop();
  }
}

/** Of a page with nothing on it. */
const measureBlank = (): Promise<Memory> =>
  withPage('body', 'body', async (page, devtools, browser) => {
    await page.goto('about:blank');
    return memoryOf(devtools, browser);
  });

// --- what is held against it ------------------------------------------------------------------------------------------------------------

type Speedscope = { chart: number; memory: Memory; measured: Measured };
const VIEWS = [['left heavy', '2'], ['sandwich', '3'], ['time order', '1']] as const;

async function measureSpeedscope(origin: string, file: string): Promise<Speedscope> {
  return withPage('body', 'canvas', async (page, devtools, browser) => {
    const start = performance.timeOrigin + performance.now();
    await page.goto(`${origin}/index.html#profileURL=${encodeURIComponent(`${origin}/${path.basename(file)}`)}`);
    const chart = (await first(page, 'firstChart')) - start;
    const hand = new Hand(page);
    await hand.settled();
    const memory = await memoryOf(devtools, browser);
    for (let round = 0; round < ROUNDS; round++) for (const [name, key] of VIEWS) await hand.key(name, key);
    return { chart, memory, measured: hand.measured };
  });
}

// --- what is said of it -----------------------------------------------------------------------------------------------------------------

function merged(runs: { measured: Measured }[]): Measured {
  const all: Measured = new Map();
  for (const { measured } of runs)
    for (const [name, { frame, panel, page, requests }] of measured) {
      const sum = all.get(name) ?? { frame: [], panel: [], page: [], requests: [] };
      sum.frame.push(...frame);
      sum.panel.push(...panel);
      sum.page.push(...page);
      sum.requests.push(...requests);
      all.set(name, sum);
    }
  return all;
}

const both = (series: Series | undefined): string => (series && series.length > 0 ? `${median(series).toFixed(0)} / ${quantile(series, 0.95).toFixed(0)}` : '–');
const framesText = (series: Series): string => `${median(series).toFixed(1)} / ${quantile(series, 0.95).toFixed(1)} / ${Math.max(...series).toFixed(0)}`;
const table = (head: string[], rows: string[][]): string[] => [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...rows.map((row) => `| ${row.join(' | ')} |`), ''];

// --- what was to be reached -------------------------------------------------------------------------------------------------------------

/** Before all that others do on the machine. */
const hasPriority = (): boolean => /^policy\s*:\s*[12]$/m.test(readFileSync('/proc/self/sched', 'utf8'));

interface Goal {
  readonly title: string;
  readonly most: number;
  readonly measured: number | undefined;
  readonly unit: string;
  readonly digits?: number;
}

/** All actions together; undefined where the profile was not looked at. */
const slowest = (measured: Measured | undefined): number | undefined => measured && quantile([...measured.values()].flatMap(({ frame }) => frame), 0.95);
const worstAction = (measured: Measured): string => [...measured].map(([name, { frame }]) => [name, quantile(frame, 0.95)] as const).reduce((worst, each) => (each[1] > worst[1] ? each : worst))[0];

function goalsTable(goals: readonly Goal[]): string[] {
  return table(
    ['', 'goal', 'measured', ''],
    goals.flatMap(({ title, most, measured, unit, digits = 0 }) => (measured === undefined ? [] : [[title, `≤ ${most} ${unit}`, `${measured.toFixed(digits)} ${unit}`, measured <= most ? 'reached' : 'missed']])),
  );
}

/** `files`: title and path, the smallest first. */
export async function pageChapter(folder: string, repeat: number, missing: string[], files: [string, string][]): Promise<string> {
  if (!existsSync(DRIVER) || !existsSync(CHROMIUM)) {
    missing.push('Chromium (Debian: chromium), or its driver (npm: playwright-core)');
    return '## The page\n\nNot measured: there is no browser here.\n';
  }
  missing.push("the Firefox Profiler's front end (there is no build of it to be had)");
  const runs = new Map<string, Run[]>(files.map(([title]) => [title, []])), reports: Omit<Run, 'chart'>[] = [], peers = new Map<string, Speedscope[]>();
  const [small, seed] = files[0]!, report = path.join(folder, 'page.html'), peerFolder = speedscopeFolder(folder);
  execFileSync(SONDE, ['report', seed, '-o', report]);
  if (!peerFolder) missing.push('speedscope (npm: speedscope)');
  const peer = peerFolder ? await serveFiles(peerFolder, folder) : null;
  for (const [i, [title, file]] of files.entries()) {
    if (!peer) continue;
    execFileSync(SONDE, ['convert', file, '-o', path.join(folder, `page-${i}.folded`)], { stdio: 'ignore' });
    peers.set(title, []);
  }
  const loads: Series = [];
  for (let round = 0; round < repeat; round++) {
    for (const [i, [title, file]] of files.entries()) {
      loads.push(loadavg()[0]!);
      console.log(`the page, round ${round + 1}: ${title}`);
      runs.get(title)!.push(await measureServed(file));
      if (peer) peers.get(title)!.push(await measureSpeedscope(peer.origin, path.join(folder, `page-${i}.folded`)));
    }
    reports.push(await measurePage(pathToFileURL(report).href, () => performance.timeOrigin + performance.now(), ROUNDS));
  }
  peer?.stop();
  loads.push(loadavg()[0]!);

  const blank = await measureBlank();
  const load = await firstLoad(seed), bytes = load.reduce((sum, part) => sum + part.bytes, 0);
  const titles = files.map(([title]) => title), all = new Map(titles.map((title) => [title, merged(runs.get(title)!)])), ofReport = merged(reports);
  const names = [...all.get(small)!.keys()];
  const row = (name: string, of: (run: Run) => number, ofReport: ((run: Omit<Run, 'chart'>) => number) | null, ofPeer: ((run: Speedscope) => number) | null, digits = 0): string[] => [
    name,
    ...titles.map((title) => spread(runs.get(title)!.map(of), digits)),
    ofReport ? spread(reports.map(ofReport), digits) : '–',
    ...(peer ? titles.map((title) => (ofPeer ? spread(peers.get(title)!.map(ofPeer), digits) : '–')) : []),
  ];
  const frames = (name: string, some: { frames: Map<string, Series> }[]): string => framesText(some.flatMap((run) => run.frames.get(name) ?? []));
  const views = VIEWS.map(([name]) => [`speedscope: ${name}`, ...titles.map((title) => both(merged(peers.get(title) ?? []).get(name)?.frame))]);
  const runsOf = (title: string): Run[] | undefined => runs.get(title);
  const rowsOf = (title: string): number | undefined => runsOf(title) && median(runsOf(title)!.map(({ rows }) => rows)) / 1000;
  const upToOne = [small, '1 M samples'].flatMap((title) => slowest(all.get(title)) ?? []);
  const times = names.flatMap((name) => {
    const own = ofReport.get(name), ofServer = all.get(small)!.get(name);
    return own && ofServer ? [median(own.frame) / median(ofServer.frame)] : [];
  });
  const allFramesOf = (name: string): Series => [...runs.values()].flat().flatMap((run) => run.frames.get(name) ?? []);
  const moving = ['scrolling the tree', 'dragging a range'].flatMap(allFramesOf);
  const goals: Goal[] = [
    { title: 'from the command to the first rows, 136 MB (3.7 M samples)', most: 1, measured: rowsOf('3.7 M samples'), unit: 's', digits: 2 },
    { title: 'from the command to the first rows, 1 GB (27 M samples)', most: 3, measured: rowsOf('27 M samples'), unit: 's', digits: 2 },
    { title: 'from an event to its frame, all actions, up to 1 M samples, 95th percentile', most: 25, measured: Math.max(...upToOne), unit: 'ms' },
    { title: 'the same, 3.7 M samples', most: 60, measured: slowest(all.get('3.7 M samples')), unit: 'ms' },
    { title: 'between frames, scrolling the tree and dragging a range, 95th percentile', most: 17, measured: quantile(moving, 0.95), unit: 'ms', digits: 1 },
    { title: 'memory of the page, after all panels (of its scripts)', most: 100, measured: Math.max(...[...runs.values()].flat().map(({ memoryAfter }) => memoryAfter.heap)), unit: 'MB', digits: 1 },
    { title: 'the same, of the process of the page alone, without what it shares with others', most: 100, measured: Math.max(...[...runs.values()].flat().map(({ memoryAfter }) => memoryAfter.own)), unit: 'MB' },
    { title: 'loaded before the first rows, packed', most: 80, measured: bytes / 1000, unit: 'kB', digits: 1 },
    { title: 'actions of a report, as a multiple of those of the server (median of all)', most: 2, measured: median(times), unit: '×', digits: 2 },
  ];
  return [
    '## The page',
    '',
    `The page of \`sonde view\` in headless Chromium, driven by key and pointer: 1400 × 900 pixels, drawn in software, a browser of its own for each of ${repeat} runs. The same page as`,
    `one file (\`sonde report\`, ${(statSync(report).size / 1e6).toFixed(1)} MB) has the small profile. speedscope 1.25.0 gets the stacks of all threads, folded: no times, no markers, and no`,
    "conversion in its numbers. The Firefox Profiler's front end is missing: no build of it could be had.",
    '',
    `${hasPriority() ? 'Everything here ran with real-time priority (`chrt -r 1`): what else there was to do on the machine had to wait. ' : ''}The load average of the machine was ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)} meanwhile, on ${cpus().length} cores; the browser with a blank page takes ${blank.own.toFixed(0)} MB of its own.`,
    '',
    '### What was to be reached',
    '',
    ...goalsTable(goals),
    `The slowest action at 1 M samples is “${all.has('1 M samples') ? worstAction(all.get('1 M samples')!) : worstAction(all.get(small)!)}”.`,
    '',
    'Chromium draws in software here. Whatever the profile, a panel that changes as a whole takes two to three frames until it is painted (compare 31 k samples with 27 M); closing',
    'a row, the least that can change, takes one.',
    '',
    '### Opening, and memory',
    '',
    ...table(
      ['', ...titles, `report, ${small}`, ...(peer ? titles.map((title) => `speedscope, ${title}`) : [])],
      [
        row('from the command to the first rows, s (report: from the click)', ({ rows }) => rows / 1000, ({ rows }) => rows / 1000, null, 2),
        row('from the command to a flame graph, s (speedscope: from the click)', ({ chart }) => chart / 1000, null, ({ chart }) => chart / 1000, 2),
        row('heap of the page with the tree, MB', ({ memory }) => memory.heap, ({ memory }) => memory.heap, ({ memory }) => memory.heap, 1),
        row('… after all panels', ({ memoryAfter }) => memoryAfter.heap, ({ memoryAfter }) => memoryAfter.heap, null, 1),
        row('resident memory of its process with the tree, MB', ({ memory }) => memory.rss, ({ memory }) => memory.rss, ({ memory }) => memory.rss),
        row('… after all panels', ({ memoryAfter }) => memoryAfter.rss, ({ memoryAfter }) => memoryAfter.rss, null),
        row('… that it does not share with others', ({ memoryAfter }) => memoryAfter.own, ({ memoryAfter }) => memoryAfter.own, null),
        row('peak of the server, MiB', ({ server }) => server, null, null),
      ],
    ),
    `Until the first rows the browser loads ${(bytes / 1000).toFixed(1)} kB, packed: ${load.map((part) => `${part.name} ${(part.bytes / 1000).toFixed(1)}`).join(', ')}. The source view comes later.`,
    '',
    '### From an event to the picture',
    '',
    'Milliseconds from the event until the frame is painted in which the panel changed for the last time, median / 95th percentile; of speedscope until its last picture. In brackets',
    'the median until nothing changes on the page any more, tracks and sidebar included, and the number of requests.',
    '',
    ...table(
      ['', ...titles, `report, ${small}`],
      [
        ...names.map((name) => [
          name,
          ...[...titles.map((title) => all.get(title)!), ofReport].map((measured) => {
            const timings = measured.get(name);
            return timings ? `${both(timings.frame)} (${median(timings.page).toFixed(0)}, ${median(timings.requests).toFixed(0)})` : '–';
          }),
        ]),
        ...(peer ? views.map((cells) => [...cells, '–']) : []),
      ],
    ),
    '### Frames',
    '',
    'Milliseconds between frames, median / 95th percentile / longest.',
    '',
    ...table(['', ...titles, `report, ${small}`], [...runs.get(small)![0]!.frames.keys()].map((name) => [name, ...titles.map((title) => frames(name, runs.get(title)!)), frames(name, reports)])),
  ].join('\n');
}
