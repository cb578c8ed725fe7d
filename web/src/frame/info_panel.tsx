// What is known of the recording, its quality first.
import type { JSX } from 'preact';
import { opened, wholeRange } from '../state/store.ts';
import { bytes, count, duration } from '../format/numbers.ts';
import { visible } from '../transport/texts.ts';
import { modules, ModulesTable } from './modules_table.tsx';
import { QualityFacts } from './quality_facts.tsx';

type Facts = Readonly<Record<string, string | number>>;

/** "AMD EPYC, 2 cores, 4 threads", as far as it is known. */
function processor({ CPUName: name, physicalCPUs: cores, logicalCPUs: threads }: Facts): string {
  const number = (value: string | number | undefined, one: string): string => (typeof value === 'number' && value > 0 ? `${count(value)} ${one}${value === 1 ? '' : 's'}` : '');
  return [name ?? '', number(cores, 'core'), cores === threads ? '' : number(threads, 'thread')].filter(Boolean).join(', ');
}

/** Titles and texts of what the file says, in the order they are shown. */
function factRows(facts: Facts): readonly (readonly [title: string, text: string])[] {
  const { arguments: command = '', platform = '', oscpu = '', abi = '', device = '', mainMemory: memory, appBuildID: build = '' } = facts;
  const rows: (readonly [string, string | number])[] = [
    ['Command', command], ['Build', build], ['System', [...new Set([oscpu || platform, abi])].filter(Boolean).join(', ')], ['Device', device], ['Processor', processor(facts)],
    ['Memory', typeof memory === 'number' && memory > 0 ? bytes(memory) : ''],
  ];
  return rows.map(([title, text]) => [title, visible(String(text))] as const).filter(([, text]) => text !== '');
}

export function InfoPanel(): JSX.Element | null {
  const open = opened.value;
  if (!open) return null;
  const { quality, product, interval, start_time: started, threads, tracks, symbolicated, facts } = open;
  const samples = threads.reduce((sum, thread) => sum + thread.samples, 0);
  return (
    <div class="popup info">
      {quality && <QualityFacts quality={quality} />}
      <h2>Recording</h2>
      <dl>
        {product && <><dt>Program</dt><dd>{product}</dd></>}
        {factRows(facts).map(([title, text]) => [<dt key={`${title} k`}>{title}</dt>, <dd key={`${title} v`}>{text}</dd>])}
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
