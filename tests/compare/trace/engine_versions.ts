// The engine as it was published, and with the rules that came later.
//
// The newest engine is no package. In the calls that it makes it differs in two things: an event with a stack of its own that no script
// has called is itself taken for one that calls a script, and a thread is there even if it has nothing but samples. The package is loaded
// a second time with that put in; the results that are kept of the newest engine tell whether it is right (expected.ts). So is what Sonde
// does otherwise by the newest rules: events that begin and end apart are joined by thread and name.

import { registerHooks } from "node:module";
import path from "node:path";

export type Rules = "0.0.65" | "newest";
export const VERSIONS: Rules[] = ["0.0.65", "newest"];

const MARK = "?newest";

/** By file: [text, what stands in its place]. Each text must be there once, or the package is another one. */
const CHANGES: Record<string, [string, string][]> = {
  "SamplesIntegrator.js": [
    ["#onTraceEventStart(event) {", "#onTraceEventStart(event, parent) {"],
    ["this.#onTraceEventStart(event);\n            stack.push(event);", "this.#onTraceEventStart(event, parentEvent);\n            stack.push(event);"],
    [
      "this.#lockedJsStackDepth.push(this.#currentJSStack.length);",
      `if (extractSampleTraceId(event) && !(parent && Types.Events.isJSInvocationEvent(parent))) this.#fakeJSInvocation = true;
        this.#lockedJsStackDepth.push(this.#currentJSStack.length);`,
    ],
  ],
  "RendererHandler.js": [
    [
      "entityMappings = networkRequestHandlerData().entityMappings;",
      `entityMappings = networkRequestHandlerData().entityMappings;
    for (const [pid, threads] of samplesHandlerData().profilesInProcess)
        for (const tid of threads.keys()) getOrCreateRendererThread(getOrCreateRendererProcess(processes, pid), tid);
    const open = new Map();
    for (const event of completeEventStack.toSorted((a, b) => a.ts - b.ts)) {
        const key = \`\${event.pid} \${event.tid} \${event.name}\`;
        if (!open.has(key)) open.set(key, []);
        if (event.ph !== "E") open.get(key).push(event);
        else if (open.get(key).length > 0) open.get(key).at(-1).dur = event.ts - open.get(key).pop().ts;
    }`,
    ],
    ["const beginEvent = completeEventStack.pop();", "const beginEvent = void completeEventStack.push(event);"],
    ["if (!thread.entries.length) {", "if (!thread.entries.length && !samplesData.profilesInProcess.get(pid)?.has(tid)) {"],
  ],
};

function changed(source: string, changes: [string, string][]): string {
  for (const [text, other] of changes) {
    if (source.split(text).length !== 2) throw new Error(`the engine has changed: ${text}`);
    source = source.replace(text, () => other);
  }
  return source;
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return context.parentURL?.endsWith(MARK) && found.url.startsWith("file:") ? { ...found, url: found.url + MARK } : found;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const changes = url.endsWith(MARK) ? CHANGES[path.basename(url, MARK)] : undefined;
    return changes ? { ...loaded, source: changed(String(loaded.source), changes) } : loaded;
  },
});

export function loadEngine(rules: Rules): Promise<any> {
  return import(import.meta.resolve("@paulirish/trace_engine") + (rules === "newest" ? MARK : ""));
}
