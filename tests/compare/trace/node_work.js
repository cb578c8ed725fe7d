// What a Node program does, for its profiler: modules, timers, promises, a worker, garbage.
import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { Worker, isMainThread, parentPort } from "node:worker_threads";

vm.runInThisContext(readFileSync(path.join(import.meta.dirname, "page/work.js"), "utf8"), { filename: "work.js" });

async function work(rounds) {
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    fibonacci(21);
    descend(40, () => spin(300));
    litter(12);
    builtins();
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([1, 2, 3].map(async (n) => (await null, spin(n * 50))));
    process.nextTick(() => tree(11));
  }
}

if (isMainThread) {
  const worker = new Worker(import.meta.filename);
  worker.once("message", () => fibonacci(18));
  work(20).then(() => worker.postMessage("end"));
} else {
  parentPort.once("message", () => parentPort.close());
  work(10).then(() => parentPort.postMessage("done"));
}
