// `sonde view`: the Firefox Profiler's client follows the address that a browser would open, and has the names that our symbolication API
// gives it. It puts them into the profile itself; `sonde symbolicate` must come to the same.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import type { Client, Session } from "./client.ts";
import { test } from "./tap.ts";

const program = path.resolve(process.env.SONDE ?? path.join(import.meta.dirname, "../../build/sonde"));

/** Functions with their samples, and the tree, as text. */
async function picture(session: Session): Promise<string[]> {
  const functions = (await session.functions(["--limit", "0", "--include-idle"]))
    .map((row) => `${row.nameWithLibrary}: ${row.selfSamples} ${row.totalSamples}`)
    .sort();
  const tree = await session.tree(false, ["--include-idle"]);
  return [...functions, JSON.stringify(tree.children)];
}

async function compareServed(client: Client, name: string, raw: string, named: string): Promise<void> {
  const server = spawn(program, ["view", "--firefox", "--no-open", raw], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(server, "exit");
  try {
    const [link] = await once(createInterface(server.stdout), "line");
    const served = await client.open(link), file = await client.load(named);
    await test(`served ${name}: no warning`, async () => served.complaints());
    await test(`served ${name}: the client gives it the names that sonde symbolicate gives`, async () => {
      const found = await picture(served), expected = await picture(file);
      const isNamed = expected.some((line) => line.startsWith(`${name}!`) && !line.startsWith(`${name}!0x`));
      const differences = expected.flatMap((line, i) => (line === found[i] ? [] : [`${line} became ${found[i]}`]));
      return [...differences, ...(isNamed ? [] : ["no function of the program has a name"]), ...found.slice(expected.length)];
    });
    served.stop();
    file.stop();
  } finally {
    server.kill("SIGINT");
  }
  await test(`served ${name}: Ctrl-C ends it`, async () => {
    const [status] = await ended;
    return status === 0 ? [] : [`exit status ${status}`];
  });
}

export async function servedPrograms(client: Client): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "sonde-served-"));
  try {
    for (const name of ["requests", "threads"]) {
      const target = path.join(path.dirname(program), "examples", name);
      const raw = path.join(folder, `${name}.json.gz`), named = path.join(folder, `${name}-named.json.gz`);
      execFileSync(program, ["record", "-s", "--no-symbols", "-o", raw, target], { stdio: "ignore" });
      execFileSync(program, ["symbolicate", raw, "-o", named], { stdio: "ignore" });
      await compareServed(client, name, raw, named);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
