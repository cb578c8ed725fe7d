// The quality of the capture, where it is bad enough to be told before anything else.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { opened } from '../state/store.ts';
import { qualitySentences } from './quality.ts';
import { visible } from '../transport/texts.ts';

const dismissed = signal<unknown>(null);

export function Banner(): JSX.Element | null {
  const quality = opened.value?.quality ?? null, sentences = qualitySentences(quality);
  if (sentences.length === 0 || dismissed.value === quality) return null;
  return (
    <div class="banner" role="status">
      <span>{visible(sentences.join(' '))}</span>
      <button aria-label="Dismiss" onClick={() => (dismissed.value = quality)}>×</button>
    </div>
  );
}
