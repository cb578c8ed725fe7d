// The peer of Sonde's trace engine: `@paulirish/trace_engine`, Chrome DevTools' own, run in Node.
//
// What it holds about calls is spread over its handlers; here it is put into the form that `sonde calls --json` prints.

import { polyfillDOMRect } from "@paulirish/trace_engine/analyze-trace.mjs";

import { loadEngine, type Rules } from "./engine_versions.ts";

export type Call = {
  ts: number;
  dur: number;
  self: number | null; // null: it overhangs its parent and is in no tree; so is its depth
  depth: number | null;
  node: number;
  name: string;
  url: string;
  line: number;
  column: number;
};

export type Thread = { pid: number; tid: number; name: string | null; calls: Call[] };

/** What DevTools shows where a function has no name. */
export const ANONYMOUS = "(anonymous)";

/** As a file: an array of events, an object with `traceEvents`, or a CPU profile. */
export type TraceFile = any;

export type Handlers = "all" | "profile";

// The tables of rectangles that some handlers make need a class that only browsers have.
polyfillDOMRect();

/** What calls come from, and what those handlers need themselves. */
const PROFILE_HANDLERS = ["Meta", "Samples", "AuctionWorklets", "NetworkRequests", "Renderer"];

/** Chrome DevTools wraps a CPU profile into one event before the engine sees it. */
function wrapped(profile: any): any[] {
  const { startTime, endTime } = profile;
  return [
    {
      name: "CpuProfile",
      cat: "disabled-by-default-devtools.timeline",
      ph: "X",
      pid: 1,
      tid: 1,
      id: "0x1",
      ts: startTime,
      dur: endTime - startTime,
      args: { data: { cpuProfile: profile } },
    },
  ];
}

/** The engine's own data. It logs what it finds odd in a trace, which is of no interest here. */
export async function engineParse(file: TraceFile, handlers: Handlers = "profile", rules: Rules = "0.0.65"): Promise<any> {
  const Engine = await loadEngine(rules);
  const isTrace = Array.isArray(file) || "traceEvents" in file;
  const events = Array.isArray(file) ? file : isTrace ? file.traceEvents : wrapped(file);
  const metadata = isTrace ? (file.metadata ?? {}) : { dataOrigin: "CPUProfile" };
  const { ModelHandlers } = Engine.Handlers;
  const chosen = handlers === "all" ? ModelHandlers : Object.fromEntries(PROFILE_HANDLERS.map((name) => [name, ModelHandlers[name]]));
  const model = Engine.TraceModel.Model.createWithSubsetOfHandlers(chosen, Engine.Types.Configuration.defaults());
  const { error, warn } = console;
  console.error = console.warn = () => {};
  try {
    await model.parse(events, { metadata, isCPUProfile: metadata.dataOrigin === "CPUProfile" });
  } finally {
    Object.assign(console, { error, warn });
  }
  return model.parsedTrace()!.data;
}

function callsOf(profileCalls: any[], entryToNode: Map<any, any>): Call[] {
  return profileCalls.map((call) => {
    const node = entryToNode.get(call);
    const { functionName, url, lineNumber, columnNumber } = call.callFrame;
    return {
      ts: call.ts,
      dur: call.dur,
      self: node?.selfTime ?? null,
      depth: node?.depth ?? null,
      node: call.nodeId,
      name: functionName || ANONYMOUS,
      url,
      line: lineNumber,
      column: columnNumber,
    };
  });
}

/** All threads that have calls. */
export function threadsOf({ Renderer, Samples }: any): Thread[] {
  const threads: Thread[] = [];
  for (const [pid, process] of Renderer.processes) {
    for (const [tid, { name, profileCalls }] of process.threads) {
      threads.push({ pid, tid, name, calls: callsOf(profileCalls, Renderer.entryToNode) });
    }
  }
  // As DevTools does: a CPU profile on its own has threads only here.
  if (threads.length === 0) {
    for (const [pid, process] of Samples.profilesInProcess) {
      for (const [tid, { profileCalls }] of process) {
        threads.push({ pid, tid, name: null, calls: callsOf(profileCalls, Samples.entryToNode) });
      }
    }
  }
  return threads.filter((thread) => thread.calls.length > 0);
}

export async function engineCalls(file: TraceFile, handlers: Handlers = "profile", rules: Rules = "0.0.65"): Promise<Thread[]> {
  return threadsOf(await engineParse(file, handlers, rules));
}
