// The results that are kept in tests/data/trace, made by two versions of the engine: Sonde's are the same by the rules of either, and so
// are those of the engine as both its versions are run here.

import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

import { test } from "../tap.ts";
import { compareThreads, sondeCalls, withTrace } from "./agree.ts";
import { ANONYMOUS, engineCalls, type Call, type Thread, type TraceFile } from "./engine.ts";
import { VERSIONS, type Rules } from "./engine_versions.ts";

const folder = path.join(import.meta.dirname, "../../data/trace");

const read = (name: string): any => {
  const bytes = readFileSync(path.join(folder, name));
  return JSON.parse((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
};

/** The same words as `sonde calls --json` has. */
function callOf({ ts, dur, self = null, depth = null, nodeId, fn, url, line, col }: any): Call {
  return { ts, dur, self, depth, node: nodeId, name: fn || ANONYMOUS, url, line, column: col };
}

/** Of an example all calls are in one list; its threads have no names. */
function threadsOf(calls: any[]): Thread[] {
  const threads = new Map<string, Thread>();
  for (const call of calls) {
    const { pid, tid } = call;
    const key = `${pid} ${tid}`;
    if (!threads.has(key)) threads.set(key, { pid, tid, name: null, calls: [] });
    threads.get(key)!.calls.push(callOf(call));
  }
  return [...threads.values()];
}

/** null: it cannot be read. What the engine cannot read, Sonde may. */
function differences(calls: Thread[] | null, expected: Thread[] | null): string[] {
  if (expected === null) return [];
  return calls === null ? ["this should be read"] : compareThreads(calls, expected);
}

async function compare(name: string, trace: TraceFile, expected: (rules: Rules) => Thread[] | null): Promise<void> {
  for (const rules of VERSIONS) {
    const wanted = expected(rules);
    // B and E on two threads at once, where Sonde does not do as the newest engine (engine_versions.ts).
    if (name.startsWith("E22 ") && rules === "newest") continue;
    await test(`${name}: the calls of the engine, ${rules}`, () =>
      withTrace(JSON.stringify(trace), async (file) => differences(await sondeCalls(file, rules), wanted)),
    );
    await test(`${name}: the engine, ${rules}, finds them here, too`, async () =>
      differences(await engineCalls(structuredClone(trace), "profile", rules).catch(() => null), wanted),
    );
  }
}

export async function expectedTests(): Promise<void> {
  for (const name of ["chrome_small.json", "node_small.cpuprofile"]) {
    const threads = (rules: Rules): Thread[] =>
      read(`${name}.${rules}.calls.json.gz`).threads.map((thread: any) => ({ ...thread, calls: thread.calls.map(callOf) }));
    await compare(name, read(`${name}.gz`), threads);
  }
  for (const { name, input, isCPUProfile, expected } of read("worked-examples.json")) {
    const trace = isCPUProfile ? { traceEvents: input, metadata: { dataOrigin: "CPUProfile" } } : { traceEvents: input };
    const threads = (rules: Rules): Thread[] | null => (expected[rules].error ? null : threadsOf(expected[rules].calls));
    await compare(name, trace, threads);
  }
}
