// Profiles that Sonde has written as Chrome traces: Chrome DevTools' engine reads them, and finds the calls that Sonde finds.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { test } from "../tap.ts";
import { compareText, withFolder } from "./agree.ts";
import { engineCalls } from "./engine.ts";

const program = process.env.SONDE ?? "build/sonde";
const data = path.join(import.meta.dirname, "../../data");

/** With scripts, native code and many threads; a native program; scripts alone; a trace; samples with weights of their own. */
const FILES = ["gecko1-processed.json.gz", "workers.perf.txt", "async.cpuprofile", "trace/chrome_small.json.gz", "cli/waits.json"];

export async function exportedTests(): Promise<void> {
  for (const name of FILES) {
    await test(`${name}, exported: the same calls as the engine's`, () =>
      withFolder(async (folder) => {
        const file = path.join(folder, "profile.trace.json");
        execFileSync(program, ["convert", path.join(data, name), "-o", file]);
        const { problems, calls, refused } = await compareText(readFileSync(file, "utf8"), "0.0.65");
        if (refused) return ["the engine cannot read this trace"];
        return calls === 0 ? ["no calls were found by the engine"] : problems;
      }),
    );
  }

  await test("asynchronous events in a trace, exported: the engine finds the calls that it finds in the trace", () =>
    withFolder(async (folder) => {
      const [from, to] = ["from.json", "to.trace.json"].map((name) => path.join(folder, name));
      const event = (ph: string, name: string, ts: number, rest: object) => ({ ph, name, cat: "c", pid: 1, tid: 1, ts, args: {}, ...rest });
      const callFrame = (functionName: string) => ({ functionName, scriptId: 1, url: "a.js", lineNumber: 0, columnNumber: 0 });
      const nodes = ["(root)", "outer", "inner"].map((name, i) => ({ id: i + 1, ...(i > 0 ? { parent: i } : {}), callFrame: callFrame(name) }));
      const data = { cpuProfile: { nodes, samples: [2, 3, 3, 2, 3, 2, 1] }, timeDeltas: [0, 1000, 1000, 1000, 1000, 1000, 1000] };
      const traceEvents = [
        event("M", "process_name", 0, { args: { name: "Renderer" } }),
        event("M", "thread_name", 0, { args: { name: "CrRendererMain" } }),
        event("P", "Profile", 1000, { id: "0x1", args: { data: { startTime: 1000 } } }),
        event("P", "ProfileChunk", 1000, { id: "0x1", args: { data } }),
        event("b", "load", 500, { id: "0x7" }),
        event("b", "fetch", 1500, { id: "0x8" }),
        event("X", "FunctionCall", 900, { dur: 6500, cat: "devtools.timeline" }),
        event("e", "fetch", 3500, { id: "0x8" }),
        event("e", "load", 20000, { id: "0x7" }),
      ];
      writeFileSync(from, JSON.stringify({ traceEvents }));
      execFileSync(program, ["convert", from, "-o", to]);
      const [before, after] = await Promise.all([from, to].map(async (file) => engineCalls(JSON.parse(readFileSync(file, "utf8")), "profile", "newest")));
      const shown = (threads: typeof before): string => JSON.stringify(threads.map(({ calls }) => calls.map(({ name, ts, dur }) => [name, ts, dur])));
      if (before.length === 0 || before[0].calls.length === 0) return ["the engine finds no calls in the trace"];
      return shown(before) === shown(after) ? [] : [`${shown(after)}, not ${shown(before)}`];
    }),
  );
}
