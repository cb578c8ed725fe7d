// From where a function was called: the lines of its callers, the heaviest first, each of which opens its source.
import { percent } from '../format/numbers.ts';
import { rememberName } from '../state/names.ts';
import { announcement, ask, change, view } from '../state/store.ts';
import { queryState, type BottomBox } from '../state/view.ts';
import type { Columns, Part, Path } from '../transport/protocol.ts';
import { NO_ID } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { showMenu } from '../widgets/menu.tsx';
import { goToLine } from './source_model.ts';

interface SitesPart extends Part {
  readonly root_total: number;
  readonly count: number;
  readonly columns: Columns<'func' | 'name' | 'library' | 'file' | 'line' | 'total'>;
}

/** What was called: a node, or a function wherever it is. */
export type Called = Pick<BottomBox, 'func' | 'path'>;

interface Site {
  readonly func: number;
  readonly name: string;
  /** "thumbnails.c:42", or the library where no line is known. */
  readonly place: string;
  readonly line: number | null;
  readonly share: string;
}

const MOST = 20;

function sitesOf({ columns, root_total: whole }: SitesPart): Site[] {
  return Array.from(columns.func.subarray(0, MOST), (func, i) => {
    const file = textOf(columns.file[i]).split('/').pop() ?? '', line = columns.line[i] === NO_ID ? null : columns.line[i]!;
    rememberName(func, columns.name[i]);
    return { func, name: textOf(columns.name[i]), place: file ? `${file}${line === null ? '' : `:${line}`}` : textOf(columns.library[i]), line, share: percent(columns.total[i]!, whole) };
  });
}

async function loadSites({ func, path }: Called): Promise<readonly Site[] | undefined> {
  const reply = await ask('call-sites', queryState(view.peek()), [{ ask: 'call_sites', ...(path ? { path } : { func }) }]);
  return reply && sitesOf(reply.parts[0] as SitesPart);
}

/** The node that called a node is the one above it. */
const callerPath = (path: Path | null): Path | null => (path && path.length > 1 ? path.slice(0, -1) : null);

function openSite({ path }: Called, { func, name, line }: Site): void {
  const { bottom } = view.peek();
  if (line !== null) goToLine(func, line);
  change(`Caller ${name}`, { bottom: { func, path: callerPath(path), assembly: bottom?.assembly ?? false, full: bottom?.full ?? false } });
}

const NOBODY = 'Nobody called this: stacks begin with it';

/** The heaviest one. */
export async function openCallSite(called: Called): Promise<void> {
  const [site] = (await loadSites(called)) ?? [];
  if (site) openSite(called, site);
  else announcement.value = NOBODY;
}

export async function chooseCallSite(called: Called, button: HTMLElement): Promise<void> {
  const sites = await loadSites(called), { left, bottom } = button.getBoundingClientRect();
  if (!sites) return;
  const entries = sites.map((site) => ({ title: `${site.share}  ${site.name}  ${site.place}`, run: () => openSite(called, site) }));
  showMenu(left, bottom, 'Callers', entries.length > 0 ? entries : [{ title: NOBODY, disabled: true, run: () => {} }]);
}
