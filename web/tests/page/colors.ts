// What colours stand for is chosen, and stays so: colors.ts SONDE [TEXT].
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

/** The colour of the right end of the flame graph's box at a depth, where no name is. */
const colorAt = (view: Visit, depth: number): Promise<string> =>
  view.page.locator('#panel canvas').first().evaluate((canvas: HTMLCanvasElement, depth) => {
    const ROW = 16, { clientHeight: height, width, clientWidth } = canvas, scale = width / clientWidth;
    const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    copy.drawImage(canvas, 0.6 * width, (height - (depth + 0.5) * ROW) * scale, 1, 1, 0, 0, 1, 1);
    return [...copy.getImageData(0, 0, 1, 1).data].join();
  }, depth);

const choose = async (view: Visit, label: string): Promise<void> => {
  await view.page.getByLabel('Colours', { exact: true }).selectOption({ label });
  await view.settled();
};

test('colours stand for categories, libraries or functions', () =>
  visit(APP, async (view) => {
    await view.press('3');
    const shown = async (): Promise<string[]> => [await colorAt(view, 0), await colorAt(view, 1)];
    await choose(view, 'Colour by category');
    const byCategory = await shown();
    await choose(view, 'Colour by library');
    const byLibrary = await shown();
    await choose(view, 'Colour by function');
    const byFunction = await shown();
    need(byCategory[0] !== byLibrary[0] && byLibrary[0] !== byFunction[0], { byCategory, byLibrary, byFunction });
    need(byFunction[0] !== byFunction[1], 'main and run have colours of their own');
    await view.page.reload();
    await view.page.waitForSelector('#panel canvas');
    await view.settled();
    needEqual(await shown(), byFunction, 'after a reload');
  }));

await runAll();
