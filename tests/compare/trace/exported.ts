// Profiles that Sonde has written as Chrome traces: Chrome DevTools' engine reads them, and finds the calls that Sonde finds.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { test } from "../tap.ts";
import { compareText, withFolder } from "./agree.ts";

const program = process.env.SONDE ?? "build/sonde";
const data = path.join(import.meta.dirname, "../../data");

/** With scripts, native code and many threads; a native program; scripts alone; a trace. */
const FILES = ["gecko1-processed.json.gz", "workers.perf.txt", "async.cpuprofile", "trace/chrome_small.json.gz"];

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
}
