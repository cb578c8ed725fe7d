// Programs that are recorded here and now, in both formats, as the Firefox Profiler's client sees them.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Client } from "./client.ts";
import { sonde } from "./sonde.ts";
import { test } from "./tap.ts";
import { compare } from "./view.ts";

const program = path.resolve(process.env.SONDE ?? path.join(import.meta.dirname, "../../build/sonde"));

/** What is in `expected` and not in `found`. */
function missing(found: string[], expected: string[]): string[] {
  return expected.filter((name) => !found.includes(name)).map((name) => `${name} is not among ${found.join(", ")}`);
}

type Example = { name: string; threads: string[]; markers: string[]; counters: string[] };

const EXAMPLES: Example[] = [
  { name: "threads", threads: ["worker 1", "worker 2", "waiter"], markers: [], counters: ["processCPU"] },
  { name: "requests", threads: [], markers: ["GET", "cache miss", "load"], counters: ["Queue length", "processCPU"] },
];

async function checkFile(client: Client, example: Example, format: string, file: string): Promise<void> {
  const what = `recorded ${example.name}, ${format}`;
  const session = await client.load(file);
  const { threads } = await sonde("info", file);
  await test(`${what}: no warning`, async () => session.complaints());
  await test(`${what}: every thread`, async () => {
    const { processes } = await session.json("profile", "info", "--all");
    const shown: string[] = processes.flatMap((process: any) => process.threads.map((thread: any) => thread.name));
    return [
      ...missing(shown, example.threads),
      ...(shown.length === threads.length ? [] : [`the client shows ${shown.length} threads, sonde info ${threads.length}`]),
    ];
  });
  await test(`${what}: every marker`, async () => {
    const { byType } = await session.json("thread", "markers", "--thread", "t-0");
    return missing(byType.map((type: any) => type.markerName), example.markers);
  });
  await test(`${what}: every counter`, async () => {
    const { counters } = await session.json("counter", "list");
    return missing(counters.map((counter: any) => counter.name), example.counters);
  });
  session.stop();
  for (const thread of threads.keys()) {
    await compare(client, { file, shift: 0 }, `${what}, t-${thread}`, { threads: [thread] });
  }
}

export async function recordedPrograms(client: Client): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "sonde-recorded-"));
  try {
    for (const example of EXAMPLES) {
      const target = path.join(path.dirname(program), "examples", example.name);
      if (!existsSync(target)) {
        throw new Error(`${target} is not built`);
      }
      for (const [format, options] of [["processed", []], ["gecko", ["--gecko"]]] as const) {
        const file = path.join(folder, `${example.name}-${format}.json.gz`);
        execFileSync(program, ["record", "-s", ...options, "-o", file, target], { stdio: "ignore" });
        await checkFile(client, example, format, file);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
