import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextFitter } from '../src/charts/text_fit.ts';

const fitter = new TextFitter((text) => [...text].length * 5);

test('what fits is not cut', () => {
  assert.equal(fitter.fit('malloc', 30), 'malloc');
});

test('what does not fit ends with an ellipsis that fits, too', () => {
  assert.equal(fitter.fit('malloc', 29), 'mall…');
  assert.equal(fitter.fit('malloc', 20), 'mal…');
});

test('a few letters say nothing', () => {
  assert.equal(fitter.fit('malloc', 19), '');
});

test('letters outside of the basic plane are not cut in two', () => {
  assert.equal(fitter.fit('𝐚𝐛𝐜𝐝𝐞𝐟', 25), '𝐚𝐛𝐜𝐝…');
});
