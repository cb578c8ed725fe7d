// Real programs as Sonde and perf show them, side by side in docs/field.md; and browsers, which only have to run to their ends.
//
//     bench/field [--output FILE] [NAME...]
//
// Each program does the same work twice, once under `sonde record` and once under `perf record -e cpu-clock -F 1000`. Everything has a
// deadline. SONDE names another build.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readPerf, readSonde, type Profile } from './field_profile.ts';

const SONDE = path.resolve(process.env.SONDE ?? 'build/sonde');
const HOTTEST = 10;
const ENOUGH = 1000; // samples of both, to be held to
const CLOSE = 3; // points
const TOO_FEW = 10; // a tenth of perf's samples: something was not recorded
const DEADLINE_MS = 120_000;
const OUR_SOURCES = ['src/common', 'src/profile', 'src/tree'];

const IS_ROOT = process.getuid?.() === 0;

class Missing extends Error {}

/** One program and its work. `drive` is for servers: what is asked of them while they are recorded, and how they are told to end. */
type Program = {
  name: string;
  what: string;
  prepare: (folder: string) => { command: string[]; user?: string; drive?: () => Promise<void> };
};

// --- running ----------------------------------------------------------------------------------------------------------------------------

function which(...names: string[]): string {
  const folders = [...(process.env.PATH ?? '').split(':').filter((folder) => folder !== '/usr/local/bin'), '/usr/sbin', '/sbin'];
  for (const name of names) {
    const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
    if (found) return found;
  }
  throw new Missing(`${names[0]} is not installed`);
}

const asUser = (user: string | undefined, command: string[]): string[] =>
  user && IS_ROOT ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--', ...command] : command;

function run(command: string[], options: { input?: string; cwd?: string } = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command[0], command.slice(1), {
    encoding: 'utf8',
    timeout: DEADLINE_MS,
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error?.message ?? `status ${status}`}\n${stderr.slice(-2000)}`);
  return stdout;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 100) {
    if (holds()) return;
    await sleep(100);
  }
  throw new Error(`${what} did not happen within 30 s`);
}

type Ended = { status: number | null; signal: string | null; errors: string; output: string };

/** Until it ends, or to the deadline: then it is killed with all that it started. It has a process group of its own for that. */
async function finish(child: ChildProcess, deadline: number): Promise<Ended> {
  let errors = '', output = '';
  child.stderr!.on('data', (data) => (errors += data));
  child.stdout!.on('data', (data) => (output += data));
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  };
  const timer = setTimeout(kill, deadline);
  const ended = await new Promise<Ended>((resolve) =>
    child.on('exit', (status, signal) => setTimeout(() => resolve({ status, signal, errors, output }), 200)),
  );
  clearTimeout(timer);
  kill();
  return ended;
}

const begin = (command: string[], cwd: string): ChildProcess =>
  spawn(command[0], command.slice(1), { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });

async function recorded(command: string[], cwd: string, drive?: () => Promise<void>): Promise<void> {
  const child = begin(command, cwd);
  const end = finish(child, DEADLINE_MS);
  let failure: unknown;
  try {
    await drive?.();
  } catch (error) {
    failure = error;
    process.kill(-child.pid!, 'SIGKILL');
  }
  const { status, signal, errors } = await end;
  if (failure) throw failure;
  if (signal === 'SIGKILL') throw new Error(`${path.basename(command[0])} did not end within ${DEADLINE_MS / 1000} s`);
  if (status !== 0) throw new Error(`${path.basename(command[0])} ended with ${signal ?? `status ${status}`}: ${errors.slice(-500)}`);
}

// --- programs -----------------------------------------------------------------------------------------------------------------------------

function postgres(folder: string): ReturnType<Program['prepare']> {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a)) : [];
  if (versions.length === 0) throw new Missing('postgresql is not installed');
  const tool = (name: string): string => `/usr/lib/postgresql/${versions[0]}/bin/${name}`;
  const user = IS_ROOT ? 'postgres' : undefined;
  const data = path.join(folder, 'data');
  const as = (...command: string[]): string => run(asUser(user, command), { cwd: folder });
  as(tool('initdb'), '-D', data, '--no-sync');
  const server = [tool('postgres'), '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const isReady = (): boolean => spawnSync(tool('pg_isready'), ['-h', folder]).status === 0;
  const stop = (): void => process.kill(Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGINT');
  const client = asUser(user, [tool('pgbench'), '-h', folder, '-n', '-S', '-c', '4', '-t', '15000', 'postgres']);
  const drive = async (): Promise<void> => {
    await until('the start of postgres', isReady);
    if (!existsSync(path.join(folder, 'filled'))) {
      as(tool('pgbench'), '-q', '-h', folder, '-i', '-s', '5', 'postgres');
      writeFileSync(path.join(folder, 'filled'), '');
    }
    await loaded(client, folder);
    stop();
  };
  return { command: server, user, drive };
}

/** What asks a server for work, not recorded. */
async function loaded(command: string[], cwd: string): Promise<void> {
  const { status, errors } = await finish(begin(command, cwd), DEADLINE_MS / 2);
  if (status !== 0) throw new Error(`${command[0]} failed: ${errors.slice(-500)}`);
}

function nginx(folder: string): ReturnType<Program['prepare']> {
  const server = which('nginx'), load = which('wrk');
  const pid = path.join(folder, 'nginx.pid');
  writeFileSync(path.join(folder, 'index.html'), 'x'.repeat(4000));
  const configuration = `${IS_ROOT ? 'user nobody nogroup;\n' : ''}daemon off;\nworker_processes 2;\npid ${pid};\nerror_log ${folder}/error.log;\nevents {}
http { access_log off; client_body_temp_path ${folder}/1; proxy_temp_path ${folder}/2; fastcgi_temp_path ${folder}/3; uwsgi_temp_path ${folder}/4;
scgi_temp_path ${folder}/5; server { listen 127.0.0.1:8127; root ${folder}; gzip on; gzip_types *; gzip_min_length 1; } }\n`;
  writeFileSync(path.join(folder, 'nginx.conf'), configuration);
  const drive = async (): Promise<void> => {
    await until('the start of nginx', () => existsSync(pid) && readFileSync(pid, 'utf8').trim() !== '');
    await loaded([load, '-t1', '-c16', '-d5s', '-H', 'Accept-Encoding: gzip', 'http://127.0.0.1:8127/index.html'], folder);
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTERM');
  };
  return { command: [server, '-p', folder, '-c', path.join(folder, 'nginx.conf')], drive };
}

function redis(folder: string): ReturnType<Program['prepare']> {
  const server = which('redis-server'), load = which('redis-benchmark'), client = which('redis-cli');
  const ping = (): boolean => spawnSync(client, ['-p', '8128', 'ping'], { encoding: 'utf8' }).stdout.includes('PONG');
  const drive = async (): Promise<void> => {
    await until('the start of redis', ping);
    await loaded([load, '-p', '8128', '-q', '-n', '120000', '-c', '20', '-t', 'set,get,lpush,zadd'], folder);
    spawnSync(client, ['-p', '8128', 'shutdown', 'nosave']);
  };
  return { command: [server, '--port', '8128', '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder], drive };
}

function ffmpeg(folder: string): ReturnType<Program['prepare']> {
  const program = which('ffmpeg');
  const input = path.join(folder, 'input.mkv');
  const source = 'testsrc=size=1280x720:rate=25:duration=8,noise=alls=20:allf=t';
  run([program, '-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-pix_fmt', 'yuv420p', '-c:v', 'rawvideo', input]);
  return { command: [program, '-v', 'error', '-nostdin', '-i', input, '-c:v', 'libx264', '-preset', 'fast', '-f', 'null', '-'] };
}

function python(folder: string): ReturnType<Program['prepare']> {
  const script = path.join(folder, 'threads.py');
  writeFileSync(
    script,
    `import threading, json, re
def numbers():
    for _ in range(30): sorted((i * 7919) % 100003 for i in range(300000))
def texts():
    for i in range(2500): re.findall(r"[a-z]+\\d", json.dumps(json.loads(json.dumps([{"a%d" % j: j} for j in range(700)]))))
threads = [threading.Thread(target=numbers), threading.Thread(target=texts)]
[t.start() for t in threads]; [t.join() for t in threads]
`,
  );
  return { command: [which('python3.11', 'python3.13', 'python3'), script] };
}

function sqlite(folder: string): ReturnType<Program['prepare']> {
  const script = path.join(folder, 'work.sql');
  writeFileSync(
    script,
    `CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500000) INSERT INTO t SELECT i, (i * 7919) % 100003, hex(i * 31) FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(length(c)) FROM t WHERE c LIKE '%3A%';
SELECT b % 100, count(*), max(c) FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 3;
SELECT sum(x.a) FROM t x JOIN t y ON x.b = y.a WHERE y.c > '5';
`,
  );
  return { command: [which('sqlite3'), ':memory:', `.read ${script}`] };
}

function gcc(folder: string): ReturnType<Program['prepare']> {
  const sources = OUR_SOURCES.flatMap((from) => readdirSync(from).filter((name) => name.endsWith('.c')).map((name) => path.resolve(from, name)));
  const options = ['-O2', '-w', '-D_GNU_SOURCE', '-DSONDE_VERSION="0"', `-I${path.resolve('src')}`, `-I${path.resolve('include')}`, '-c'];
  // One after another in a folder of their own: names of files may be there twice.
  const script = path.join(folder, 'compile.sh');
  writeFileSync(script, sources.map((source) => `${which('gcc')} ${options.map((o) => `'${o}'`).join(' ')} -o out.o ${source}`).join('\n'));
  return { command: ['sh', '-e', script] };
}

function imageMagick(folder: string): ReturnType<Program['prepare']> {
  const program = which('convert-im6.q16', 'convert');
  const input = path.join(folder, 'input.png');
  run([program, '-seed', '1', '-size', '2400x2400', 'plasma:fractal', input]);
  return { command: [program, input, '-blur', '0x6', '-resize', '60%', '-sharpen', '0x3', '-colorspace', 'Lab', path.join(folder, 'out.png')] };
}

const PROGRAMS: Program[] = [
  { name: 'postgres', what: '`pgbench -S`, 4 clients, 60,000 transactions', prepare: postgres },
  { name: 'ffmpeg', what: '200 frames of 1280×720 to H.264 with libx264, preset fast', prepare: ffmpeg },
  { name: 'nginx', what: 'two workers, packed pages of 4 kB for `wrk` with 16 connections, 5 s', prepare: nginx },
  { name: 'redis', what: '`redis-benchmark`: set, get, lpush, zadd, 120,000 each, 20 clients', prepare: redis },
  { name: 'python', what: 'two threads: sorting numbers, JSON and regular expressions', prepare: python },
  { name: 'sqlite', what: 'the shell in memory: 1,500,000 rows, an index, scans, a join', prepare: sqlite },
  { name: 'gcc', what: `\`gcc -O2\` of the files of ${OUR_SOURCES.join(', ')}, one after another`, prepare: gcc },
  { name: 'imagemagick', what: '`convert -blur -resize -sharpen -colorspace Lab` of 2400×2400 pixels', prepare: imageMagick },
];

// --- comparing ------------------------------------------------------------------------------------------------------------------------------

type Outcome = { text: string[]; verdict: string };

function table(ours: Profile, theirs: Profile): Outcome {
  const hottest = [...theirs.functions].sort((a, b) => b[1] - a[1]).slice(0, HOTTEST).map(([name]) => name);
  // And what only Sonde finds hot.
  for (const [name] of [...ours.functions].sort((a, b) => b[1] - a[1]).slice(0, HOTTEST))
    if (!hottest.includes(name) && ours.functions.get(name)! - (theirs.functions.get(name) ?? 0) > CLOSE) hottest.push(name);
  let worst = 0;
  const row = (name: string, perf: number, sonde: number): string => {
    worst = Math.max(worst, Math.abs(sonde - perf));
    const difference = sonde - perf;
    const text = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(1)}`;
    return `| ${name} | ${perf.toFixed(1)} | ${sonde.toFixed(1)} | ${Math.abs(difference) > CLOSE ? `**${text}**` : text} |`;
  };
  const rows = hottest.map((name) => row(`\`${name}\``, theirs.functions.get(name) ?? 0, ours.functions.get(name) ?? 0));
  rows.push(row('(kernel and start), of all CPU time', theirs.kernel, ours.kernel));
  const enough = Math.min(ours.samples, theirs.samples) >= ENOUGH;
  const verdict = ours.samples < theirs.samples / TOO_FEW ? `only ${ours.samples} samples where perf has ${theirs.samples}` : worst <= CLOSE ? 'close' : enough ? `off by ${worst.toFixed(1)}` : `off by ${worst.toFixed(1)}, with few samples`;
  return {
    text: [
      `Samples: perf ${theirs.samples}, Sonde ${ours.samples}. Largest difference: ${worst.toFixed(1)} points.`,
      '',
      '| function | perf % | Sonde % | difference |',
      '|---|---|---|---|',
      ...rows,
    ],
    verdict,
  };
}

async function compare(program: Program, scratch: string): Promise<Outcome> {
  const folder = path.join(scratch, program.name);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  if (IS_ROOT && program.name === 'postgres') {
    const [, , uid, gid] = run(['getent', 'passwd', 'postgres']).split(':').map(Number);
    chownSync(folder, uid, gid);
  }
  const { command, user, drive } = program.prepare(folder);
  const profile = path.join(folder, 'profile.json'), data = path.join(scratch, `${program.name}.data`);
  // The recorder is the user of its program; perf as root sees the kernel in all of them. The first run of a server also fills it.
  if (program.name === 'postgres') await recorded(asUser(user, command), folder, drive);
  await recorded(['perf', 'record', '-q', '-e', 'cpu-clock', '-F', '1000', '-o', data, '--', ...asUser(user, command)], folder, drive);
  await recorded(asUser(user, [SONDE, 'record', '-s', '--no-symbols', '-o', profile, '--', ...command]), folder, drive);
  return table(readSonde(SONDE, profile), readPerf(data));
}

// --- browsers -------------------------------------------------------------------------------------------------------------------------------

type Browser = { name: string; command: (folder: string) => string[]; works: (ended: Ended, folder: string) => boolean };

const BROWSERS: Browser[] = [
  {
    name: 'chromium',
    command: (folder) => [which('chromium'), '--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}/profile`, '--dump-dom', 'about:blank'],
    works: ({ status, output }) => status === 0 && output.includes('<html><head></head><body></body></html>'),
  },
  {
    name: 'firefox',
    command: (folder) => [which('firefox-esr', 'firefox'), '--headless', '--no-remote', '--profile', `${folder}/profile`, '--screenshot', `${folder}/shot.png`, 'about:blank'],
    works: ({ status }, folder) => status === 0 && existsSync(`${folder}/shot.png`),
  },
];

async function browse(browser: Browser, scratch: string): Promise<Outcome> {
  const attempt = async (name: string, prefix: string[]): Promise<{ works: boolean; ended: Ended }> => {
    const folder = path.join(scratch, `${browser.name}-${name}`);
    mkdirSync(path.join(folder, 'profile'), { recursive: true });
    const child = spawn([...prefix, ...browser.command(folder)][0], [...prefix, ...browser.command(folder)].slice(1), {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: folder, MOZ_HEADLESS: '1' },
    });
    const ended = await finish(child, DEADLINE_MS);
    return { works: browser.works(ended, folder), ended };
  };
  const plain = await attempt('plain', []);
  if (!plain.works) throw new Missing(`${browser.name} does not work here by itself (status ${plain.ended.status})`);
  const profile = path.join(scratch, `${browser.name}.json.gz`);
  const { works, ended } = await attempt('recorded', [SONDE, 'record', '-s', '--no-symbols', '-o', profile, '--']);
  if (!works) {
    const how = ended.signal === 'SIGKILL' ? `did not end within ${DEADLINE_MS / 1000} s` : `ended with ${ended.signal ?? `status ${ended.status}`}`;
    return { text: [`Recorded, it ${how}.`, '', '```', ended.errors.slice(-800).trim(), '```'], verdict: how };
  }
  const { processes, quality } = JSON.parse(run([SONDE, 'info', '--json', profile]));
  const unrecorded: string[] = quality.notes.filter((note: string) => note.includes('not recorded'));
  return {
    text: [`Recorded, it runs to its end: ${processes.length} processes.`, '', ...(unrecorded.length > 0 ? unrecorded.map((note) => `- ${note}`) : ['All of them were recorded.'])],
    verdict: 'works',
  };
}

// --- the page -------------------------------------------------------------------------------------------------------------------------------

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { output: { type: 'string', default: 'docs/field.md' } },
  });
  const names = [...PROGRAMS, ...BROWSERS].map(({ name }) => name);
  for (const name of positionals) if (!names.includes(name)) throw new Error(`no program '${name}'; there are: ${names.join(', ')}`);
  const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  const scratch = mkdtempSync(path.join(tmpdir(), 'sonde-field-'));
  chmodSync(scratch, 0o755);
  if (IS_ROOT) chmodSync(scratch, 0o1777);
  const missing: string[] = [], failed: string[] = [];
  const attempt = async (name: string, work: () => Promise<Outcome>): Promise<string[]> => {
    try {
      const { text, verdict } = await work();
      console.log(`${name}: ${verdict}`);
      if (verdict !== 'close' && verdict !== 'works' && !verdict.includes('with few samples')) failed.push(name);
      return text;
    } catch (error) {
      const message = (error as Error).message;
      console.log(`${name}: ${error instanceof Missing ? 'skipped' : 'failed'}: ${message}`);
      (error instanceof Missing ? missing : failed).push(error instanceof Missing ? `${name} (${message})` : name);
      return [error instanceof Missing ? `Not tried: ${message}.` : `Failed: ${message.split('\n')[0]}.`];
    }
  };
  const chapters: string[] = [];
  try {
    for (const program of PROGRAMS)
      if (wanted(program.name))
        chapters.push([`## ${program.name}`, '', `${program.what[0].toUpperCase()}${program.what.slice(1)}.`, '', ...(await attempt(program.name, () => compare(program, scratch))), ''].join('\n'));
    for (const browser of BROWSERS)
      if (wanted(browser.name)) chapters.push([`## ${browser.name}`, '', ...(await attempt(browser.name, () => browse(browser, scratch))), ''].join('\n'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const page = [
    '# Field test',
    '',
    'Written by `./dev field`: real programs from Debian packages under `sonde record` with its defaults and under',
    '`perf record -e cpu-clock -F 1000`, one after the other, with the same work. The ten functions in which perf finds the most CPU',
    'time, and those that only Sonde finds hot.',
    '',
    '- Shares of functions are of the CPU time in user code, so that the kernel, which is seen in different ways, does not blur them.',
    '- `(kernel and start)` is one line for both, as a share of all CPU time: samples at kernel addresses, what Sonde shows as kernel time,',
    '  page faults or the start of a program, and for both what is right behind a system call or in the dynamic linker: Sonde begins when that has',
    '  done its work, and shows it as one with exec. What Sonde itself needs to begin is left out: perf runs without it.',
    '- `(not sampled)` is CPU time of programs that ended before their first sample. perf does not know of it.',
    '- Functions of Python count for the function that runs them.',
    '- Both give addresses, and names are looked up in the same way (`bench/elf.ts`). Packages have no debug symbols: a function without',
    '  a name is shown as `file+0xaddress`; with `…` it is code without unwind information that begins there.',
    `- Differences above ${CLOSE} points are bold. They count where both have ${ENOUGH} samples or more.`,
    '',
    `${cpus()[0].model}, ${cpus().length} cores, Linux ${release()}${IS_ROOT ? '' : '; perf may not look into the kernel, and shows none of its time'}. Missing on this machine: ${missing.join(', ') || 'nothing'}.`,
    '',
    ...chapters,
  ].join('\n');
  writeFileSync(options.output, `${page.trimEnd()}\n`);
  console.log(`${options.output} is written; ${failed.length === 0 ? 'nothing differs' : `not as it should be: ${failed.join(', ')}`}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

await main();
