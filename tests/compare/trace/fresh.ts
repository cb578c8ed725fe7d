// Traces recorded now: of a Node program, and of a page in headless Chromium.

import { execFile, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import { skip, test } from "../tap.ts";
import { compareText, withFolder } from "./agree.ts";
import { Chromium, serve } from "./chromium.ts";
import { VERSIONS } from "./engine_versions.ts";

const DEADLINE = 120_000;
const chromium = process.env.CHROMIUM ?? "chromium";

const CPU_PROFILER = ["disabled-by-default-v8.cpu_profiler"];
const TIMELINE = ["devtools.timeline", "disabled-by-default-devtools.timeline", "v8.execute", "blink.user_timing"];

/** What DevTools records when it is asked for a performance profile, less and more of it. */
const CATEGORIES: Record<string, string[]> = {
  "the categories of DevTools": [
    ...TIMELINE,
    ...CPU_PROFILER,
    ...["blink.console", "loading", "latencyInfo", "disabled-by-default-devtools.timeline.frame", "disabled-by-default-devtools.timeline.stack"],
  ],
  "ten thousand samples a second and all of V8": [
    ...TIMELINE,
    ...CPU_PROFILER,
    ...["disabled-by-default-v8.cpu_profiler.hires", "v8", "disabled-by-default-v8.gc", "disabled-by-default-v8.compile", "toplevel"],
  ],
  "samples without the events of tasks": ["blink.user_timing", ...CPU_PROFILER],
};

/** A trace in which nothing was found would agree with anything. */
const LEAST_CALLS = 50;

async function check(text: string): Promise<string[]> {
  const problems: string[] = [];
  for (const rules of VERSIONS) {
    const compared = await compareText(text, rules);
    if (compared.refused) problems.push(`the engine, ${rules}, cannot read this trace`);
    else if (compared.calls < LEAST_CALLS) problems.push(`only ${compared.calls} calls were found by the engine, ${rules}`);
    problems.push(...compared.problems.map((problem) => `${rules}: ${problem}`));
  }
  return problems;
}

const run = promisify(execFile);

/** Runs Node on the example, in a folder of its own, and returns what it has written there. */
async function nodeFiles(folder: string, extension: string, ...options: string[]): Promise<string[]> {
  const program = path.join(import.meta.dirname, "node_work.js");
  await run(process.execPath, [...options, program], { cwd: folder, timeout: DEADLINE, killSignal: "SIGKILL" });
  const names = readdirSync(folder).filter((name) => name.endsWith(extension));
  return names.sort().map((name) => readFileSync(path.join(folder, name), "utf8"));
}

export async function nodeTests(): Promise<void> {
  for (const interval of [1000, 100]) {
    await test(`node --cpu-prof, a sample every ${interval} µs: the same calls as the engine's`, () =>
      withFolder(async (folder) => {
        const profiles = await nodeFiles(folder, ".cpuprofile", "--cpu-prof", "--cpu-prof-interval", String(interval));
        if (profiles.length !== 2) return [`${profiles.length} profiles, not one for each of two threads`];
        return [...(await check(profiles[0])), ...(await check(profiles[1]))];
      }),
    );
  }
  const categories = ["v8", "node", "disabled-by-default-v8.gc", ...CPU_PROFILER];
  await test("node --trace-event-categories: the same calls as the engine's", () =>
    withFolder(async (folder) => {
      const traces = await nodeFiles(folder, ".log", "--trace-event-categories", categories.join(","));
      return traces.length === 1 ? check(traces[0]) : [`${traces.length} traces`];
    }),
  );
}

/** With a new browser each time: what it has done before would show. */
async function withChromium(record: (browser: Chromium, address: string) => Promise<string>): Promise<string[]> {
  const { server, address } = await serve(path.join(import.meta.dirname, "page"));
  const browser = new Chromium(chromium);
  const stop = (): void => browser.abandon();
  process.on("exit", stop);
  try {
    const text = await record(browser, `${address}/index.html`);
    return await check(text);
  } finally {
    await browser.stop();
    process.off("exit", stop);
    server.close();
  }
}

export async function chromiumTests(): Promise<void> {
  const tests: [string, () => Promise<string[]>][] = Object.entries(CATEGORIES).map(([name, categories]) => [
    `a trace of Chromium, ${name}: the same calls as the engine's`,
    () => withChromium((browser, address) => browser.trace(address, categories)),
  ]);
  tests.push(["a CPU profile of Chromium: the same calls as the engine's", () => withChromium((browser, address) => browser.cpuProfile(address))]);
  const missing = spawnSync(chromium, ["--version"], { stdio: "ignore", timeout: DEADLINE }).status !== 0;
  for (const [name, make] of tests) {
    if (missing) skip(name, "Chromium is not installed (Debian: chromium)");
    else await test(name, make);
  }
}
