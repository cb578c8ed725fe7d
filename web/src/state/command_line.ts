// The view as a command line, and back: what the page shows is what `sonde tree` prints with these options.
import { readTime } from '../format/times.ts';
import type { Implementation, Range } from '../transport/protocol.ts';
import { transformText } from './transforms.ts';
import { DEFAULT_VIEW, type View } from './view.ts';

const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const seconds = (ms: number): string => String(Number((ms / 1000).toFixed(9)));

/** Two recordings have other threads and functions, which are known by names alone. */
export interface ComparedWith {
  readonly base: string;
  /** `--thread` of both; none where either has only one. */
  readonly threads: readonly string[];
  readonly nameOf: (func: number) => string;
}

/** `compared`: what the profile is compared with. */
export function writeCommandLine(view: View, file: string, compared: ComparedWith | null = null): string {
  const { panel, comparison, functionsSort, functionsGroup, transforms, threads, ranges, preview, search, highlightOnly, inverted, implementation, idle, strategy } = view;
  const range = preview ?? ranges[ranges.length - 1], isComparison = panel === 'comparison' && compared !== null;
  const isFunctions = isComparison ? comparison.as === 'functions' : panel === 'functions';
  const words = ['sonde', ...(isComparison ? ['diff', compared.base] : [isFunctions ? 'functions' : 'tree']), file];
  if (isFunctions && !isComparison) words.push(...(functionsGroup === 'none' ? [] : ['--group', functionsGroup]), ...(functionsSort === 'self' ? [] : ['--sort', functionsSort]));
  if (isComparison) words.push(...(isFunctions ? [] : ['--tree']), ...(comparison.shares ? ['--per', 'share'] : []), ...(comparison.onlyChanged ? [] : ['--all']), ...(isFunctions && comparison.sort !== 'self' ? ['--sort', comparison.sort] : []));
  for (const thread of isComparison ? compared.threads : threads.map((number) => `t-${number}`)) words.push('-t', thread);
  // What is before zero cannot be said: a minus counts from the end.
  if (range && !isComparison) words.push('-r', range.map((side) => (side < 0 ? '' : seconds(side))).join(','));
  if (implementation !== 'combined') words.push('--implementation', implementation);
  if (search && (isComparison || !highlightOnly)) words.push('--search', search);
  for (const transform of transforms) words.push('-T', transformText(transform, isComparison ? compared.nameOf : undefined));
  if (inverted && !isFunctions) words.push('-i');
  if (!idle) words.push('--exclude-idle');
  if (strategy !== DEFAULT_VIEW.strategy) words.push('--strategy', strategy);
  return words.map(quote).join(' ');
}

/** What makes a report of the threads and the range that are seen, and of nothing else. */
export function writeReportLine(view: View, file: string): string {
  const [, , ...words] = shellWords(writeCommandLine({ ...view, panel: 'tree' }, file))!;
  return ['sonde', 'report', ...words, '-o', 'report.html'].map(quote).join(' ');
}

/** A side of a range; null: it is open. */
type Side = { readonly ms: number; readonly from: 'zero' | 'start' | 'end' } | null;
export type WrittenRange = readonly [Side, Side];

/** What a command line says of the view. Threads and transforms are as written: names are looked up by whoever has the profile. */
export interface CommandLine {
  readonly panel?: 'tree' | 'functions';
  readonly threads?: readonly string[];
  readonly range?: WrittenRange;
  readonly implementation?: Implementation;
  readonly search?: string;
  readonly transforms?: readonly string[];
  readonly inverted?: boolean;
  readonly idle?: boolean;
  readonly strategy?: string;
}

/** The words that a shell would make of it; undefined where a quote is open. */
export function shellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    let word = '';
    while (rest !== '' && !/^\s/.test(rest)) {
      const part = /^'([^']*)'|^"((?:[^"\\]|\\.)*)"|^\\(.)|^([^\s'"\\]+)/su.exec(rest);
      if (!part) return undefined;
      word += part[1] ?? part[2]?.replace(/\\(["\\$`])/g, '$1') ?? part[3] ?? part[4] ?? '';
      rest = rest.slice(part[0].length);
    }
    words.push(word);
    rest = rest.trimStart();
  }
  return words;
}

const SHORT: Record<string, string> = { '-t': '--thread', '-r': '--range', '-T': '--transform', '-i': '--invert' };
const FLAGS = new Set(['--invert', '--exclude-idle', '--json']);
const VALUED = new Set(['--thread', '--range', '--implementation', '--search', '--transform', '--strategy']);
/** About what is printed: the page shows all of it. */
const PRINTING = new Set(['--limit', '--depth', '--min', '--width', '--json', '--select', '--sort', '--group']);

function readRange(text: string): WrittenRange | undefined {
  const sides = text.split(',');
  const read = (side: string, isEnd: boolean): Side => {
    const from = side.startsWith('-') ? 'end' : isEnd && side.startsWith('+') ? 'start' : 'zero';
    return side === '' ? null : { ms: readTime(from === 'zero' ? side : side.slice(1)), from };
  };
  const range = [read(sides[0] ?? '', false), read(sides[1] ?? '', true)] as const;
  return sides.length !== 2 || range.some((side) => side !== null && Number.isNaN(side.ms)) ? undefined : range;
}

/** Whether it is meant as a command line: then what is wrong with it is worth saying. */
export const isCommandLine = (text: string): boolean => /^\s*(sonde\s|-)/.test(text);

/** What is wrong is said as a text. A whole command says everything; options alone change what they are about. */
export function parseCommandLine(text: string): CommandLine | string {
  const words = shellWords(text);
  if (!words) return 'A quote is open';
  const isWhole = words[0] === 'sonde', command = words[1];
  if (isWhole && command !== 'tree' && command !== 'functions') return 'Only `sonde tree` and `sonde functions` can be shown';
  const threads: string[] = [], transforms: string[] = [];
  let found: CommandLine = isWhole
    ? { panel: command as 'tree' | 'functions', range: [null, null] as const, implementation: 'combined', search: '', inverted: false, idle: true, strategy: DEFAULT_VIEW.strategy }
    : {};
  const rest = isWhole ? words.slice(2) : words;
  for (let at = 0; at < rest.length; at++) {
    const written = rest[at]!;
    if (!written.startsWith('-') || written === '-') {
      if (isWhole) continue; // the file: the one that is open
      return `${written}: no option`;
    }
    const equals = written.startsWith('--') ? written.indexOf('=') : -1;
    const given = equals < 0 ? written : written.slice(0, equals), name = SHORT[given] ?? given;
    if (!FLAGS.has(name) && !VALUED.has(name) && !PRINTING.has(name)) return `${given}: not known`;
    const value = FLAGS.has(name) ? '' : equals < 0 ? rest[++at] : written.slice(equals + 1);
    if (value === undefined) return `${given}: a value is missing`;
    if (PRINTING.has(name)) continue;
    switch (name) {
      case '--thread': threads.push(value); break;
      case '--transform': transforms.push(value); break;
      case '--range': {
        const range = readRange(value);
        if (!range) return `${given}: two times are wanted, as in 1.5,3 or 200ms,+50ms`;
        found = { ...found, range };
        break;
      }
      case '--implementation':
        if (value !== 'combined' && value !== 'js' && value !== 'cpp') return `${given}: combined, js or cpp is wanted`;
        found = { ...found, implementation: value };
        break;
      case '--search': found = { ...found, search: value }; break;
      case '--invert': found = { ...found, inverted: true }; break;
      case '--exclude-idle': found = { ...found, idle: false }; break;
      case '--strategy': found = { ...found, strategy: value }; break;
    }
  }
  return { ...found, ...(threads.length > 0 ? { threads } : {}), ...(transforms.length > 0 || isWhole ? { transforms } : {}) };
}

/** Within the profile; null where it is all of it. */
export function rangeWithin([start, end]: WrittenRange, whole: Range): Range | null {
  const from = start === null ? whole[0] : start.from === 'end' ? whole[1] - start.ms : start.ms;
  const until = end === null ? whole[1] : end.from === 'end' ? whole[1] - end.ms : end.from === 'start' ? Math.max(0, from) + end.ms : end.ms;
  const range: Range = [Math.max(whole[0], from), Math.min(whole[1], until)];
  return (start === null && end === null) || range[0] >= range[1] ? null : range;
}
