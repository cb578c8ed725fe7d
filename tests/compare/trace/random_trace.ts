// Small random traces that are hard on the rules: nested and overlapping tasks, times that meet, stacks without samples and samples
// without stacks, events in any order. The same seed gives the same trace.

import { random } from "../picks.ts";
import type { TraceFile } from "./engine.ts";

type Event = Record<string, any>;
type Node = Record<string, any>;

// Where µs → ms → µs is exact, where it is not, and where it is for some.
const ORIGINS = [0, 1000, 1000, 1_050_000_001, 2_100_000_003, 67_500_000_123, 287_510_826_176];
const NAMES = ["RunTask", "RunTask", "RunMicrotasks", "FunctionCall", "FunctionCall", "EvaluateScript", "v8.evaluateModule", "EventDispatch"].concat(
  ["V8.Execute", "V8Console::runTask", "v8.run", "V8.GCScavenger", "TimerFire", "FireAnimationFrame", "Layout", "UpdateLayoutTree", "MinorGC"],
  ["ThreadControllerImpl::RunTask", "SchedulePostMessage"],
);
const FUNCTIONS = ["a", "b", "c", "f", "f", "g", "", "(program)", "(garbage collector)"];
const META = ["(program)", "(idle)", "(garbage collector)"];
const STEP = 5;

class Generator {
  private below: (limit: number) => number;
  private origin: number;
  private span: number;

  constructor(seed: number) {
    this.below = random(seed);
    this.origin = this.pick(ORIGINS);
    this.span = STEP * (20 + this.below(120));
  }

  private pick<T>(of: T[]): T {
    return of[this.below(of.length)];
  }

  /** True in one of so many cases. */
  private rarely(of: number): boolean {
    return this.below(of) === 0;
  }

  private list<T>(count: number, make: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => make(i));
  }

  /** Times are on a coarse grid, so that they often meet. */
  private time(): number {
    return this.origin + STEP * this.below(this.span / STEP + 1) + (this.rarely(30) ? 0.5 : 0);
  }

  private callFrame(functionName: string): Node {
    const frame: Node = { functionName, scriptId: this.pick([1, 1, 2, 7]) };
    if (!this.rarely(4)) frame.url = this.pick(["u.js", "u.js", "http://x.org/v.js", "native V8Runtime", ""]);
    if (!this.rarely(4)) frame.lineNumber = this.below(3);
    if (!this.rarely(4)) frame.columnNumber = this.below(20);
    return frame;
  }

  /** The first is the root. Its parent is told to each node, or to each parent its children. */
  private nodes(byChildren: boolean): Node[] {
    const offset = this.pick([0, 1, 1, 1, 100]);
    const nodes: Node[] = [{ id: offset, callFrame: { functionName: "(root)", scriptId: 0 } }];
    const add = (parent: Node, callFrame: Node): void => {
      const node: Node = { id: offset + nodes.length, callFrame };
      if (byChildren) (parent.children ??= []).push(node.id);
      else node.parent = this.rarely(60) ? 9999 : parent.id;
      nodes.push(node);
    };
    for (const name of META) {
      if (!this.rarely(5)) add(nodes[0], { functionName: name, scriptId: 0 });
    }
    for (let count = 1 + this.below(18); count > 0; count--) {
      // Mostly below the latest ones, so that the tree gets deep.
      const from = this.rarely(3) ? 0 : Math.max(0, nodes.length - 4);
      const parent = nodes[from + this.below(nodes.length - from)];
      add(META.includes(parent.callFrame.functionName) && !this.rarely(10) ? nodes[0] : parent, this.callFrame(this.pick(FUNCTIONS)));
    }
    if (this.rarely(15)) add(nodes[0], { functionName: this.pick(META), scriptId: 0 });
    if (byChildren) nodes[0].children ??= [];
    return nodes;
  }

  private samples(nodes: Node[]): number[] {
    const samples: number[] = [];
    for (let count = this.below(this.rarely(10) ? 4 : 50); count > 0; count--) {
      if (samples.length > 0 && this.rarely(3)) samples.push(samples.at(-1)!);
      else if (this.rarely(40)) samples.push(this.pick([5555, 0, -1]));
      else samples.push(this.pick(this.rarely(3) ? nodes.slice(0, 4) : nodes).id);
    }
    return samples;
  }

  private deltas(count: number): number[] {
    const unusual = this.rarely(25) ? this.pick([-1, 1, 3]) : 0;
    return this.list(Math.max(0, count + unusual), () => STEP * this.pick([2, 2, 2, 1, 1, 0, 3, 4, this.rarely(3) ? -2 : 2, this.rarely(4) ? 9 : 1]));
  }

  private cpuProfile(): TraceFile {
    const nodes = this.nodes(!this.rarely(6));
    for (const { callFrame } of nodes) {
      callFrame.scriptId = String(callFrame.scriptId);
      callFrame.url ??= "";
      callFrame.lineNumber ??= -1;
      callFrame.columnNumber ??= -1;
    }
    const samples = this.samples(nodes);
    if (this.rarely(2)) nodes.forEach((node) => (node.hitCount = samples.filter((id) => id === node.id).length));
    return { nodes, startTime: this.origin, endTime: this.origin + this.span, samples, timeDeltas: this.deltas(samples.length) };
  }

  /** One profile in the events that carry it; its trace ids are added to those given. */
  private profileEvents(pid: number, tid: number, id: string, traceIds: number[]): Event[] {
    const nodes = this.nodes(this.rarely(8));
    const samples = this.samples(nodes);
    const timeDeltas = this.deltas(samples.length);
    const source = this.pick(["Internal", "Inspector", "SelfProfiling", "Other", undefined]);
    const head = { name: "Profile", cat: "p", ph: "P", pid, tid, id, ts: this.origin, args: { data: { startTime: 3, source } } };
    const chunks = 1 + this.below(4);
    const part = <T>(of: T[], i: number): T[] => of.slice(Math.floor((of.length * i) / chunks), Math.floor((of.length * (i + 1)) / chunks));
    const events: Event[] = this.list(chunks, (i) => {
      const cpuProfile: Node = { nodes: part(nodes, i), samples: part(samples, i) };
      for (let count = this.below(4); count > 0; count--) {
        const traceId = this.pick([1, 2, 3, 77, 8_900_000_000_000_001]);
        traceIds.push(traceId);
        (cpuProfile.trace_ids ??= {})[String(traceId)] = this.rarely(12) ? this.pick([0, 5555]) : this.pick(nodes).id;
      }
      const data: Node = { cpuProfile, timeDeltas: part(timeDeltas, i) };
      if (this.rarely(10)) data.source = source;
      return { name: "ProfileChunk", cat: "p", ph: "P", pid, tid: tid + 1000, id, ts: this.rarely(40) ? this.time() : this.origin + i, args: { data } };
    });
    if (!this.rarely(30)) events.splice(this.rarely(8) ? events.length : 0, 0, head);
    return events;
  }

  private args(traceIds: number[]): Node | undefined {
    if (!this.rarely(4)) return this.rarely(20) ? undefined : {};
    const sampleTraceId = this.rarely(8) || traceIds.length === 0 ? this.pick([0, 404]) : this.pick(traceIds);
    return this.pick<Node>([{ data: { sampleTraceId } }, { data: { sampleTraceId } }, { sampleTraceId }, { beginData: { sampleTraceId } }, { beginData: {}, data: { sampleTraceId } }]);
  }

  /** Events within [from, to], each in one around it; at times one that reaches out. */
  private nested(from: number, to: number, depth: number, make: (name: string, ts: number, dur: number) => Event[]): Event[] {
    const events: Event[] = [];
    for (let ts = from + STEP * this.below(3); ts <= to && (ts === this.origin || !this.rarely(12)); ) {
      const most = Math.floor((to - ts) / STEP) + (this.rarely(20) ? 6 : 0);
      const dur = STEP * this.below(most + 1);
      const inner = depth > 0 ? this.nested(ts, Math.min(ts + dur, to), depth - 1, make) : [];
      const around = make(this.pick(NAMES), ts, dur);
      events.push(...(around.length > 1 ? [around[0], ...inner, ...around.slice(1)] : [...around, ...inner]));
      ts += dur + STEP * this.below(3);
    }
    return events;
  }

  private threadEvents(pid: number, tid: number, traceIds: number[]): Event[] {
    const begins = this.rarely(3);
    const base = { cat: "devtools.timeline", pid, tid };
    const make = (name: string, ts: number, dur: number): Event[] => {
      const args = this.args(traceIds);
      if (!begins || !this.rarely(3)) return [{ ...base, name, ph: "X", ts, ...(this.rarely(40) ? {} : { dur }), args }];
      const begin = { ...base, name, ph: "B", ts, args };
      const end = { ...base, name: this.rarely(20) ? "Other" : name, ph: "E", ts: ts + dur, args: {} };
      return this.rarely(15) ? [begin] : [begin, end];
    };
    const events = this.nested(this.origin, this.origin + this.span, 4, make);
    for (let count = this.below(6); count > 0; count--) {
      const ph = this.pick(["I", "I", "I", "I", "i", "R", "b", "e", "n", "s", "C"]);
      events.push({ ...base, name: this.pick([...NAMES, "TimeStamp"]), ph, ts: this.time(), s: "t", args: this.args(traceIds) });
    }
    return events;
  }

  /** Which processes show a page, and what threads are called. */
  private metadata(pids: number[]): Event[] {
    const url = (): string => this.pick(["http://127.0.0.1/", "http://x.org/page", "http://x.org/page", "about:blank", this.pick(["", "not a url"])]);
    const base = { cat: "devtools.timeline", ph: "I", pid: this.pick(pids), tid: 1 };
    const events: Event[] = [];
    if (this.rarely(2)) {
      const frames = pids.filter(() => !this.rarely(6)).map((processId) => ({ frame: `F${processId % 2}`, url: url(), processId }));
      events.push({ ...base, name: "TracingStartedInBrowser", ts: this.origin, args: { data: { frames } } });
    }
    if (this.rarely(4)) events.push({ ...base, name: "FrameCommittedInBrowser", ts: this.time(), args: { data: { frame: "F0", url: url(), processId: this.pick(pids) } } });
    if (this.rarely(4)) events.push({ ...base, name: "CommitLoad", ph: "X", dur: 5, ts: this.time(), args: { data: { frame: "F1", url: url() } } });
    if (this.rarely(25)) events.push({ ...base, name: "TracingStartedInPage", ts: this.origin, args: { data: {} } });
    for (const pid of pids) {
      for (let count = this.below(3); count > 0; count--) {
        const name = this.pick(["CrRendererMain", "DedicatedWorker thread", "x"]);
        events.push({ name: "thread_name", cat: "__metadata", ph: "M", pid, tid: this.pick([9, 9, 10]), ts: 0, args: { name } });
      }
    }
    return events;
  }

  /** Different events take turns, each kind in its own order; that of those of one thread matters for beginnings and ends. */
  private shuffled(lists: Event[][]): Event[] {
    const left = lists.filter((list) => list.length > 0).map((list) => [...list]);
    const events: Event[] = [];
    while (left.length > 0) {
      const at = this.below(left.length);
      events.push(left[at].shift()!);
      if (left[at].length === 0) left.splice(at, 1);
    }
    return events;
  }

  trace(): TraceFile {
    if (this.rarely(6)) return this.cpuProfile();
    const pids = this.rarely(3) ? [7, 8] : [7];
    const lists: Event[][] = [this.metadata(pids)];
    for (const pid of pids) {
      const traceIds: number[] = [];
      for (let count = this.rarely(5) ? 2 + this.below(2) : 1; count > 0; count--) {
        lists.push(this.profileEvents(pid, this.rarely(15) ? 10 : 9, `0x${count}`, traceIds));
      }
      lists.push(this.threadEvents(pid, 9, traceIds));
      if (this.rarely(3)) lists.push(this.threadEvents(pid, 10, traceIds));
    }
    const traceEvents = this.rarely(3) ? this.shuffled(lists) : lists.flat();
    if (this.rarely(2)) traceEvents.sort((a, b) => a.ts - b.ts);
    if (this.rarely(4)) return traceEvents;
    return this.rarely(15) ? { traceEvents, metadata: { dataOrigin: "CPUProfile" } } : { traceEvents };
  }
}

export function randomTrace(seed: number): TraceFile {
  return new Generator(seed).trace();
}
