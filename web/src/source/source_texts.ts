// Texts of source files that were seen lately, for those who show single lines of them.
import { signal } from '@preact/signals';
import { ask, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import type { SourcePart } from './source_model.ts';

interface SourceText {
  readonly lines: readonly string[];
  readonly first: number;
}

const MOST_FILES = 8;
const texts = new Map<string, SourceText>();
const asked = new Set<string>();
export const textsChanged = signal(0);

/** As it stands in the file, without its indent; empty where the text is not there, or not yet. */
export function lineOf(file: string, line: number): string {
  const text = texts.get(file);
  return text?.lines[line - text.first]?.trim() ?? '';
}

/** Of the file of a function. A text that could not be had is not asked for again. */
export async function needText(file: string, func: number): Promise<void> {
  if (asked.has(file)) return;
  asked.add(file);
  const reply = await ask('source-text', queryState(view.peek()), [{ ask: 'source', func }]);
  const part = reply?.parts[0] as SourcePart | undefined;
  if (!part) asked.delete(file);
  if (part?.text == null) return;
  texts.set(file, { lines: part.text.split('\n'), first: part.first_line });
  for (const oldest of texts.keys()) {
    if (texts.size <= MOST_FILES) break;
    texts.delete(oldest);
    asked.delete(oldest);
  }
  textsChanged.value++;
}

/** Another profile has other files. */
export function forgetSourceTexts(): void {
  texts.clear();
  asked.clear();
}
