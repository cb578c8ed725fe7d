// Beside the search: what makes a transform of it, so that it keeps its place among the others and a new search can be made.
import type { JSX } from 'preact';
import { addTransform, searchFault, view } from '../state/store.ts';
import type { TransformKind } from '../state/transforms.ts';
import { showMenu } from '../widgets/menu.tsx';

const CHOICES: readonly { readonly kind: TransformKind; readonly title: string; readonly hint: string }[] = [
  { kind: 'keep-matching', title: 'Keep only stacks with', hint: 'Leaves out all samples that have it not' },
  { kind: 'drop-matching', title: 'Drop stacks with', hint: 'Leaves out all samples that have it' },
  { kind: 'merge-matching', title: 'Merge functions that match', hint: 'Takes them out of all stacks; their self time becomes that of their callers' },
  { kind: 'collapse-matching', title: 'Collapse functions that match', hint: 'What they call becomes their self time' },
];

function makeTransform(kind: TransformKind, title: string): void {
  const { search, implementation } = view.peek();
  addTransform(`${title} ${search}`, { kind, funcs: [], text: search, implementation, inverted: false }, { search: '', highlightOnly: false });
}

export function SearchStep(): JSX.Element {
  const { search } = view.value;
  const choose = (button: HTMLElement): void => {
    const { left, bottom } = button.getBoundingClientRect();
    showMenu(left, bottom, 'Make a transform of the search', CHOICES.map(({ kind, title, hint }) => ({ title: `${title} “${search}”`, hint, run: () => makeTransform(kind, title) })));
  };
  return (
    <button aria-haspopup="menu" disabled={searchFault.value !== null} title="Makes a transform of the search: it stays, and you can search for something else" onClick={({ currentTarget }) => choose(currentTarget)}>
      As transform ▾
    </button>
  );
}
