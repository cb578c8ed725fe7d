// The rows that are open, as a tree: so that a row can be opened without the walk growing by all of its path.
import type { Path, Walk } from '../transport/protocol.ts';

interface OpenRow {
  readonly children: Map<number, OpenRow>;
  all: boolean;
  closed: boolean;
}

const emptyRow = (): OpenRow => ({ children: new Map(), all: false, closed: false });

function readWalk(walk: Walk): OpenRow {
  const root = emptyRow(), at = [root];
  for (const step of walk) {
    const row = at[at.length - 1]!;
    if (step === '*') row.all = true;
    else if (step === '-') row.closed = true;
    else if (step < 0) at.length = Math.max(1, at.length + step);
    else {
      const child = row.children.get(step) ?? emptyRow();
      row.children.set(step, child);
      at.push(child);
    }
  }
  return root;
}

function writeRow({ children, all, closed }: OpenRow, walk: (number | '*' | '-')[]): void {
  if (all) walk.push('*');
  if (closed) walk.push('-');
  for (const [func, child] of children) {
    walk.push(func);
    writeRow(child, walk);
    const last = walk[walk.length - 1];
    if (typeof last === 'number' && last < 0) walk[walk.length - 1] = last - 1;
    else walk.push(-1);
  }
}

function writeRoot(root: OpenRow): Walk {
  const written: (number | '*' | '-')[] = [];
  writeRow(root, written);
  while (typeof written[written.length - 1] === 'number' && Number(written[written.length - 1]) < 0) written.pop();
  return written;
}

/** The same rows without that of a path and all below it. */
export function closeBelow(walk: Walk, path: Path): Walk {
  const root = readWalk(walk);
  let at = root, isInAll = root.all;
  for (const func of path.slice(0, -1)) {
    const child = at.children.get(func);
    if (!child) return walk;
    at = child;
    isInAll ||= at.all;
  }
  const last = path[path.length - 1]!;
  at.children.delete(last);
  if (isInAll) at.children.set(last, { ...emptyRow(), closed: true });
  return writeRoot(root);
}

/** The same rows, and those of a path. */
export function openPath(walk: Walk, path: Path): Walk {
  const root = readWalk(walk);
  let at = root;
  for (const func of path) {
    const child = at.children.get(func) ?? emptyRow();
    child.closed = false;
    at.children.set(func, child);
    at = child;
  }
  return writeRoot(root);
}
