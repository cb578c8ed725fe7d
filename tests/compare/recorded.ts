// Programs that are recorded here and now, in both formats, as the Firefox Profiler's client sees them.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

/** A build of a small program: ninja, compilers, assemblers and a linker, two at a time. */
function writeBuild(folder: string): string[] {
  const names = ["one", "two", "three", "four"];
  for (const name of names) {
    writeFileSync(path.join(folder, `${name}.c`), `#include <stdio.h>\nint ${name}(void) { return puts("${name}"); }\n`);
  }
  writeFileSync(path.join(folder, "main.c"), `${names.map((name) => `int ${name}(void);`).join(" ")} int main(void) { return ${names.map((name) => `${name}() < 0`).join(" || ")}; }\n`);
  const objects = [...names, "main"];
  writeFileSync(
    path.join(folder, "build.ninja"),
    [
      "rule compile\n  command = cc -O2 -c $in -o $out",
      "rule link\n  command = cc $in -o $out",
      ...objects.map((name) => `build ${name}.o: compile ${name}.c`),
      `build program: link ${objects.map((name) => `${name}.o`).join(" ")}\n`,
    ].join("\n"),
  );
  return ["ninja", "-j2", "-C", folder];
}

/** A part of this project. */
function configureProject(folder: string): string[] {
  execFileSync("meson", ["setup", folder, path.join(import.meta.dirname, "../.."), "--buildtype=debugoptimized"], { stdio: "ignore" });
  return ["ninja", "-j2", "-C", folder, "src/session/libsession.a", "tests/chaos/kill_target"];
}

type Group = { name: string; command: string[]; processes: string[] };

/** Many processes in one profile: the client shows those that are there, each by its name, with its threads and counters. */
async function checkGroup(client: Client, group: Group, format: string, file: string): Promise<void> {
  const what = `recorded ${group.name}, ${format}`;
  const session = await client.load(file);
  const info = await sonde("info", file);
  await test(`${what}: no warning`, async () => session.complaints());
  await test(`${what}: every process by its name, with its threads`, async () => {
    const { processes } = await session.json("profile", "info", "--all");
    // The client counts those of one name: "cc1 (1/4)".
    const shown = processes
      .map((process: any) => `${process.pid} ${process.name.replace(/ \(\d+\/\d+\)$/, "")} ${process.threads.length}`)
      .sort();
    const ours = info.processes
      .map(({ pid, name }: any) => `${pid} ${name} ${info.threads.filter((thread: any) => thread.pid === pid).length}`)
      .sort();
    const names = info.processes.map(({ name }: any) => name.split(" ")[0]);
    return [...missing(shown, ours), ...missing(ours, shown), ...missing(names, group.processes)];
  });
  await test(`${what}: every counter`, async () => {
    const { counters } = await session.json("counter", "list");
    return counters.length === info.counters.length && counters.length > 0
      ? []
      : [`the client shows ${counters.length} counters, sonde info ${info.counters.length}`];
  });
  session.stop();
  const sampled: number[] = [...info.threads.keys()].filter((thread) => info.threads[thread].samples > 0);
  for (const thread of sampled.slice(0, 6)) {
    await compare(client, { file, shift: 0 }, `${what}, t-${thread}`, { threads: [thread] });
  }
}

async function recordedGroups(client: Client, folder: string): Promise<void> {
  const examples = path.join(path.dirname(program), "examples");
  const groups: Group[] = [
    { name: "shell", command: ["sh", "-c", `${examples}/requests & ${examples}/requests; wait`], processes: ["sh", "requests", "requests"] },
    { name: "build", command: writeBuild(folder), processes: ["ninja", "cc", "cc1", "as", "ld"] },
    { name: "project", command: configureProject(path.join(folder, "project")), processes: ["ninja", "cc", "cc1", "as", "ld", "ar"] },
  ];
  for (const group of groups) {
    const session = path.join(folder, `session-${group.name}`);
    const processed = path.join(folder, `${group.name}-processed.json.gz`), gecko = path.join(folder, `${group.name}-gecko.json.gz`);
    execFileSync(program, ["record", "-s", "--session", session, "-o", processed, "--", ...group.command], { stdio: "ignore" });
    execFileSync(program, ["recover", "--gecko", session, "-o", gecko], { stdio: "ignore" });
    await checkGroup(client, group, "processed", processed);
    await checkGroup(client, group, "gecko", gecko);
  }
}

export async function recordedPrograms(client: Client): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "sonde-recorded-"));
  try {
    await recordedGroups(client, folder);
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
