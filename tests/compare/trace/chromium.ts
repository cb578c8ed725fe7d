// Headless Chromium, driven through its debugging pipe (file descriptors 3 and 4), to record what it does with a page.
//
// The page is served from this process, and no other host is there for the browser. Everything has a deadline; in the end the
// browser is stopped with all its processes, and its folder is removed.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

const DEADLINE = 120_000;
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

const OPTIONS = [
  "--headless=new",
  "--no-sandbox",
  "--remote-debugging-pipe",
  "--disable-gpu",
  "--disable-quic",
  "--disable-extensions",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--no-default-browser-check",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Serves the files of a folder on this machine. */
export async function serve(folder: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? "/", "http://127.0.0.1").pathname);
    try {
      const text = readFileSync(path.join(folder, name));
      response.writeHead(200, { "content-type": TYPES[path.extname(name)] ?? "text/plain" }).end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { server, address: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` };
}

type Message = { id?: number; method?: string; sessionId?: string; params?: any; result?: any; error?: { message: string } };

/** Commands and events of the protocol, each message ended by a zero byte. */
class Pipe {
  private out: Writable;
  private next = 1;
  private waiting = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void; method: string }>();
  private listeners = new Map<string, (params: any) => void>();

  constructor(out: Writable, input: Readable) {
    this.out = out;
    let rest: Buffer[] = [];
    input.on("data", (data: Buffer) => {
      for (let end; (end = data.indexOf(0)) >= 0; data = data.subarray(end + 1)) {
        this.receive(JSON.parse(Buffer.concat([...rest, data.subarray(0, end)]).toString()));
        rest = [];
      }
      rest.push(data);
    });
    input.on("close", () => this.fail(new Error("Chromium has ended")));
    // A write to a browser that has ended is told by the end of the other pipe.
    out.on("error", () => {});
  }

  private receive({ id, method, params, result, error }: Message): void {
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    if (waiting) {
      this.waiting.delete(id!);
      if (error) waiting.reject(new Error(`${waiting.method}: ${error.message}`));
      else waiting.resolve(result);
    } else if (method) {
      this.listeners.get(method)?.(params);
    }
  }

  fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<any> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, method });
      this.out.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  event(method: string): Promise<any> {
    return new Promise((resolve) => this.listeners.set(method, resolve));
  }
}

export class Chromium {
  private browser: ChildProcess;
  private pipe: Pipe;
  private folder: string;
  private deadline: NodeJS.Timeout;
  private ended: Promise<void>;

  constructor(program: string) {
    this.folder = mkdtempSync(path.join(tmpdir(), "sonde-chromium-"));
    this.browser = spawn(program, [...OPTIONS, `--user-data-dir=${this.folder}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      // Its own group, so that it can be stopped with all its processes.
      detached: true,
      env: { ...process.env, HOME: this.folder },
    });
    this.pipe = new Pipe(this.browser.stdio[3] as Writable, this.browser.stdio[4] as Readable);
    this.ended = new Promise((resolve) => {
      this.browser.on("exit", () => resolve());
      this.browser.on("error", (error) => {
        this.pipe.fail(error);
        resolve();
      });
    });
    this.deadline = setTimeout(() => {
      this.pipe.fail(new Error(`Chromium was not done within ${DEADLINE / 1000} s`));
      this.kill();
    }, DEADLINE);
  }

  /** What an end of this program leaves time for. */
  abandon(): void {
    this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private kill(): void {
    if (this.browser.pid === undefined) return;
    try {
      process.kill(-this.browser.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }

  /** To be called whatever happened. */
  async stop(): Promise<void> {
    clearTimeout(this.deadline);
    this.kill();
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private async attach(): Promise<string> {
    const { targetId } = await this.pipe.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.pipe.send("Target.attachToTarget", { targetId, flatten: true });
    return sessionId;
  }

  /** Opens an address and waits until the page's own promise `finished` says that it is done. */
  private async visit(session: string, address: string): Promise<void> {
    const loaded = this.pipe.event("Page.loadEventFired");
    await this.pipe.send("Page.enable", {}, session);
    await this.pipe.send("Page.navigate", { url: address }, session);
    await loaded;
    const { result, exceptionDetails } = await this.pipe.send(
      "Runtime.evaluate",
      { expression: "finished", awaitPromise: true, returnByValue: true },
      session,
    );
    if (exceptionDetails || result.value !== "done") throw new Error(`the page failed: ${JSON.stringify(exceptionDetails ?? result)}`);
  }

  /** The text of a trace of a visit. */
  async trace(address: string, categories: string[]): Promise<string> {
    const session = await this.attach();
    const complete = this.pipe.event("Tracing.tracingComplete");
    await this.pipe.send(
      "Tracing.start",
      { transferMode: "ReturnAsStream", traceConfig: { recordMode: "recordUntilFull", includedCategories: categories, excludedCategories: ["*"] } },
      session,
    );
    await this.visit(session, address);
    await this.pipe.send("Tracing.end", {}, session);
    const { stream } = await complete;
    const parts: Buffer[] = [];
    for (let eof = false; !eof; ) {
      const chunk = await this.pipe.send("IO.read", { handle: stream, size: 1 << 20 }, session);
      parts.push(Buffer.from(chunk.data, chunk.base64Encoded ? "base64" : "utf8"));
      eof = chunk.eof;
    }
    return Buffer.concat(parts).toString();
  }

  /** A CPU profile of a visit, as its JavaScript profiler saves it. */
  async cpuProfile(address: string): Promise<string> {
    const session = await this.attach();
    await this.pipe.send("Profiler.enable", {}, session);
    await this.pipe.send("Profiler.setSamplingInterval", { interval: 200 }, session);
    await this.pipe.send("Profiler.start", {}, session);
    await this.visit(session, address);
    const { profile } = await this.pipe.send("Profiler.stop", {}, session);
    return JSON.stringify(profile);
  }
}
