// What the page shows, as a command line of the profile that is open.
import { writeCommandLine, writeReportLine, type ComparedWith } from './command_line.ts';
import { nameOfFunc } from './names.ts';
import { file, files, opened, view } from './store.ts';

/** All threads, or those of the names that are selected. */
function comparedThreads(selected: readonly number[]): string[] {
  const all = opened.peek()?.threads ?? [];
  if (all.length < 2) return [];
  return selected.length === all.length ? ['all'] : [...new Set(selected.map((thread) => all[thread]?.name ?? ''))];
}

function comparedWith(): ComparedWith | null {
  const base = opened.peek()?.base ?? null;
  if (base === null) return null;
  const found = files.peek().find(({ name, id }) => name === base && id !== file.peek()?.id);
  return { base: found?.path ?? base, threads: comparedThreads(view.peek().threads), nameOf: nameOfFunc };
}

const nameOfFile = (): string => file.peek()?.path ?? file.peek()?.name ?? 'FILE';
export const commandLine = (): string => writeCommandLine(view.peek(), nameOfFile(), comparedWith());
export const reportLine = (): string => writeReportLine(view.peek(), nameOfFile());
