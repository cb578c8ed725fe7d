import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommandLine, parseCommandLine, rangeWithin, shellWords, writeCommandLine, writeReportLine } from '../src/state/command_line.ts';
import { DEFAULT_VIEW, type View } from '../src/state/view.ts';

const at = (ms: number) => ({ ms, from: 'zero' }) as const;

const VIEW: View = {
  ...DEFAULT_VIEW,
  threads: [0, 3],
  ranges: [[0, 500], [100.25, 400]],
  search: "it's,-malloc",
  inverted: true,
  idle: false,
  implementation: 'cpp',
  strategy: 'cpu',
  transforms: [{ kind: 'focus-subtree', funcs: [1, 2], implementation: 'js', inverted: true }, { kind: 'collapse-resource', funcs: [], text: 'lib c.so', implementation: 'combined', inverted: false }],
};

test('a view is a command line, quoted for a shell', () => {
  assert.equal(
    writeCommandLine(VIEW, '/tmp/my profile.json'),
    `sonde tree '/tmp/my profile.json' -t t-0 -t t-3 -r 0.10025,0.4 --implementation cpp --search 'it'\\''s,-malloc' -T 'focus-subtree+js+inverted:f-1;f-2' -T 'collapse-resource:lib c.so' -i --exclude-idle --strategy cpu`,
  );
});

test('a report has the threads and the range that are seen', () => {
  assert.equal(writeReportLine({ ...DEFAULT_VIEW, panel: 'functions', threads: [2], preview: [1000, 2500] }, "it's.json"), `sonde report 'it'\\''s.json' -t t-2 -r 1,2.5 -o report.html`);
});

test('what is written is read back as it was', () => {
  assert.deepEqual(parseCommandLine(writeCommandLine(VIEW, 'a b')), {
    panel: 'tree', threads: ['t-0', 't-3'], range: [{ ms: 100.25, from: 'zero' }, { ms: 400, from: 'zero' }], implementation: 'cpp', search: "it's,-malloc", inverted: true, idle: false, strategy: 'cpu',
    transforms: ['focus-subtree+js+inverted:f-1;f-2', 'collapse-resource:lib c.so'],
  });
});

test('a whole command says everything, options only what they are about', () => {
  const whole = parseCommandLine('sonde functions x.json');
  assert.ok(typeof whole === 'object' && whole.panel === 'functions' && whole.search === '' && whole.transforms?.length === 0);
  assert.deepEqual(parseCommandLine('--search=draw --limit 5 --json'), { search: 'draw' });
});

test('the preview is the range, and a search that only marks is none', () => {
  assert.equal(writeCommandLine({ ...DEFAULT_VIEW, preview: [1, 2], search: 'x', highlightOnly: true }, 'f'), 'sonde tree f -r 0.001,0.002');
});

test('words as a shell has them', () => {
  assert.deepEqual(shellWords(String.raw`a 'b c'"d \"e\""f\ g`), ['a', 'b cd "e"f g']);
  assert.deepEqual(shellWords(`-T ''`), ['-T', '']);
  assert.equal(shellWords(`a 'b`), undefined);
});

test('what is wrong is said', () => {
  assert.equal(parseCommandLine('--flame'), '--flame: not known');
  assert.equal(parseCommandLine('sonde tree x --search'), '--search: a value is missing');
  assert.equal(parseCommandLine(`--search 'x`), 'A quote is open');
  assert.match(String(parseCommandLine('-r 1')), /^-r: two times/);
  assert.match(String(parseCommandLine('-r a,b')), /^-r: two times/);
  assert.match(String(parseCommandLine('sonde record x')), /^Only/);
});

test('ranges stay within the profile', () => {
  assert.deepEqual(rangeWithin([null, at(50)], [-1, 100]), [-1, 50]);
  assert.equal(rangeWithin([null, null], [0, 100]), null);
  assert.equal(rangeWithin([at(200), at(300)], [0, 100]), null);
});

test('names of commands are none', () => {
  assert.equal(isCommandLine('Search'), false);
  assert.equal(isCommandLine('sonde tree'), true);
  assert.equal(isCommandLine('-T merge-function:x'), true);
});

test('a range has units, counts back from the end, and has a length', () => {
  const range = (text: string) => {
    const parsed = parseCommandLine(`--range ${text}`);
    return typeof parsed === 'object' && parsed.range ? rangeWithin(parsed.range, [-5, 4000]) : parsed;
  };
  assert.deepEqual(range('1.5,3'), [1500, 3000]);
  assert.deepEqual(range('1500ms,3s'), [1500, 3000]);
  assert.deepEqual(range('2s,+5ms'), [2000, 2005]);
  assert.deepEqual(range("'-500ms,'"), [3500, 4000]);
  assert.deepEqual(range(',-1s'), [-5, 3000]);
  assert.equal(range('1,x'), '--range: two times are wanted, as in 1.5,3 or 200ms,+50ms');
});

test('a range that begins before zero is open at its start: a minus would count from the end', () => {
  assert.equal(writeCommandLine({ ...DEFAULT_VIEW, preview: [-21, 2000] }, 'f'), 'sonde tree f -r ,2');
});
