// Colours that are read well, and told apart.
import assert from 'node:assert/strict';
import test from 'node:test';
import { contrast, luminance, oklch } from '../src/theme/color_math.ts';
import { categoryHex, COLORS, nameHex, paintOf } from '../src/theme/palette.ts';

const LEAST_CONTRAST = 4.5;
const NAMES = Array.from({ length: 200 }, (_, i) => `lib${i}.so`);

test('text on every colour of a category has enough contrast, in both themes and palettes', () => {
  for (const dark of [false, true])
    for (const telling of [false, true])
      for (const color of COLORS) {
        const { strong, text, box, boxText } = paintOf(categoryHex(color, dark, telling), dark);
        assert.ok(contrast(strong, text) >= LEAST_CONTRAST, `${color} ${dark}: ${contrast(strong, text)}`);
        assert.ok(contrast(box, boxText) >= LEAST_CONTRAST, `${color} ${dark}: ${contrast(box, boxText)}`);
      }
});

test('text on colours that are made of names has enough contrast', () => {
  for (const dark of [false, true])
    for (const name of NAMES)
      for (const shade of [-1, 0, 1]) {
        const { strong, text, box, boxText } = paintOf(nameHex(name, dark, shade), dark);
        assert.ok(Math.min(contrast(strong, text), contrast(box, boxText)) >= LEAST_CONTRAST, `${name} ${dark} ${shade}`);
      }
});

test('names have twelve hues that are equally light, and always the same one', () => {
  const found = [...new Set(NAMES.map((name) => nameHex(name, false)))].map(luminance);
  assert.equal(found.length, 12);
  assert.ok(Math.max(...found) / Math.min(...found) < 1.25, String(found));
  assert.equal(nameHex('libz.so.1', true), nameHex('libz.so.1', true));
});

test('OKLCH has white, black and the greys between', () => {
  assert.deepEqual([oklch(1, 0, 0), oklch(0, 0, 0)], ['#ffffff', '#000000']);
});
