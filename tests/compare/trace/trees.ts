// The trees over calls and events: top-down, bottom-up and the log are those of the engine, node for node.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

import * as Engine from "@paulirish/trace_engine/models/trace/trace.js";

import { test } from "../tap.ts";
import { engineParse } from "./engine.ts";

const program = process.env.SONDE ?? "build/sonde";
const file = path.join(import.meta.dirname, "../../data/trace/chrome_small.json.gz");

type Kind = "top-down" | "bottom-up" | "log";
type Node = { name: string; self: number; total: number; count: number; children: Node[] };

/** The engine walks over all events for the children of each node, so not all levels are looked at. */
const DEPTH: Record<Kind, number> = { "top-down": 8, "bottom-up": 2, log: 1 };

const nameOf = (event: any): string => (event.callFrame ? event.callFrame.functionName || "(anonymous)" : event.name);

function engineNodes(children: Map<any, any>, kind: Kind, depth: number): Node[] {
  if (depth === 0) return [];
  const size = (node: any): number => (kind === "bottom-up" ? node.selfTime : node.totalTime);
  const nodes = [...children.values()];
  if (kind !== "log") nodes.sort((a, b) => size(b) - size(a));
  return nodes.map((node) => ({
    name: nameOf(node.event),
    self: node.selfTime,
    total: node.totalTime,
    count: node.events.length,
    children: node.hasChildren() ? engineNodes(node.children(), kind, depth - 1) : [],
  }));
}

/** As DevTools shows them: events that it has a name for, without tasks. In milliseconds, from the first to the last moment of the thread. */
function engineTree(events: any[], kind: Kind): Node[] {
  const { TraceTree, TraceFilter } = Engine.Extras;
  const filters = [
    new TraceFilter.VisibleEventsFilter([...Engine.Helpers.Trace.VISIBLE_TRACE_EVENT_TYPES]),
    new TraceFilter.ExclusiveNameFilter(["RunTask" as any]),
  ];
  let [startTime, endTime] = [Infinity, -Infinity];
  for (const { ts, dur = 0 } of events) {
    startTime = Math.min(startTime, ts / 1000);
    endTime = Math.max(endTime, (ts + dur) / 1000);
  }
  const options: any = { filters, startTime, endTime, doNotAggregate: kind === "log", textFilter: { accept: () => true } };
  const root = kind === "bottom-up" ? new TraceTree.BottomUpRootNode(events, options) : new TraceTree.TopDownRootNode(events, options);
  return engineNodes(root.children(), kind, DEPTH[kind]);
}

function sondeTree(kind: Kind, tid: number): Node[] {
  const args = ["calls", file, "--rules", "0.0.65", "--tree", kind, "--depth", String(DEPTH[kind]), "--thread", "all", "--json"];
  const { threads } = JSON.parse(execFileSync(program, args, { maxBuffer: 1 << 30 }).toString());
  return threads.find((thread: any) => thread.tid === String(tid)).nodes;
}

let compared = 0;
function compareNodes(where: string, ours: Node[], theirs: Node[], problems: string[]): void {
  if (ours.length !== theirs.length) problems.push(`${where}: ${ours.length} nodes, not ${theirs.length}`);
  for (let i = 0; i < Math.min(ours.length, theirs.length) && problems.length < 5; i++) {
    const text = ({ name, self, total, count }: Node): string => `${name} ${self} ${total} ${count}`;
    if (text(ours[i]) !== text(theirs[i])) problems.push(`${where}, node ${i}: ${text(ours[i])}, not ${text(theirs[i])}`);
    compareNodes(`${where} > ${theirs[i].name}`, ours[i].children, theirs[i].children, problems);
    compared++;
  }
}

export async function treeTests(): Promise<void> {
  const { Renderer } = await engineParse(JSON.parse(gunzipSync(readFileSync(file)).toString()));
  for (const kind of ["top-down", "bottom-up", "log"] as const) {
    await test(`chrome_small.json: the ${kind} tree is that of the engine`, async () => {
      const problems: string[] = [];
      compared = 0;
      for (const process of Renderer.processes.values()) {
        for (const [tid, { entries, profileCalls }] of process.threads) {
          if (profileCalls.length > 0) compareNodes(`thread ${tid}`, sondeTree(kind, tid), engineTree(entries, kind), problems);
        }
      }
      if (compared < 100) problems.push(`only ${compared} nodes were compared`);
      return problems;
    });
  }
}
