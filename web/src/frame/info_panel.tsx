// What is known of the recording, its quality first.
import type { JSX } from 'preact';
import { opened, wholeRange } from '../state/store.ts';
import { count, duration } from '../format/numbers.ts';
import { modules, ModulesTable } from './modules_table.tsx';
import { QualityFacts } from './quality_facts.tsx';

export function InfoPanel(): JSX.Element | null {
  const open = opened.value;
  if (!open) return null;
  const { quality, product, interval, start_time: started, threads, tracks, symbolicated } = open;
  const samples = threads.reduce((sum, thread) => sum + thread.samples, 0);
  return (
    <div class="popup info">
      {quality && <QualityFacts quality={quality} />}
      <h2>Recording</h2>
      <dl>
        {product && <><dt>Program</dt><dd>{product}</dd></>}
        {started > 0 && <><dt>Started</dt><dd>{new Date(started).toLocaleString('en-GB')}</dd></>}
        <dt>Length</dt><dd>{duration(wholeRange.value[1] - wholeRange.value[0])}</dd>
        <dt>Interval</dt><dd>{duration(interval)}</dd>
        <dt>Processes</dt><dd>{count(tracks.length)}</dd>
        <dt>Threads</dt><dd>{count(threads.length)}</dd>
        <dt>Samples</dt><dd>{count(samples)}</dd>
        {!modules.value?.modules.length && <><dt>Symbols</dt><dd>{symbolicated ? 'complete' : 'incomplete'}</dd></>}
      </dl>
      <ModulesTable />
    </div>
  );
}
