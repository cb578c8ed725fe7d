// What Sonde writes of a recorded program, as the Firefox Profiler's client sees it: a session drawn as text (tests/data/session.txt),
// with everything that a session can hold.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { Client, Session } from "./client.ts";
import { test } from "./tap.ts";
import { compare } from "./view.ts";

function differences(found: unknown, expected: unknown): string[] {
  return isDeepStrictEqual(found, expected) ? [] : [`it is ${JSON.stringify(found)}`, `and not ${JSON.stringify(expected)}`];
}

async function markers(session: Session, thread: string): Promise<unknown[]> {
  const { byType } = await session.json("thread", "markers", "--thread", thread);
  return byType.flatMap((type: any) =>
    type.topMarkers.map((marker: any) => [type.markerName, marker.label, marker.start, marker.duration ?? null, marker.hasStack]),
  );
}

async function checkSession(client: Client, session: Session, file: string): Promise<void> {
  await test("session: no warning", async () => session.complaints());
  await test("session: threads", async () => {
    const { processes } = await session.json("profile", "info", "--all");
    const threads = processes[0].threads.map((thread: any) => [thread.name, thread.tid]);
    return differences(
      [processes.length, processes[0].pid, processes[0].name, threads],
      [1, "4711", "server", [["GeckoMain", 4711], ["worker", 4712], ["brief", 4713], ["brief", 4713]]],
    );
  });
  await test("session: a row for each interval of what a thread did", async () => {
    const counts = await Promise.all(
      [0, 1, 2, 3].map(async (thread) => (await session.json("thread", "info", "--thread", `t-${thread}`)).sampleCount),
    );
    return differences(counts, [6, 5, 2, 3]);
  });
  await test("session: markers with the labels of their schemas", async () =>
    differences(
      [await markers(session, "t-0"), await markers(session, "t-1")],
      [
        [
          ["load", "config.toml", 1, 1.5, false],
          ["request", "200 https://a.example/one", 2, 6, false],
          ["outside", "outside", 4, null, false],
        ],
        [
          ["cache miss", "cache miss", 1.2, null, false],
          ["allocation", "allocation", 9, null, true],
        ],
      ],
    ),
  );
  await test("session: counters", async () => {
    const { counters } = await session.json("counter", "list");
    return differences(
      counters.map((counter: any) => [counter.name, counter.category, counter.unit, counter.rangeSampleCount]),
      [["malloc", "Memory", "bytes", 4], ["processCPU", "CPU", "percent", 2]],
    );
  });
  for (const thread of [0, 1, 2, 3]) {
    await compare(client, { file, shift: 0 }, `t-${thread}`, { threads: [thread] });
  }
}

export async function drawnSession(client: Client): Promise<void> {
  const root = path.join(import.meta.dirname, "../..");
  const program = path.join(path.dirname(process.env.SONDE ?? path.join(root, "build/sonde")), "tests/export/draw_gecko");
  const folder = mkdtempSync(path.join(tmpdir(), "sonde-session-"));
  const file = path.join(folder, "session.json");
  try {
    execFileSync(program, [path.join(root, "tests/data/session.txt"), file]);
    const session = await client.load(file);
    await checkSession(client, session, file);
    session.stop();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
