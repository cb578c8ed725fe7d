// The texts that replies have sent: names of functions, libraries and files, by id. Ids stay what they are while the profile is open.
import { NO_ID, type Reply } from './protocol.ts';

const MOST_TEXTS = 20_000;

let texts = new Map<number, string>();

/** Control characters, and those that turn the direction of text, would change how what is beside them reads. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Another profile has others. */
export function forgetTexts(): void {
  texts = new Map();
}

export function learnTexts({ strings }: Reply): void {
  const { ids, texts: sent } = strings;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    texts.delete(id); // the newest are at the end
    texts.set(id, visible(sent[i]!));
  }
  for (const id of texts.keys()) {
    if (texts.size <= MOST_TEXTS) break;
    texts.delete(id);
  }
}

export const textOf = (id: number | undefined): string => (id === undefined || id === NO_ID ? '' : (texts.get(id) ?? '…'));
