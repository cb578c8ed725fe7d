// What can be done with a node of a tree, a box of a flame graph, or a function: by menu and by key.
import { addTransform, adjust, ask, change, failure, generation, opened, theEngine, view } from '../state/store.ts';
import { copyText } from '../state/clipboard.ts';
import type { Command } from '../state/commands.ts';
import { queryState } from '../state/view.ts';
import { nameOfFunc } from '../state/names.ts';
import type { MenuEntry } from '../widgets/menu.tsx';
import { hideTooltip, pinTooltip, showTooltip } from '../widgets/tooltip.tsx';
import { tipOfNode, type NodeFacts } from './node_tip.tsx';
import { commandLine } from '../state/command_line_now.ts';
import { transformText, type TransformKind } from '../state/transforms.ts';
import type { Path } from '../transport/protocol.ts';

export interface ChosenNode {
  /** Empty where it is about a function wherever it is. */
  readonly path: Path;
  readonly func: number;
  readonly name: string;
  readonly library: string;
  readonly file: string;
  readonly category: number;
  readonly inverted: boolean;
}

interface NodeAction {
  readonly title: (node: ChosenNode) => string;
  readonly key: string;
  readonly hint: string;
  readonly when?: (node: ChosenNode) => boolean;
  readonly run: (node: ChosenNode) => void;
}

function transform(node: ChosenNode, kind: TransformKind, title: string): void {
  const { implementation } = view.peek();
  const base = { kind, implementation, inverted: false };
  switch (kind) {
    case 'focus-subtree':
      return addTransform(title, { ...base, funcs: node.path, inverted: node.inverted });
    case 'merge-call-node':
      return addTransform(title, { ...base, funcs: node.path });
    case 'focus-category':
      return addTransform(title, { ...base, funcs: [], text: opened.peek()!.categories[node.category]?.name ?? '' });
    case 'collapse-resource':
      return addTransform(title, { ...base, funcs: [], text: node.library });
    default:
      return addTransform(title, { ...base, funcs: [node.func] });
  }
}

const recurses = ({ path, func }: ChosenNode): boolean => path.filter((other) => other === func).length > 1;
const recursesDirectly = ({ path }: ChosenNode): boolean => path.some((func, i) => i > 0 && func === path[i - 1]);

function action(kind: TransformKind, key: string, title: (node: ChosenNode) => string, hint: string, when?: NodeAction['when']): NodeAction {
  return { title, key, hint, when, run: (node) => transform(node, kind, title(node)) };
}

const ACTIONS: readonly NodeAction[] = [
  action('merge-function', 'm', ({ name }) => `Merge function ${name}`, 'Takes the function out of all stacks; its self time becomes that of its callers'),
  action('merge-call-node', 'M', () => 'Merge node only', 'Takes out this one place of the function', ({ path, inverted }) => path.length > 0 && !inverted),
  action('focus-function', 'f', ({ name, inverted }) => `Focus on function ${name}${inverted ? ' (inverted)' : ''}`, 'Only stacks with this function, from it on'),
  action('focus-subtree', 'F', () => 'Focus on subtree only', 'Only what runs under this node', ({ path }) => path.length > 0),
  action('focus-self', 'S', ({ name }) => `Focus on self of ${name} only`, 'Only samples that ended in this function'),
  action('focus-category', 'g', ({ category }) => `Focus on category ${opened.peek()?.categories[category]?.name ?? ''}`, 'Only frames of this category', ({ category }) => opened.peek()?.categories[category] !== undefined),
  action('collapse-function-subtree', 'c', ({ name }) => `Collapse function ${name}`, 'What the function calls becomes its self time'),
  action('collapse-resource', 'C', ({ library }) => `Collapse ${library}`, 'All frames of the library become one', ({ library }) => library !== ''),
  action('collapse-recursion', 'r', () => 'Collapse recursion', 'Calls between two calls of the function go', recurses),
  action('collapse-direct-recursion', 'R', () => 'Collapse direct recursion only', 'The function calling itself becomes one call', recursesDirectly),
  action('drop-function', 'd', ({ name }) => `Drop samples with ${name}`, 'Leaves out all samples with this function'),
];

export function openSource(node: ChosenNode | null, assembly = false): void {
  if (node) adjust({ bottom: { func: node.func, path: node.inverted || node.path.length === 0 ? null : node.path, assembly, full: false } });
}

/** Of a function wherever it is; what is open of it stays as it is. */
export function openFunctionSource(func: number): void {
  if (view.peek().bottom?.func !== func) adjust({ bottom: { func, path: null, assembly: view.peek().bottom?.assembly ?? false, full: false } });
}

/** What is known of the node, in a tooltip that stays: for who has no pointer. */
async function tellNode(node: ChosenNode): Promise<void> {
  const state = queryState(view.peek(), { inverted: node.inverted });
  const facts = (await ask('tooltip', state, [{ ask: 'node', path: node.path }]))?.parts[0] as NodeFacts | undefined;
  const place = (document.querySelector('#panel .selected') ?? document.querySelector('#panel'))?.getBoundingClientRect();
  if (!facts || !place) return;
  hideTooltip(true);
  showTooltip(place.left + TIP_INSET, place.bottom < innerHeight / 2 ? place.bottom : place.top, tipOfNode(node, facts));
  pinTooltip();
}
const TIP_INSET = 230;

/** Keys of whatever has the focus come first. */
const isFree = (): boolean => !document.activeElement?.matches('button, input, select, textarea, summary, [role=separator], [role=slider]');

export function showCallers(node: ChosenNode): void {
  const { panel, func } = view.peek();
  if (panel !== 'functions' || func !== node.func) change(`Callers and callees of ${node.name}`, { panel: 'functions', func: node.func });
}

/** A search that finds a library by its whole name, whatever characters it has. */
const wholeLibrary = (library: string): string => `lib:/^${library.replaceAll(/[.*+?^${}()|[\]\\/,]/g, '\\$&')}$/`;

function onlyLibrary({ library }: ChosenNode): void {
  addTransform(`Only functions of ${library}`, { kind: 'merge-matching', funcs: [], text: `/./,-${wholeLibrary(library)}`, implementation: view.peek().implementation, inverted: false });
}

/** What nobody has a name for: an address. */
const NAMELESS = /^0x[0-9a-f]+$/;

function mergeNameless(): void {
  addTransform('Functions without names merged', { kind: 'merge-matching', funcs: [], text: 'name:/^0x[0-9a-f]+$/', implementation: view.peek().implementation, inverted: false });
}

/** The stacks of the node, or of a function, as text that other tools make flame graphs of. */
async function copyFolded(node: ChosenNode): Promise<void> {
  const { transport, file } = theEngine(), now = queryState(view.peek());
  const focus = node.path.length > 0 ? { kind: 'focus-subtree' as const, funcs: node.path } : { kind: 'focus-function' as const, funcs: [node.func] };
  const transforms = [...(now.transforms ?? []), transformText({ ...focus, implementation: 'combined', inverted: node.path.length > 0 && node.inverted })];
  try {
    const blob = await transport.exportFile?.(file, { v: 1, state: { ...now, transforms, generation: generation.peek() }, asks: [{ ask: 'export', format: 'folded' }] });
    if (blob) await copyText(await blob.text(), 'the stacks');
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

/** The names from the node to the root, one a line. */
async function copyStack(node: ChosenNode): Promise<void> {
  const reply = await ask('copy', queryState(view.peek(), { inverted: node.inverted }), [{ ask: 'node', path: node.path }]);
  if (!reply) return;
  const names = node.path.map(nameOfFunc);
  if (!node.inverted) names.reverse();
  await copyText(names.join('\n'), 'the stack');
}

export function callNodeMenu(node: ChosenNode, { openBelow }: { readonly openBelow?: () => void } = {}): MenuEntry[] {
  return [
    { title: node.file ? `Show ${node.file.split('/').pop()}` : 'Show source', key: 'Enter', run: () => openSource(node) },
    { title: 'Show assembly', key: 'a', run: () => openSource(node, true) },
    { title: 'Show callers and callees', key: 'b', run: () => showCallers(node) },
    'separator',
    ...ACTIONS.filter(({ when }) => !when || when(node)).map(({ title, key, hint, run }) => ({ title: title(node), key, hint, run: () => run(node) })),
    ...(node.library ? [{ title: `Only functions of ${node.library}`, hint: 'Takes all others out of the stacks; their self time becomes that of their callers', run: () => onlyLibrary(node) }] : []),
    ...(NAMELESS.test(node.name) ? [{ title: 'Merge all functions without names', hint: 'Takes all that are only addresses out of the stacks; their self time becomes that of their callers', run: mergeNameless }] : []),
    'separator',
    ...(openBelow ? [{ title: 'Open everything below', key: '*', run: openBelow }] : []),
    { title: 'Search for this function', run: () => adjust({ search: node.name }) },
    { title: 'Copy function name', run: () => void copyText(node.name, 'the name') },
    ...(node.file ? [{ title: 'Copy file name', run: () => void copyText(node.file, 'the file name') }] : []),
    ...(node.path.length > 0 ? [{ title: 'Copy stack', run: () => void copyStack(node) }] : []),
    ...(theEngine().transport.exportFile ? [{ title: 'Copy as folded stacks', hint: 'What runs under it, a line for each stack', run: () => void copyFolded(node) }] : []),
    { title: 'Copy command line', hint: 'Shows the same in a terminal', run: () => void copyText(commandLine(), 'the command line') },
    { title: 'Copy link', run: () => void copyText(location.href, 'the link') },
  ];
}

export function nodeCommands(chosen: () => ChosenNode | null): Command[] {
  const group = 'Function';
  const when = (extra?: NodeAction['when']) => (): boolean => {
    const node = chosen();
    return node !== null && (!extra || extra(node));
  };
  const run = (what: (node: ChosenNode) => void) => (): void => {
    const node = chosen();
    if (node) what(node);
  };
  const GENERAL = { name: '', library: '', file: '', category: -1, path: [], func: -1, inverted: false };
  return [
    ...ACTIONS.map(({ title, key, when: extra, run: act }) => ({ group, title: title(GENERAL).trim(), keys: [key], when: when(extra), run: run(act) })),
    { group, title: 'Tell of the selected one', keys: ['Space'], when: when(({ path }) => path.length > 0 && isFree()), run: run((node) => void tellNode(node)) },
    { group, title: 'Show source', keys: ['Enter', 'o'], when: when(), run: run((node) => openSource(node)) },
    { group, title: 'Show assembly', keys: ['a'], when: when(), run: run((node) => openSource(node, true)) },
    { group, title: 'Show callers and callees', keys: ['b'], when: when(), run: run(showCallers) },
    { group, title: 'Copy function name', keys: ['Ctrl+c'], when: () => chosen() !== null && String(getSelection()) === '', run: run((node) => void copyText(node.name, 'the name')) },
  ];
}
