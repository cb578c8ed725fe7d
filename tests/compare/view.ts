// A view is a way of looking at a profile that both programs can be asked for. Comparing one is three tests: the tree, the inverted tree
// and the function list.

import path from "node:path";

import { compareFunctions, compareTrees } from "./agree.ts";
import type { Client, Session } from "./client.ts";
import { sonde } from "./sonde.ts";
import { test } from "./tap.ts";
import { encodeNumbers, toSonde, toUrl, type Implementation, type Transform } from "./transforms.ts";

export type Profile = {
  file: string;
  /** What must be added to a time of Sonde's, in ms, to have a time of the client's. */
  shift: number;
};

/** A filter that the client has as an option, and the transform it stands for. */
export type Filter = { client: string[]; sonde: string };

export type View = {
  threads?: number[];
  implementation?: Implementation;
  search?: string;
  transforms?: Transform[];
  filters?: Filter[];
  /** In seconds, counted as the client does. */
  zoom?: [number, number];
  excludeIdle?: boolean;
  strategy?: string;
};

export function query(view: View): Record<string, string> {
  const state: Record<string, string> = {};
  if (view.threads) {
    state.thread = encodeNumbers(view.threads);
  }
  if (view.implementation) {
    state.implementation = view.implementation;
  }
  if (view.search) {
    state.search = view.search;
  }
  if (view.transforms) {
    state.transforms = view.transforms.map(toUrl).join("~");
  }
  return state;
}

export function clientOptions(view: View): string[] {
  return [...(view.excludeIdle ? [] : ["--include-idle"]), ...(view.strategy ? ["--strategy", view.strategy] : [])];
}

export function sondeRange(profile: Profile, zoom: [number, number]): string {
  return zoom.map((seconds) => (seconds * 1000 - profile.shift) / 1000).join(",");
}

export function sondeOptions(profile: Profile, view: View): string[] {
  // The client takes samples of V8 that are 0.5 ms and more apart.
  const options: string[] = profile.file.endsWith(".cpuprofile") ? ["--thin"] : [];
  for (const thread of view.threads ?? []) {
    options.push("--thread", `t-${thread}`);
  }
  if (view.implementation) {
    options.push("--implementation", view.implementation);
  }
  if (view.search) {
    options.push("--search", view.search);
  }
  if (view.zoom) {
    options.push("--range", sondeRange(profile, view.zoom));
  }
  for (const transform of view.transforms ?? []) {
    options.push("--transform", toSonde(transform, view.implementation ?? "combined"));
  }
  for (const filter of view.filters ?? []) {
    options.push("--transform", filter.sonde);
  }
  if (view.excludeIdle) {
    options.push("--exclude-idle");
  }
  if (view.strategy) {
    options.push("--strategy", view.strategy);
  }
  return options;
}

/**
 * The comparison proper; `session` has the profile loaded with the state of query(view). After a view with a zoom the session is of no
 * more use: the client forgets the zoom when told to, but goes on to show its samples only.
 */
export async function compareLoaded(session: Session, profile: Profile, name: string, view: View): Promise<void> {
  const title = `${path.basename(profile.file)}: ${name}`;
  const theirs = clientOptions(view);
  const ours = [profile.file, ...sondeOptions(profile, view)];
  try {
    for (const filter of view.filters ?? []) {
      await session.command("filter", "push", ...filter.client);
    }
    if (view.zoom) {
      await session.command("zoom", "push", view.zoom.join(","));
    }
    await test(`${title}: tree`, async () =>
      compareTrees(...(await Promise.all([sonde("tree", ...ours), session.tree(false, theirs)]))),
    );
    await test(`${title}: inverted tree`, async () =>
      compareTrees(...(await Promise.all([sonde("tree", "--invert", ...ours), session.tree(true, theirs)]))),
    );
    await test(`${title}: functions`, async () => {
      const [a, b] = await Promise.all([sonde("functions", ...ours), session.functions(theirs)]);
      return compareFunctions(a.functions, b);
    });
  } finally {
    if (view.filters) {
      await session.command("filter", "clear");
    }
  }
}

/** Loads the profile for this view alone. */
export async function compare(client: Client, profile: Profile, name: string, view: View): Promise<void> {
  const session = await client.load(profile.file, query(view));
  await compareLoaded(session, profile, name, view);
  session.stop();
}
