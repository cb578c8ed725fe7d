// The Firefox Profiler's command-line client: a daemon per loaded profile, asked through its command.
//
// Profiles are loaded through a URL of the profiler's site that points to a server of our own on this machine, because such a URL can
// carry any state: every transform, the implementation filter, the search. What the client offers as commands (zoom, filters, strategy)
// is set by commands. Nothing leaves this machine: our server also plays the symbol server, one that knows no symbols.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

const program = path.join(import.meta.dirname, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");

export type TreeNode = {
  functionHandle: string;
  name: string;
  nameWithLibrary: string;
  totalSamples: number;
  selfSamples: number;
  children: TreeNode[];
  childrenTruncated?: { count: number; combinedSamples: number; maxSamples: number };
};

export type FunctionRow = { functionHandle: string; name: string; nameWithLibrary: string; selfSamples: number; totalSamples: number };

export type MarkerRow = {
  name: string;
  label: string;
  start: number;
  duration?: number;
  hasStack: boolean;
  category: string;
  data?: Record<string, unknown>;
};

export type MarkerGroup = {
  markerName: string;
  count: number;
  durationStats?: { min: number; max: number; avg: number };
};

export type Root = { rootTotal: number; weightType: string; children: TreeNode[]; childrenTruncated?: TreeNode["childrenTruncated"] };

// How many nodes of a tree the client is asked for. It says exactly what it leaves out.
const MAX_NODES = 20000;

function run(args: string[], environment: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...environment }, maxBuffer: 1 << 30 };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      if (error) {
        reject(new Error(`profiler-cli ${args.join(" ")}: ${stderr || error.message}`));
      } else {
        resolve(stdout);
      }
    });
  });
}

/**
 * A daemon writes its process id into a file of its session. Ending it by signal is sooner than by its own command, and by this one it
 * leaves nothing behind that it writes while it ends.
 */
function stopDaemon(file: string): void {
  try {
    process.kill(JSON.parse(readFileSync(file, "utf8")).pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** A daemon that was too late goes on starting, and keeps the next one from a CPU; the client's error names it. */
function killLate(error: string): void {
  const pid = /still be running as pid (\d+)/.exec(error)?.[1];
  try {
    if (pid) process.kill(Number(pid), "SIGKILL");
  } catch {
    // It has ended already.
  }
}

export class Client {
  private server: Server;
  private folder: string;
  private served: string[];
  private sessions = 0;

  private constructor(server: Server, folder: string, served: string[]) {
    this.server = server;
    this.folder = folder;
    this.served = served;
  }

  static async start(): Promise<Client> {
    const served: string[] = [];
    const server = createServer((request, response) => {
      const file = served[Number(request.url?.match(/^\/(\d+)\//)?.[1])];
      if (request.method === "GET" && file) {
        response.writeHead(200, { "content-type": "application/octet-stream" }).end(readFileSync(file));
      } else {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Client(server, mkdtempSync(path.join(tmpdir(), "sonde-compare-")), served);
  }

  /** Loads a file, with the state that `query` describes (as in the address of a view on the profiler's site). */
  async load(file: string, query: Record<string, string> = {}): Promise<Session> {
    const address = this.server.address();
    const origin = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
    const number = this.served.push(path.resolve(file)) - 1;
    const profile = encodeURIComponent(`${origin}/${number}/${path.basename(file)}`);
    const state = new URLSearchParams({ ...query, v: "17" });
    return this.open(`https://profiler.firefox.com/from-url/${profile}/calltree/?${state}`, "--symbol-server", origin);
  }

  /** Loads whatever an address of the profiler's site leads to. */
  async open(...words: string[]): Promise<Session> {
    // The client gives its daemon half a second to start, which is not enough on a busy machine.
    for (let attempts = 40; ; attempts--) {
      const session = new Session(`s${this.sessions++}`, { PROFILER_CLI_SESSION_DIR: this.folder });
      try {
        await session.command("load", ...words);
        return session;
      } catch (error) {
        session.stop();
        killLate(String(error));
        if (attempts === 0) {
          throw error;
        }
        await setTimeout(500);
      }
    }
  }

  /**
   * Stops every daemon at once; to be called whatever happened, also from a signal handler. They are known by our folder in their
   * environment: one that started too late for `load` to wait for it may not have written its process id yet.
   */
  stop(): void {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (readFileSync(`/proc/${pid}/environ`, "utf8").includes(`PROFILER_CLI_SESSION_DIR=${this.folder}\0`)) {
          process.kill(Number(pid), "SIGKILL");
        }
      } catch {
        // It has ended, or is not ours.
      }
    }
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

export class Session {
  readonly id: string;
  readonly environment: Record<string, string>;

  constructor(id: string, environment: Record<string, string>) {
    this.id = id;
    this.environment = environment;
  }

  command(...args: string[]): Promise<string> {
    return run([...args, "--session", this.id], this.environment);
  }

  async json(...args: string[]): Promise<any> {
    return JSON.parse(await this.command(...args, "--json"));
  }

  async tree(inverted: boolean, options: string[]): Promise<Root> {
    const command = inverted ? "samples-bottom-up" : "samples-top-down";
    const answer = await this.json("thread", command, "--max-lines", String(MAX_NODES), ...options);
    const root = inverted ? answer.invertedCallTree : answer.regularCallTree;
    return { ...root, rootTotal: root.totalSamples, weightType: answer.weightType };
  }

  async functions(options: string[]): Promise<FunctionRow[]> {
    return (await this.json("thread", "functions", ...options)).functions;
  }

  /** Lines of the daemon's log that are more than a report of what it does. */
  complaints(): string[] {
    const log = readFileSync(path.join(this.environment.PROFILER_CLI_SESSION_DIR, `${this.id}.log`), "utf8");
    return log.split("\n").filter((line) => line !== "" && !line.startsWith("[LOG]"));
  }

  stop(): void {
    stopDaemon(path.join(this.environment.PROFILER_CLI_SESSION_DIR, `${this.id}.json`));
  }
}
