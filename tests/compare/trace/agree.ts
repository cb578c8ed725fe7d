// Whether Sonde and its peer find the same calls in a trace.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { engineCalls, type Call, type Thread, type TraceFile } from "./engine.ts";
import type { Rules } from "./engine_versions.ts";

const program = process.env.SONDE ?? "build/sonde";
const SHOWN = 5;

const FIELDS = ["ts", "dur", "self", "depth", "node", "name", "url", "line", "column"] as const;

/** Sonde writes the ids of processes and threads as texts, as in everything that it prints; of traces without samples it shows the events,
 * which are of no node. */
function threadsWithCalls(threads: (Omit<Thread, "pid" | "tid"> & { pid: string; tid: string })[]): Thread[] {
  return threads
    .map((thread) => ({ ...thread, pid: Number(thread.pid), tid: Number(thread.tid), calls: thread.calls.filter(({ node }) => node !== null) }))
    .filter(({ calls }) => calls.length > 0);
}

/** The calls that Sonde finds, or null where it says that the file cannot be read. A crash is an error. */
export function sondeCalls(file: string, rules: Rules): Promise<Thread[] | null> {
  return new Promise((resolve, reject) => {
    const args = ["calls", "--rules", rules, "--thread", "all", "--json", file];
    execFile(program, args, { maxBuffer: 1 << 30, timeout: 60_000 }, (error, stdout, stderr) => {
      if (!error) resolve(threadsWithCalls(JSON.parse(stdout).threads));
      else if (error.code === 1) resolve(null);
      else reject(new Error(`sonde ${args.join(" ")}: ${stderr || error.message}`));
    });
  });
}

const shown = (call: Call): string => FIELDS.map((field) => `${field} ${call[field]}`).join(", ");

function compareCalls(where: string, ours: Call[], theirs: Call[]): string[] {
  const problems: string[] = [];
  if (ours.length !== theirs.length) problems.push(`${where}: ${ours.length} calls, not ${theirs.length}`);
  const count = Math.min(ours.length, theirs.length);
  for (let i = 0; i < count && problems.length < SHOWN; i++) {
    const fields = FIELDS.filter((field) => ours[i][field] !== theirs[i][field]);
    if (fields.length > 0) problems.push(`${where}, call ${i}: ${fields.join(", ")}`, `  sonde  ${shown(ours[i])}`, `  engine ${shown(theirs[i])}`);
  }
  return problems;
}

/** What differs; nothing if all calls of all threads are the same, in the same order. */
export function compareThreads(ours: Thread[], theirs: Thread[]): string[] {
  const key = ({ pid, tid }: Thread): string => `thread ${tid} of process ${pid}`;
  const found = new Map(ours.map((thread) => [key(thread), thread]));
  const problems: string[] = [];
  for (const thread of theirs) {
    const where = key(thread);
    const own = found.get(where);
    found.delete(where);
    if (!own) {
      problems.push(`${where}: missing, with ${thread.calls.length} calls`);
      continue;
    }
    // A name that the engine does not know is not wrong: it looks for none where there are only samples.
    if (thread.name !== null && own.name !== thread.name) problems.push(`${where}: called ${own.name}, not ${thread.name}`);
    problems.push(...compareCalls(where, own.calls, thread.calls));
  }
  for (const [where, { calls }] of found) problems.push(`${where}: should not be there, with ${calls.length} calls`);
  return problems;
}

/** A file with this text, which is removed again. */
export async function withTrace<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  return withFolder((folder) => {
    const file = path.join(folder, "trace.json");
    writeFileSync(file, text);
    return use(file);
  });
}

/** A folder that is removed again. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "sonde-traces-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on("exit", remove);
  try {
    return await use(folder);
  } finally {
    remove();
    process.off("exit", remove);
  }
}

export type Comparison = { problems: string[]; calls: number; refused: boolean };

/** Both, on the same text. Where the engine throws, Sonde may say what it likes as long as it does not crash. */
export async function compareText(text: string, rules: Rules): Promise<Comparison> {
  const ours = await withTrace(text, (file) => sondeCalls(file, rules));
  let theirs: Thread[];
  try {
    theirs = await engineCalls(JSON.parse(text), "profile", rules);
  } catch {
    return { problems: [], calls: 0, refused: true };
  }
  const calls = theirs.reduce((sum, thread) => sum + thread.calls.length, 0);
  return { problems: ours === null ? ["sonde says that it cannot read this"] : compareThreads(ours, theirs), calls, refused: false };
}

/** Leaves out elements of any array in the trace, more and more of them, as long as what is left still differs. */
export async function shrink(trace: TraceFile, differs: (trace: TraceFile) => Promise<boolean>): Promise<TraceFile> {
  const arrays = (value: any): any[][] =>
    value === null || typeof value !== "object" ? [] : [...(Array.isArray(value) ? [value] : []), ...Object.values(value).flatMap(arrays)];
  let smallest = structuredClone(trace);
  for (let size = 64; size >= 1; ) {
    let shorter = false;
    for (let place = 0; place < arrays(smallest).length; place++) {
      for (let at = 0; at < (arrays(smallest)[place]?.length ?? 0); ) {
        const candidate = structuredClone(smallest);
        arrays(candidate)[place].splice(at, size);
        if (await differs(candidate)) {
          smallest = candidate;
          shorter = true;
        } else at += size;
      }
    }
    if (!shorter) size = Math.floor(size / 2);
  }
  return smallest;
}
