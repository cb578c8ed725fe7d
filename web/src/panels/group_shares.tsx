// In the sidebar of a range: which libraries, files, categories or classes what is shown ran in.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { percent, weightWithUnit, type WeightType } from '../format/numbers.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, change, generation, opened, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';
import { useSignalRun } from '../widgets/use.ts';

interface GroupsPart extends Part {
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly count: number;
  readonly names: readonly string[];
  readonly columns: Columns<'total' | 'self'>;
}

const KINDS = { library: 'Libraries', file: 'Files', category: 'Categories', class: 'Classes' } as const;
type Kind = keyof typeof KINDS;

/** What finds the functions of a group. */
const FIELDS: Record<Kind, string> = { library: 'lib:', file: 'file:', category: 'cat:', class: 'name:' };

const MOST = 10;
const kind = signal<Kind>('library');
const groups = signal<GroupsPart | null>(null);
let last = '';

function follow(): void {
  const by = kind.value, key = opened.value ? JSON.stringify([by, queryState(view.value), generation.value]) : '';
  if (key === last) return;
  last = key;
  if (key === '') groups.value = null;
  else
    afterPanel('groups', async () => {
      const reply = await ask('groups', queryState(view.peek()), [{ ask: 'groups', by, after: MOST }]);
      if (reply && key === last) groups.value = reply.parts[0] as GroupsPart;
    });
}

function searchFor(name: string): void {
  const escaped = name.replaceAll(/[\\,]/g, '\\$&');
  change(`Search ${name}`, { search: `${FIELDS[kind.peek()]}${escaped}`, highlightOnly: false });
}

export function GroupShares(): JSX.Element | null {
  useSignalRun(follow);
  const part = groups.value;
  if (!part || part.root_total === 0) return null;
  const { names, columns: { self, total }, root_total: whole, weight_type: type } = part;
  const isNone = (name: string): boolean => name.startsWith('(no ');
  return (
    <section>
      <h3>
        <select aria-label="What is added up" value={kind.value} onChange={({ currentTarget }) => (kind.value = currentTarget.value as Kind)}>
          {Object.entries(KINDS).map(([key, title]) => <option key={key} value={key}>{title}</option>)}
        </select>
        {' '}by what ran in themselves
      </h3>
      {names.map((name, i) => (
        <div key={name} class="bar-row" title={`${visible(name)}: ${weightWithUnit(self[i]!, type)} in itself, ${weightWithUnit(total[i]!, type)} with all it called`}>
          {isNone(name) ? <span>{name}</span> : <button class="link" title={`Searches for ${visible(name)}`} onClick={() => searchFor(name)}>{visible(name.split('/').pop() || name)}</button>}
          <span>{percent(self[i]!, whole)}</span>
          <span>{weightWithUnit(self[i]!, type)}</span>
          <i style={{ '--share': String(Math.min(1, Math.abs(self[i]! / whole))), '--color': 'var(--accent)' }} />
        </div>
      ))}
      {part.count > names.length && <p class="weak">and {part.count - names.length} more</p>}
    </section>
  );
}
