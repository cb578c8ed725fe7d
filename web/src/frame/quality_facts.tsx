// How good the recording is: what the profiler noted, and its figures.
import type { JSX } from 'preact';
import { count, duration, percent } from '../format/numbers.ts';
import type { Quality } from '../state/opened.ts';
import { clockText } from './quality.ts';
import { visible } from '../transport/texts.ts';

const samples = (value: number): string => count(value);
const share = (value: number): string => percent(value, 1);

/** In the order they are shown; those that a recording has. */
const FIGURES: readonly (readonly [key: string, title: string, show: (value: number) => string])[] = [
  ['taken', 'Samples taken', samples],
  ['lost', 'Samples lost', samples],
  ['truncatedShare', 'Stacks that are cut off', share],
  ['unsymbolicated', 'Samples with nameless frames', share],
  ['cpuMs', 'On a CPU', duration],
  ['kernelMs', '… in the kernel, without a stack', duration],
  ['notSampledMs', '… not sampled', duration],
  ['readyMs', 'Waiting for a CPU', duration],
  ['waitingMs', 'Waiting for anything else', duration],
  ['unseenMs', 'Waits without a stack', duration],
  ['profilerStartMs', 'Start of the profiler', duration],
  ['stoppedMsP50', 'A sample stops its thread for', duration],
  ['stoppedMsP99', '… 99 % for no more than', duration],
];

export function QualityFacts({ quality }: { readonly quality: Quality }): JSX.Element {
  const { notes = [] } = quality, clock = clockText(quality);
  return (
    <section>
      <h2>Quality</h2>
      {notes.length > 0 && <ul>{notes.map((note) => <li key={note}>{visible(note)}</li>)}</ul>}
      <dl>
        {clock && <><dt>Samples are taken by</dt><dd>{visible(clock)}</dd></>}
        {FIGURES.map(([key, title, show]) => {
          const value = quality[key];
          return typeof value === 'number' ? <><dt>{title}</dt><dd>{show(value)}</dd></> : null;
        })}
      </dl>
    </section>
  );
}
