// Firefox without a driver: the protocol that it speaks itself (WebDriver BiDi), as far as a look at a page needs it.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_MS = 60_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: any;
  readonly result?: any;
  readonly error?: string;
  readonly message?: string;
}

/** What it says on standard error once it can be reached. */
function address(browser: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('Firefox did not start')), START_MS);
    browser.on('exit', (status) => reject(new Error(`Firefox ended with status ${status}`)));
    browser.stderr!.on('data', (data: Buffer) => {
      const found = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(data.toString());
      if (!found) return;
      clearTimeout(late);
      resolve(found[1]!);
    });
  });
}

export class Firefox {
  readonly #browser: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #context = '';
  #id = 0;
  /** What the console says, errors among it, and what is asked of others. */
  readonly logs: string[] = [];
  readonly requests: string[] = [];

  private constructor(browser: ChildProcess, profile: string, socket: WebSocket) {
    this.#browser = browser;
    this.#profile = profile;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data) as Message);
  }

  #take({ id, method, params, ...rest }: Message): void {
    if (id !== undefined) this.#waiting.get(id)?.(rest);
    else if (method === 'log.entryAdded') this.logs.push(`${params.level}: ${params.text}`);
    else if (method === 'network.beforeRequestSent') this.requests.push(params.request.url);
  }

  async #send(method: string, params: object): Promise<any> {
    const id = ++this.#id;
    const answer = await new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    if (answer.error) throw new Error(`${method}: ${answer.error}: ${answer.message}`);
    return answer.result;
  }

  static async start(program: string): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
    const browser = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: profile },
    });
    const socket = new WebSocket(`${await address(browser)}/session`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error('Firefox refused the connection'));
    });
    const firefox = new Firefox(browser, profile, socket);
    await firefox.#send('session.new', { capabilities: {} });
    const { contexts } = await firefox.#send('browsingContext.getTree', {});
    firefox.#context = contexts[0].context;
    await firefox.#send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
    return firefox;
  }

  async goto(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  async evaluate(expression: string): Promise<string> {
    const target = { context: this.#context };
    const { result } = await this.#send('script.evaluate', { expression, target, awaitPromise: true });
    return String(result.value);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#browser.on('exit', resolve));
    this.#browser.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
