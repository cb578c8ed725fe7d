// A marker with everything that is known of it, and texts that are made of it.
import { duration } from '../format/numbers.ts';
import { rememberName } from '../state/names.ts';
import { ask } from '../state/store.ts';
import type { MarkerId } from '../state/view.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { textOf, visible } from '../transport/texts.ts';

/** Flags of markers, and of marks in pictures: see "Markers" in docs/api.md. */
export const IS_MOMENT = 1, STARTS_BEFORE = 2, GOES_ON = 4, IS_SEVERAL = 8, IS_CUT_OFF = 16;

export interface MarkerField {
  readonly key: string;
  readonly label: string;
  readonly format: string | null;
  readonly value: number | boolean | null;
  readonly text: string;
  readonly list?: readonly string[];
  readonly heads?: readonly string[];
  readonly table?: readonly (readonly string[])[];
}

export interface MarkerPart extends Part, MarkerId {
  readonly name: string;
  readonly category: number | null;
  readonly type: string | null;
  readonly start: number;
  readonly end: number | null;
  readonly duration: number | null;
  readonly cut_off: boolean;
  readonly label: string;
  readonly details: string | null;
  readonly description: string | null;
  readonly fields: readonly MarkerField[];
  /** Texts were too long to be sent whole. */
  readonly cut: boolean;
  readonly stack: { readonly time: number | null; readonly ago: number | null; readonly thread: number | null } | null;
  /** The stack has more frames. */
  readonly more: boolean;
  readonly columns: Columns<'func' | 'name' | 'library' | 'category'>;
}

export async function loadMarker(lane: string, { thread, marker }: MarkerId): Promise<MarkerPart | undefined> {
  const reply = await ask(lane, {}, [{ ask: 'marker', thread, marker }]);
  const part = reply?.parts[0] as MarkerPart | undefined;
  part?.columns.func.forEach((func, i) => rememberName(func, part.columns.name[i]));
  return part;
}

/** Empty for moments. */
export function durationText(length: number | null, isCutOff: boolean): string {
  if (isCutOff) return 'unknown';
  return length === null || Number.isNaN(length) ? '' : duration(length);
}

/** What finds the markers of a name. Commas end a term: of a name that has some, its longest piece is looked for. */
export function nameSearch(name: string): string {
  const longest = name.split(',').map((piece) => piece.trim()).reduce((best, piece) => (piece.length > best.length ? piece : best), '');
  return longest === '' ? '' : `name:${longest}`;
}

/** So many digits tell the parts of a histogram apart. */
const DIGITS = 6;

/** The same, of those that last so long (ms). */
export function durationSearch(name: string, from: number, to: number): string {
  const side = (ms: number): string => `${Number(ms.toPrecision(DIGITS))}ms`;
  return `${nameSearch(name)}, duration:${side(from)}..${side(to)}`;
}

export function urlOf({ fields }: MarkerPart): string | null {
  return fields.find(({ format, text }) => format === 'url' && text !== '')?.text ?? null;
}

/** The names of its stack, the innermost first, one a line. */
export const stackText = ({ columns }: MarkerPart): string =>
  Array.from(columns.name, (name, i) => [textOf(name), textOf(columns.library[i])].filter(Boolean).join('  ')).join('\n');

export function markerJson(part: MarkerPart, category: string | null, thread: string): string {
  const { name, type, start, end, duration: length, label, description, fields } = part;
  const data = Object.fromEntries(fields.map(({ key, value, text, list, table }) => [key, value ?? list ?? table ?? text]));
  return JSON.stringify({ name, type, category, thread, start, end, duration: length, label, ...(description ? { description } : {}), data }, null, 2);
}

export const titleOf = ({ label, name }: MarkerPart): string => visible(label || name);
