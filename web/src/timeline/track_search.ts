// Searching the list of tracks: which parts of a text match.

export const termsOf = (search: string): string[] => search.toLowerCase().split(',').map((term) => term.trim()).filter(Boolean);

export interface TextPart {
  readonly part: string;
  readonly isMatch: boolean;
}

export function markedParts(text: string, search: string): TextPart[] {
  const terms = termsOf(search), lower = text.toLowerCase(), isMarked = new Array<boolean>(text.length).fill(false);
  for (const term of terms) for (let at = lower.indexOf(term); at >= 0; at = lower.indexOf(term, at + 1)) isMarked.fill(true, at, at + term.length);
  const parts: TextPart[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    while (end < text.length && isMarked[end] === isMarked[start]) end++;
    parts.push({ part: text.slice(start, end), isMatch: isMarked[start] ?? false });
  }
  return parts;
}
