// The quality of the capture, where it is bad enough to be told before anything else.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { opened } from '../state/store.ts';
import { count, percent } from '../format/numbers.ts';

const dismissed = signal<unknown>(null);

const LOST = 0.01, CUT = 0.02;

/** What of the recording is not to be trusted, how much, and what can be done. */
export function qualitySentences(quality: Readonly<Record<string, unknown>> | null): string[] {
  const figure = (name: string): number => (typeof quality?.[name] === 'number' ? (quality[name] as number) : 0);
  const lost = figure('lost') / Math.max(1, figure('taken') + figure('lost'));
  return [
    ...(lost > LOST ? [`${count(figure('lost'))} samples (${percent(lost, 1)}) were lost: shares are those of the others. With a lower --rate fewer are.`] : []),
    ...(figure('truncatedShare') > CUT ? [`${percent(figure('truncatedShare'), 1)} of the CPU time has stacks that are cut off: callers are missing.`] : []),
  ];
}

export function Banner(): JSX.Element | null {
  const quality = opened.value?.quality ?? null, sentences = qualitySentences(quality);
  if (sentences.length === 0 || dismissed.value === quality) return null;
  return (
    <div class="banner" role="status">
      <span>{sentences.join(' ')}</span>
      <button aria-label="Dismiss" onClick={() => (dismissed.value = quality)}>×</button>
    </div>
  );
}
