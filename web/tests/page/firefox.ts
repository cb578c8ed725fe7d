// The page in Firefox: each panel opens and shows something, in both themes: firefox.ts SONDE [TEXT].
import { existsSync } from 'node:fs';
import { Firefox } from '../firefox.ts';
import { serveProfile } from '../served.ts';
import { need, needEqual, Skipped, test } from '../tap.ts';
import { APP, OWN_ENVIRONMENT, runAll, sonde } from './visit.ts';

const FIREFOX = '/usr/bin/firefox-esr';
const PATIENCE_MS = 120_000;

/** Runs a function of the page again and again until it says something. */
const WAIT = (look: string): string => `new Promise((resolve) => {
  const again = () => { const found = (${look})(); if (found !== undefined) resolve(JSON.stringify(found)); else setTimeout(again, 50); };
  setTimeout(() => resolve(JSON.stringify('in vain: ' + document.body.textContent)), ${PATIENCE_MS});
  again();
})`;

/** Whether anything was drawn on the canvases of the panel. */
const DRAWN = `() => {
  const isDrawn = (canvas) => canvas.width > 0 && canvas.height > 0 && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value !== 0);
  const all = [...document.querySelectorAll('#panel canvas')];
  return all.length > 0 && all.every(isDrawn) ? true : undefined;
}`;
const NAMES = (selector: string): string => `() => {
  const found = [...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).map((one) => one.textContent);
  return found.length > 0 ? found : undefined;
}`;

/** The address is written a little later; who leaves the page before that does not get away. */
const ADDRESS = `() => location.hash.includes('t=') || undefined`;

const PANELS: readonly (readonly [panel: string, look: string, expected: unknown])[] = [
  ['tree', NAMES('.tree-row .name'), ['main', 'run', 'draw', 'memcpy']],
  ['functions', NAMES('.function-row .name'), ['draw', 'memcpy', 'parse', 'poll']],
  ['flame-graph', DRAWN, true],
  ['stack-chart', DRAWN, true],
  ['marker-chart', DRAWN, true],
  ['marker-table', NAMES('.marker-row .details'), ['frame 1', 'frame 2', '', 'page']],
];

test('every panel opens in Firefox, with nothing on the console and no request to others', async () => {
  if (!existsSync(FIREFOX)) throw new Skipped('Firefox is not installed');
  const served = await serveProfile(sonde, [APP], OWN_ENVIRONMENT), firefox = await Firefox.start(FIREFOX);
  try {
    await firefox.goto(`${served.origin}/#token=${served.token}`);
    await firefox.evaluate(WAIT(NAMES('.tree-row .name')));
    await firefox.evaluate(WAIT(ADDRESS));
    for (const theme of ['light', 'dark']) {
      await firefox.evaluate(`localStorage.setItem('sonde.preferences', JSON.stringify({ theme: '${theme}' }))`);
      for (const [panel, look, expected] of PANELS) {
        await firefox.goto(`${served.origin}/?${theme}-${panel}#/${panel}`);
        const found = JSON.parse(await firefox.evaluate(WAIT(look)));
        needEqual(Array.isArray(found) ? found.slice(0, 4) : found, expected, `${panel}, ${theme}`);
        needEqual(await firefox.evaluate('document.documentElement.dataset.theme'), theme);
        await firefox.evaluate(WAIT(ADDRESS));
      }
    }
    need(firefox.logs.length === 0, firefox.logs.join('\n'));
    needEqual(firefox.requests.filter((url) => new URL(url).protocol.startsWith('http') && !url.startsWith(served.origin)), []);
  } finally {
    await firefox.close();
    await served.stop();
  }
});

await runAll();
