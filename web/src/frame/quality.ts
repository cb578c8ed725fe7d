// What of a recording is not to be trusted, how much, and what can be done.
import { count, duration, percent } from '../format/numbers.ts';
import type { Quality } from '../state/opened.ts';

const LOST = 0.01, CUT = 0.02;

/** Notes of the recorder that change what a tree says: it ended early, or its clock is in doubt (src/import/session_quality.c). */
export const SERIOUS = ['the disk was full', 'has no end', 'have no end', 'shares may be wrong', 'in step with the kernel', 'damaged'];

export function qualitySentences(quality: Quality | null): string[] {
  if (!quality) return [];
  const figure = (name: string): number => (typeof quality[name] === 'number' ? (quality[name] as number) : 0);
  const lost = figure('lost') / Math.max(1, figure('taken') + figure('lost')), gone = figure('goneMs');
  const sentence = (note: string): string => `${note.charAt(0).toUpperCase()}${note.slice(1)}${/[.!?]$/.test(note) ? '' : '.'}`;
  return [
    ...(lost > LOST ? [`${count(figure('lost'))} samples (${percent(lost, 1)}) were lost: shares are those of the others. With a lower --rate fewer are.`] : []),
    ...(figure('truncatedShare') > CUT ? [`${percent(figure('truncatedShare'), 1)} of the CPU time has stacks that are cut off: callers are missing.`] : []),
    ...(gone > 0 ? [`The oldest ${duration(gone)} of thread time are gone: the recording was larger than its limit. A larger --buffer-size keeps more.`] : []),
    ...(quality.notes ?? []).filter((note) => SERIOUS.some((piece) => note.includes(piece))).map(sentence),
  ];
}

const ADVICE: Record<string, string> = {
  EACCES: 'sysctl kernel.perf_event_paranoid=2 allows events, which are exact',
  EPERM: '--cap-add=PERFMON (Docker, Podman) or a seccomp profile allows events, which are exact',
  EMFILE: 'a higher limit of open files (ulimit -n) allows more events, which are exact',
};

/** What the samples were taken by; empty where it is not known. */
export function clockText({ clock, clockRefused: refused, tickMs }: Quality): string {
  const ticks = `the kernel’s ticks${typeof tickMs === 'number' ? `, ${duration(tickMs)} apart` : ''}`, events = 'events of each thread’s CPU clock';
  const usual = { events, ticks, both: `${events}; ${ticks}` }[String(clock)] ?? '';
  const why = typeof refused === 'string' && refused !== '' ? `; events were refused (${refused})${ADVICE[refused] ? `: ${ADVICE[refused]}` : ''}` : '';
  return usual && usual + why;
}
