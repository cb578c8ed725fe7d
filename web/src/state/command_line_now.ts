// What the page shows, as a command line of the profile that is open.
import { writeCommandLine, writeReportLine } from './command_line.ts';
import { file, view } from './store.ts';

export const commandLine = (): string => writeCommandLine(view.peek(), file.peek()?.path ?? file.peek()?.name ?? 'FILE');
export const reportLine = (): string => writeReportLine(view.peek(), file.peek()?.path ?? file.peek()?.name ?? 'FILE');
