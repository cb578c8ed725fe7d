// Sets the view to what a command line says, with the names in it looked up in the profile.
import type { Columns, Part } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { parseCommandLine, rangeWithin } from './command_line.ts';
import { rememberName } from './names.ts';
import { ask, change, failure, opened, view, wholeRange } from './store.ts';
import { KINDS, parseTransform, type Transform, type TransformKind } from './transforms.ts';
import { EMPTY_PLACE, type View } from './view.ts';

function readThreads(written: readonly string[]): readonly number[] | string {
  const all = opened.peek()?.threads ?? [], found = new Set<number>();
  for (const text of written) {
    const handle = /^t-(\d+)$/.exec(text);
    const matching = all.flatMap(({ name }, index) => (text === 'all' || name === text || (handle && Number(handle[1]) === index) ? [index] : []));
    if (matching.length === 0) return `${text}: no thread of this name`;
    for (const index of matching) found.add(index);
  }
  return [...found];
}

const MOST_FUNCTIONS = 10_000;
const HANDLE = /^f-\d+$/;

/** The function of a name, the one with most samples where there are several. */
async function handleOf(name: string, threads: readonly number[]): Promise<string | undefined> {
  if (HANDLE.test(name)) return name;
  const search = `name:${name.replaceAll(/[\\,]/g, '\\$&')}`;
  const reply = await ask('names', { threads, search }, [{ ask: 'rows', of: 'functions', sort: 'total', after: MOST_FUNCTIONS }]);
  const { func, name: names } = (reply?.parts[0] as Part & { readonly columns: Columns<'func' | 'name'> } | undefined)?.columns ?? {};
  const at = names?.findIndex((id) => textOf(id) === name) ?? -1;
  if (!func || !names || at < 0) return undefined;
  rememberName(func[at]!, names[at]);
  return `f-${func[at]}`;
}

async function readTransform(written: string, threads: readonly number[]): Promise<Transform | string> {
  const colon = written.indexOf(':'), kind = written.slice(0, Math.max(0, colon)).split('+')[0] as TransformKind, facts = KINDS[kind];
  if (!facts) return `${written}: no transform`;
  if (facts.of === 'text') return parseTransform(written) ?? `${written}: no transform`;
  const names = facts.of === 'path' ? written.slice(colon + 1).split(';') : [written.slice(colon + 1)];
  const handles: string[] = [];
  for (const name of names) {
    const handle = await handleOf(name, threads);
    if (!handle) return `${name}: no function of this name has samples here`;
    handles.push(handle);
  }
  return parseTransform(`${written.slice(0, colon)}:${handles.join(';')}`) ?? `${written}: no transform`;
}

async function viewOf(text: string): Promise<Partial<View> | string> {
  const parsed = parseCommandLine(text);
  if (typeof parsed === 'string') return parsed;
  const { panel, threads: names, range: wanted, transforms: written, ...same } = parsed;
  const threads = names ? readThreads(names) : view.peek().threads;
  if (typeof threads === 'string') return threads;
  const range = wanted && rangeWithin(wanted, wholeRange.peek());
  const transforms: Transform[] = [];
  for (const transform of written ?? []) {
    const read = await readTransform(transform, threads);
    if (typeof read === 'string') return read;
    transforms.push(read);
  }
  return {
    ...same,
    threads,
    ...(panel ? { panel } : {}),
    ...(wanted ? { ranges: range ? [range] : [], preview: null } : {}),
    ...(same.search === undefined ? {} : { highlightOnly: false }),
    ...(written ? { transforms, tree: { ...EMPTY_PLACE, since: transforms.length }, invertedTree: { ...EMPTY_PLACE, since: transforms.length }, flame: { ...view.peek().flame, zoom: null } } : {}),
  };
}

export async function runCommandLine(text: string): Promise<void> {
  const to = await viewOf(text);
  if (typeof to === 'string') failure.value = to;
  else change('Command line', to);
}
