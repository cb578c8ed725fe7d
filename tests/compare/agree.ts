// What it means that two answers agree. Each function returns the differences it found, as text; none: they agree.
//
// Names, handles, counts and sums must be the same. Sums that are not whole numbers may differ in the last digits, because adding in
// another order rounds differently. The client cannot show everything at once (200 levels, 100 children of a node, and as many nodes as
// it was asked for), but says how many children it left out and what they sum up to: that must agree too.

import type { FunctionRow, MarkerGroup, MarkerRow, Root, TreeNode } from "./client.ts";
import type { SondeFunction, SondeMarker, SondeMarkerName, SondeNode, SondeTree } from "./sonde.ts";

const MAX_DIFFERENCES = 5;

class Differences {
  found: string[] = [];

  get enough(): boolean {
    return this.found.length >= MAX_DIFFERENCES;
  }

  expect(same: boolean, where: string, ours: unknown, theirs: unknown): void {
    if (!same && !this.enough) {
      this.found.push(`${where}: sonde ${JSON.stringify(ours)}, client ${JSON.stringify(theirs)}`);
    }
  }

  equal(where: string, ours: unknown, theirs: unknown): void {
    this.expect(ours === theirs, where, ours, theirs);
  }

  number(where: string, ours: number | null | undefined, theirs: number): void {
    this.expect(typeof ours === "number" && close(ours, theirs), where, ours, theirs);
  }
}

function close(a: number, b: number): boolean {
  if (Number.isInteger(a) && Number.isInteger(b)) {
    return a === b;
  }
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

function nameWithLibrary(row: { name: string; lib: string | null }): string {
  return row.lib && row.lib !== row.name ? `${row.lib}!${row.name}` : row.name;
}

function compareChildren(
  differences: Differences,
  path: string,
  ours: SondeNode[],
  theirs: TreeNode[],
  truncated: TreeNode["childrenTruncated"],
): void {
  const rest = new Map(ours.map((node) => [node.func, node]));
  differences.equal(`${path}: children with a handle of their own`, rest.size, ours.length);
  for (let i = 1; i < ours.length; i++) {
    const [before, after] = [ours[i - 1], ours[i]];
    const ordered =
      Math.abs(before.total) > Math.abs(after.total) ||
      (Math.abs(before.total) === Math.abs(after.total) && Number(before.func.slice(2)) < Number(after.func.slice(2)));
    differences.expect(ordered, `${path}: order of siblings`, [before.func, after.func], "larger total first, then smaller handle");
  }
  for (const node of theirs) {
    const match = rest.get(node.functionHandle);
    const where = `${path} > ${node.functionHandle} ${node.nameWithLibrary}`;
    if (!match) {
      differences.expect(false, where, "no such node", { total: node.totalSamples, self: node.selfSamples });
      continue;
    }
    rest.delete(node.functionHandle);
    differences.equal(`${where}: name`, nameWithLibrary(match), node.nameWithLibrary);
    differences.number(`${where}: total`, match.total, node.totalSamples);
    differences.number(`${where}: self`, match.self, node.selfSamples);
    if (differences.enough) {
      return;
    }
    compareChildren(differences, where, match.children, node.children, node.childrenTruncated);
  }
  const others = [...rest.values()];
  differences.expect(
    others.length === (truncated?.count ?? 0),
    `${path}: children that the client does not show`,
    others.map((node) => `${node.func} ${node.name}`).slice(0, 5),
    truncated?.count ?? 0,
  );
  if (truncated) {
    const sum = others.reduce((total, node) => total + node.total, 0);
    const max = others.reduce((most, node) => (Math.abs(node.total) > Math.abs(most) ? node.total : most), 0);
    differences.number(`${path}: sum of the children that the client does not show`, sum, truncated.combinedSamples);
    differences.number(`${path}: largest child that the client does not show`, max, truncated.maxSamples);
  }
}

export function compareTrees(ours: SondeTree, theirs: Root): string[] {
  const differences = new Differences();
  differences.number("root total", ours.rootTotal, theirs.rootTotal);
  differences.equal("weight type", ours.weightType, theirs.weightType);
  differences.equal("truncated", ours.truncated, false);
  compareChildren(differences, "root", ours.nodes, theirs.children, theirs.childrenTruncated);
  return differences.found;
}

export function compareFunctions(ours: SondeFunction[], theirs: FunctionRow[]): string[] {
  const differences = new Differences();
  differences.equal("number of functions", ours.length, theirs.length);
  const rows = new Map(ours.map((row) => [row.func, row]));
  for (const row of theirs) {
    const match = rows.get(row.functionHandle);
    const where = `${row.functionHandle} ${row.nameWithLibrary}`;
    if (!match) {
      differences.expect(false, where, "no such function", { total: row.totalSamples, self: row.selfSamples });
      continue;
    }
    differences.equal(`${where}: name`, nameWithLibrary(match), row.nameWithLibrary);
    differences.number(`${where}: self`, match.self, row.selfSamples);
    differences.number(`${where}: total`, match.total, row.totalSamples);
  }
  for (let i = 1; i < ours.length; i++) {
    const ordered = Math.abs(ours[i - 1].self) >= Math.abs(ours[i].self);
    differences.expect(ordered, "order of functions", [ours[i - 1].func, ours[i].func], "larger self first");
  }
  return differences.found;
}

/** A payload without what the client leaves out of it. */
function payload(data: Record<string, unknown> | null | undefined): Record<string, unknown> {
  const { type, cause, ...rest } = data ?? {};
  return rest;
}

function same(ours: unknown, theirs: unknown): boolean {
  if (typeof ours === "number" && typeof theirs === "number") {
    return close(ours, theirs);
  }
  if (ours && theirs && typeof ours === "object" && typeof theirs === "object") {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...keys].every((key) => same((ours as any)[key], (theirs as any)[key]));
  }
  return ours === theirs;
}

/** `shift`: what must be added to a time of Sonde's to have a time of the client's (they do not begin to count at the same moment). */
export function compareMarkers(ours: SondeMarker[], theirs: MarkerRow[], shift: number): string[] {
  const differences = new Differences();
  differences.equal("number of markers", ours.length, theirs.length);
  for (let i = 0; i < Math.min(ours.length, theirs.length) && !differences.enough; i++) {
    const [a, b] = [ours[i], theirs[i]];
    const where = `marker ${i} ${b.name}`;
    differences.equal(`${where}: name`, a.name, b.name);
    differences.equal(`${where}: category`, a.category, b.category);
    differences.number(`${where}: start`, a.start + shift, b.start);
    if (b.duration === undefined) {
      differences.equal(`${where}: end`, a.end, null);
    } else {
      differences.number(`${where}: duration`, a.end === null ? null : a.end - a.start, b.duration);
    }
    differences.equal(`${where}: label`, a.label || a.name, b.label);
    differences.equal(`${where}: has a stack`, Array.isArray(a.stack), b.hasStack);
    for (const [key, value] of Object.entries(payload(b.data))) {
      // The client shortens pictures; everything else it shows whole.
      const elided = typeof value === "object" && value !== null && "elided" in value;
      differences.expect(elided || same(payload(a.data)[key], value), `${where}: data.${key}`, payload(a.data)[key], value);
    }
    const keys = Object.keys(payload(a.data)).filter((key) => !(key in payload(b.data)));
    differences.expect(keys.length === 0, `${where}: data`, keys, "no such keys");
  }
  return differences.found;
}

export function compareMarkerNames(ours: SondeMarkerName[], theirs: MarkerGroup[]): string[] {
  const differences = new Differences();
  differences.equal("number of names", ours.length, theirs.length);
  const rows = new Map(ours.map((row) => [row.name, row]));
  for (const group of theirs) {
    const row = rows.get(group.markerName);
    const where = `markers ${group.markerName}`;
    differences.equal(`${where}: count`, row?.count, group.count);
    const stats = group.durationStats;
    if (stats) {
      differences.number(`${where}: min`, row?.min, stats.min);
      differences.number(`${where}: avg`, row?.avg, stats.avg);
      differences.number(`${where}: max`, row?.max, stats.max);
    } else {
      differences.expect(!row?.avg && !row?.max, `${where}: durations`, row, "none: all are instants");
    }
  }
  return differences.found;
}
