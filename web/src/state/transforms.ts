// Transforms: what one is, its text in requests, what its crumb says.
import type { Implementation, Path } from '../transport/protocol.ts';

export type TransformKind =
  | 'focus-subtree' | 'focus-function' | 'focus-self' | 'focus-category' | 'merge-call-node' | 'merge-function' | 'drop-function'
  | 'collapse-resource' | 'collapse-direct-recursion' | 'collapse-recursion' | 'collapse-function-subtree' | 'filter-samples'
  | 'keep-matching' | 'drop-matching' | 'merge-matching' | 'collapse-matching';

export interface Transform {
  readonly kind: TransformKind;
  /** The path of those that are about a node, else one function; none for categories and texts. */
  readonly funcs: Path;
  /** The name of a category or library, the kind of filter and its text, a search. */
  readonly text?: string;
  /** What was on when it was made, and whether its path starts at the leaf. */
  readonly implementation: Implementation;
  readonly inverted: boolean;
}

interface KindFacts {
  readonly crumb: string;
  /** Its argument is a path, a function, or a text. */
  readonly of: 'path' | 'function' | 'text';
}

export const KINDS: Record<TransformKind, KindFacts> = {
  'focus-subtree': { crumb: 'Focus Node', of: 'path' },
  'focus-function': { crumb: 'Focus', of: 'function' },
  'focus-self': { crumb: 'Focus Self', of: 'function' },
  'focus-category': { crumb: 'Focus category', of: 'text' },
  'merge-call-node': { crumb: 'Merge Node', of: 'path' },
  'merge-function': { crumb: 'Merge', of: 'function' },
  'drop-function': { crumb: 'Drop', of: 'function' },
  'collapse-resource': { crumb: 'Collapse', of: 'text' },
  'collapse-direct-recursion': { crumb: 'Collapse direct recursion only', of: 'function' },
  'collapse-recursion': { crumb: 'Collapse recursion', of: 'function' },
  'collapse-function-subtree': { crumb: 'Collapse subtree', of: 'function' },
  'filter-samples': { crumb: 'Only samples', of: 'text' },
  'keep-matching': { crumb: 'Only stacks with', of: 'text' },
  'drop-matching': { crumb: 'Drop stacks with', of: 'text' },
  'merge-matching': { crumb: 'Merge all', of: 'text' },
  'collapse-matching': { crumb: 'Collapse all', of: 'text' },
};

/** The form that `--transform` of the command takes, with numbers of functions, or what `nameOf` says. */
export function transformText({ kind, funcs, text, implementation, inverted }: Transform, nameOf = (func: number): string => `f-${func}`): string {
  const modifiers = [...(implementation === 'combined' ? [] : [implementation]), ...(inverted ? ['inverted'] : [])];
  const name = [kind, ...modifiers].join('+');
  return `${name}:${KINDS[kind].of === 'text' ? (text ?? '') : funcs.map(nameOf).join(';')}`;
}

/** Reads that form back, as replies with a rewritten state have it. */
export function parseTransform(text: string): Transform | undefined {
  const colon = text.indexOf(':');
  const [kind, ...modifiers] = text.slice(0, colon).split('+') as [TransformKind, ...string[]];
  const facts = KINDS[kind];
  if (colon < 0 || !facts) return undefined;
  const argument = text.slice(colon + 1);
  const base = {
    kind,
    implementation: (modifiers.find((m) => m === 'js' || m === 'cpp') ?? 'combined') as Implementation,
    inverted: modifiers.includes('inverted'),
  };
  if (facts.of === 'text') return { ...base, funcs: [], text: argument };
  return { ...base, funcs: argument.split(';').filter(Boolean).map((handle) => Number(handle.replace('f-', ''))) };
}

const FILTERS: Record<string, string> = {
  'marker-search': 'Only samples in markers matching',
  'outside-marker': 'Only samples outside of markers matching',
  'function-include': 'Only samples with',
  'stack-prefix': 'Only stacks that start with',
  'stack-suffix': 'Only stacks that end in',
};

/** "Merge: malloc". `nameOf` gives names of functions. */
export function crumbOf(transform: Transform, nameOf: (func: number) => string): string {
  const { kind, funcs, text = '' } = transform;
  if (kind === 'filter-samples') {
    const colon = text.indexOf(':');
    return `${FILTERS[text.slice(0, colon)] ?? 'Only samples'}: “${text.slice(colon + 1)}”`;
  }
  const { crumb, of } = KINDS[kind];
  return `${crumb}: ${of === 'text' ? text : nameOf(funcs[funcs.length - 1] ?? -1)}`;
}
