// Files that other tools read, made of what is shown.
import type { ComponentChildren, JSX } from 'preact';
import { failure, file, generation, opened, theEngine, view } from '../state/store.ts';
import { addressOfNow, addressOfPart } from '../state/history.ts';
import { copyText } from '../state/clipboard.ts';
import { commandLine, reportLine } from '../state/command_line_now.ts';
import { queryState } from '../state/view.ts';
import { closeMenu } from '../widgets/menu.tsx';
import { hasPanelPicture, panelPicture, timelinePicture } from './picture.ts';
import { reportFile } from './report_file.ts';

interface Format {
  readonly title: string;
  readonly format: 'svg' | 'folded' | 'csv' | 'json' | 'text';
  readonly of?: 'functions' | 'markers';
  /** What the name of the file ends in. */
  readonly ending: string;
}

const GROUPS: readonly { readonly title: string; readonly formats: readonly Format[] }[] = [
  { title: 'Flame graph', formats: [{ title: 'SVG', format: 'svg', ending: '.svg' }, { title: 'Folded stacks', format: 'folded', ending: '.folded' }] },
  { title: 'Call tree', formats: [{ title: 'Text', format: 'text', ending: '.txt' }, { title: 'CSV', format: 'csv', ending: '.csv' }, { title: 'JSON', format: 'json', ending: '.tree.json' }] },
  { title: 'Functions', formats: [{ title: 'CSV', format: 'csv', of: 'functions', ending: '.functions.csv' }, { title: 'JSON', format: 'json', of: 'functions', ending: '.functions.json' }] },
  { title: 'Markers', formats: [{ title: 'CSV', format: 'csv', of: 'markers', ending: '.markers.csv' }, { title: 'JSON', format: 'json', of: 'markers', ending: '.markers.json' }] },
];

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const baseName = (): string => (file.peek()?.name ?? 'profile').replace(/(\.json)?(\.gz|\.zst)?$/, '');

/** What is saved as a file, unless it fails: then the page says why. */
async function saveAs(ending: string, make: () => Promise<Blob | undefined>): Promise<void> {
  closeMenu();
  try {
    const blob = await make();
    if (blob) save(blob, `${baseName()}${ending}`);
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

async function exported({ format, of }: Format): Promise<Blob | undefined> {
  const now = view.peek(), { transport, file: number } = theEngine();
  const inverted = format === 'svg' && now.panel === 'flame-graph' ? now.flame.inverted : now.inverted;
  const sort = of === 'functions' ? { sort: now.functionsSort } : {};
  const state = { ...queryState(now, { inverted }), ...(of === 'markers' ? { marker_search: now.markerSearch } : {}), generation: generation.peek() };
  return transport.exportFile?.(number, { v: 1, state, asks: [{ ask: 'export', format, ...(of ? { of } : {}), ...sort }] });
}

/** The profile is packed when its symbols are there, which are those of the report. */
async function report(): Promise<Blob | undefined> {
  const { transport, file: number } = theEngine(), profile = await transport.profileFile?.(number);
  return profile && reportFile(profile, file.peek()?.name ?? 'profile', await addressOfNow());
}

/** What is seen, and nothing else: of the selected threads the range that is shown. */
async function part(): Promise<Blob | undefined> {
  const { transport, file: number } = theEngine(), { threads, ranges, preview } = view.peek();
  const range = preview ?? ranges[ranges.length - 1] ?? null;
  return transport.partFile?.(number, { threads: threads.toSorted((a, b) => a - b), range });
}

async function partReport(): Promise<Blob | undefined> {
  const profile = await part();
  return profile && reportFile(profile, `part of ${file.peek()?.name ?? 'profile'}`, await addressOfPart());
}

/** Where it is not the whole profile. */
function PartOfProfile(): JSX.Element | null {
  const { threads, ranges, preview } = view.value, all = opened.value?.threads.length ?? 0;
  if (!theEngine().transport.partFile || (ranges.length === 0 && !preview && threads.length >= all)) return null;
  return (
    <Group title="These threads, this range">
      <button title="A profile of what is selected, without the rest" onClick={() => void saveAs('.part.json.gz', part)}>Profile</button>
      <button title="A report of what is selected, without the rest" onClick={() => void saveAs('.part.html', partReport)}>Report</button>
    </Group>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="export-group" role="group" aria-label={title}>
      <span>{title}</span>
      {children}
    </div>
  );
}

function WholeProfile(): JSX.Element | null {
  const { transport, file: number } = theEngine();
  if (!transport.profileFile) return null;
  return (
    <Group title="Whole profile">
      <button title="The processed format of the Firefox Profiler, which Sonde reads, too" onClick={() => void saveAs('.profile.json.gz', () => transport.profileFile!(number))}>Profile</button>
      <button title="One file that shows the profile in any browser as it is shown here, without a server or a network" onClick={() => void saveAs('.html', report)}>Report</button>
    </Group>
  );
}

/** Lines break between words, and not after the `-` of an option. */
const Words = ({ line }: { readonly line: string }): JSX.Element => <>{line.split(' ').flatMap((word, i) => [...(i > 0 ? [' '] : []), <span key={i}>{word}</span>])}</>;

export function ExportPanel(): JSX.Element {
  const { transport, file: number } = theEngine();
  const copy = (): void => {
    closeMenu();
    void copyText(commandLine(), 'the command line');
  };
  return (
    <div class="popup export">
      <Group title="Picture">
        <button title="All tracks that are shown" onClick={() => void saveAs('.timeline.png', timelinePicture)}>Timeline</button>
        {hasPanelPicture() && <button title="What is seen of the panel" onClick={() => void saveAs(`.${view.peek().panel}.png`, panelPicture)}>Panel</button>}
      </Group>
      {transport.exportFile && GROUPS.map(({ title, formats }) => (
        <Group key={title} title={title}>
          {formats.map((format) => <button key={format.ending} onClick={() => void saveAs(format.ending, () => exported(format))}>{format.title}</button>)}
        </Group>
      ))}
      <WholeProfile />
      <PartOfProfile />
      <h2>In a terminal</h2>
      <code class="command-line"><Words line={commandLine()} /></code>
      <button onClick={copy}>Copy command line</button>
      {transport.profileFile && (
        <>
          <p class="weak">A report of these threads and this range alone:</p>
          <code class="report-line"><Words line={reportLine()} /></code>
          <button onClick={() => { closeMenu(); void copyText(reportLine(), 'the command line'); }}>Copy</button>
        </>
      )}
      {transport.firefoxProfiler && <p><a href={transport.firefoxProfiler(number)} target="_blank" rel="noreferrer">Open in the Firefox Profiler</a></p>}
    </div>
  );
}
