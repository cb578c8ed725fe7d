// What is shown becomes a file: exports.ts SONDE [TEXT].
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { need, needEqual, Skipped, test } from '../tap.ts';
import { command } from './command.ts';
import { APP, runAll, scratch, visit, type Visit } from './visit.ts';

/** The file that a button of the export menu saves. */
async function exported(view: Visit, group: string, button: string): Promise<{ readonly name: string; readonly bytes: Buffer; readonly path: string }> {
  await view.clickOn('button', 'Export');
  const saved = view.page.waitForEvent('download');
  const failed = view.page.waitForSelector('.failure').then(async (box) => { throw new Error((await box.textContent()) ?? ''); });
  await view.page.getByRole('group', { name: group }).getByRole('button', { name: button, exact: true }).click();
  const download = await Promise.race([saved, failed]), path = join(scratch, download.suggestedFilename());
  failed.catch(() => {});
  await download.saveAs(path);
  return { name: download.suggestedFilename(), bytes: readFileSync(path), path };
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const sizeOf = (png: Buffer): [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)];

test('the timeline and the panel are pictures as large as they are on the page', () =>
  visit(APP, async (view) => {
    await view.press('3');
    for (const [button, part, name] of [['Timeline', '.timeline', 'app.timeline.png'], ['Panel', '#panel', 'app.flame-graph.png']] as const) {
      const saved = await exported(view, 'Picture', button), { width, height } = await view.box(part);
      needEqual(saved.name, name);
      need(saved.bytes.subarray(0, 8).equals(PNG), 'a PNG');
      needEqual(sizeOf(saved.bytes), [Math.round(width), Math.round(height)]);
    }
  }));

test('the whole profile is what the command reads', () =>
  visit(APP, async (view) => {
    const { name, bytes, path } = await exported(view, 'Whole profile', 'Profile');
    needEqual(name, 'app.profile.json.gz');
    need(JSON.parse(gunzipSync(bytes).toString()).meta.product, 'a profile');
    const treeOf = (file: string): unknown => ({ ...(command('tree', [file, '--invert']) as object), file: '' });
    needEqual(treeOf(path), treeOf(APP));
  }));

test('selected threads and a range become a profile of their own', () =>
  visit(APP, async (view) => {
    const range = '0.002,0.008', words = ['-t', 't-1', '-r', range];
    await view.press('Control+k');
    await view.page.keyboard.insertText(['sonde tree FILE', ...words].join(' '));
    await view.page.locator('.palette li', { hasText: 'Show what this command line says' }).waitFor();
    await view.press('Enter');
    const { name, path } = await exported(view, 'These threads, this range', 'Profile');
    needEqual(name, 'app.part.json.gz');
    const tree = (file: string, options: readonly string[]): unknown => (command('tree', [file, ...options]) as { nodes: unknown }).nodes;
    const bare = (nodes: unknown): string => JSON.stringify(nodes).replaceAll(/"func":"f-\d+",?/g, '');
    needEqual(bare(tree(path, [])), bare(tree(APP, words)));
    needEqual((command('info', [path]) as { threads: unknown[] }).threads.length, 1);
  }));

test('tables and stacks are those of the view', () =>
  visit(APP, async (view) => {
    await view.press('/');
    await view.type('name:draw');
    const { bytes } = await exported(view, 'Flame graph', 'Folded stacks');
    need(bytes.toString().split('\n').filter(Boolean).every((line) => line.includes('draw')), bytes.toString());
  }));

test('a report shows the view that it was made of, and exports as the server does', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('draw');
    await view.press('m', '3');
    let report: Awaited<ReturnType<typeof exported>>;
    try {
      report = await exported(view, 'Whole profile', 'Report');
    } catch (error) {
      if (String(error).includes('has no report engine')) throw new Skipped('there is no engine for reports');
      throw error;
    }
    const told = (await exported(view, 'Call tree', 'CSV')).bytes, crumbs = await view.crumbs();
    await view.page.goto(pathToFileURL(report.path).href);
    await view.page.waitForSelector('#panel canvas');
    await view.settled();
    needEqual([await view.crumbs(), await view.page.getByRole('tab', { selected: true }).textContent()], [crumbs, 'Flame Graph']);
    needEqual((await exported(view, 'Call tree', 'CSV')).bytes.toString(), told.toString());
  }));

await runAll();
