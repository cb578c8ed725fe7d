// Chooses functions and paths to ask about, from what the client says is in the profile. The choice is random but always the same.

import type { Root, TreeNode } from "./client.ts";

/** A small generator of random numbers (mulberry32); the same seed gives the same tests. */
export function random(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const index = (node: TreeNode): number => Number(node.functionHandle.slice(2));

export type Picks = {
  /** Paths of nodes with at least a few samples, root (or leaf, in an inverted tree) first. */
  paths: number[][];
  /** Functions that occur more than once on a path. */
  recursive: number[];
};

export function pick(root: Root): Picks {
  const paths: number[][] = [];
  const recursive = new Set<number>();
  const visit = (node: TreeNode, above: number[]): void => {
    if (node.totalSamples < 4) {
      return;
    }
    const path = [...above, index(node)];
    paths.push(path);
    if (above.includes(index(node))) {
      recursive.add(index(node));
    }
    node.children.forEach((child) => visit(child, path));
  };
  root.children.forEach((node) => visit(node, []));
  return { paths, recursive: [...recursive] };
}
