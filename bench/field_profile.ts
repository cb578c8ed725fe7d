// The CPU time of a recorded program by function, from Sonde and from perf, counted in the same way.
//
// Both give addresses, and names come from bench/elf.ts for both: what is compared is where the time went, not how names are found.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { ElfFile } from './elf.ts';
import { looksOf } from './looks.ts';

export type Profile = {
  samples: number;
  kernel: number; // share of all CPU time in percent, with the dynamic linker
  functions: Map<string, number>; // share of the CPU time in user code in percent
};

const MOST = 1 << 30; // bytes of output

/** Sonde shows functions of Python in place of the function that runs them. */
const PYTHON_LOOP = '_PyEval_EvalFrameDefault';

const files = new Map<string, ElfFile | null>();

/** Under its real name: a library is loaded by one name and mapped by another. */
function elfFile(name: string): ElfFile | null {
  if (!existsSync(name)) return null;
  const path = realpathSync(name);
  let file = files.get(path);
  if (file === undefined) {
    try {
      file = new ElfFile(path);
    } catch {
      file = null;
    }
    files.set(path, file);
  }
  return file;
}

class Counter {
  private kernel = 0;
  private total = 0;
  private readonly functions = new Map<string, number>();

  add(name: string | null, weight: number): void {
    this.total += weight;
    if (name === null) this.kernel += weight;
    else this.functions.set(name, (this.functions.get(name) ?? 0) + weight);
  }

  profile(samples: number): Profile {
    const user = this.total - this.kernel;
    const shares = [...this.functions].map(([name, weight]): [string, number] => [name, (weight / user) * 100]);
    return { samples, kernel: (this.kernel / this.total) * 100, functions: new Map(shares) };
  }
}

/** A profile that `sonde record --no-symbols` wrote: its functions are addresses. */
export function readSonde(sonde: string, profile: string): Profile {
  const ask = (...args: string[]): any => JSON.parse(execFileSync(sonde, args, { encoding: 'utf8', maxBuffer: MOST }));
  const { modules } = ask('info', '--json', profile);
  const paths = new Map<string, string>(modules.map(({ name, path }: { name: string; path: string }) => [name, path]));
  const { functions } = ask('functions', profile, '--json', '--strategy', 'cpu', '--thread', 'all');
  const counter = new Counter();
  for (const { name, lib, self } of functions) {
    if (self === 0 || name === '(profiler start)') continue; // Sonde's own time, which perf's run does not have
    const file = elfFile(paths.get(lib) ?? '');
    if (/kernel|^\((program start|page fault)\)$/i.test(name) || /kernel/i.test(lib ?? '')) counter.add(null, self);
    else if (/\.py$|^<frozen /.test(lib ?? '')) counter.add(PYTHON_LOOP, self);
    else if (!/^0x/.test(name) || !file) counter.add(lib ? `in ${lib}` : name, self);
    else {
      const address = file.base + Number(name);
      counter.add(isKernel(file, address) ? null : file.functionAt(address), self);
    }
  }
  return counter.profile(looksOf(sonde, profile));
}

type Mapping = { start: number; end: number; offset: number; path: string };

/** What perf recorded. Where files are mapped is followed through fork and exec, because the addresses are those of the processes. */
export function readPerf(data: string): Profile {
  const args = ['script', '-i', data, '--show-mmap-events', '--show-task-events', '-F', 'pid,tid,ip'];
  const lines = execFileSync('perf', args, { encoding: 'latin1', maxBuffer: MOST, stdio: ['ignore', 'pipe', 'ignore'] }).split('\n');
  const processes = new Map<string, Mapping[]>();
  const counter = new Counter();
  let samples = 0;
  for (const line of lines) {
    const mmap = /PERF_RECORD_MMAP2? (-?\d+)\/-?\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: \S*x\S* (.*)$/.exec(line);
    const fork = /PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)/.exec(line);
    const exec = /PERF_RECORD_COMM exec: .*:(\d+)\/\d+$/.exec(line);
    const sample = /^\s*(\d+)\/\d+\s+([0-9a-f]+)\s*$/.exec(line);
    if (mmap) {
      const [, pid, start, size, offset, path] = mmap;
      const mappings = processes.get(pid) ?? [];
      mappings.push({ start: Number(start), end: Number(start) + Number(size), offset: Number(offset), path });
      processes.set(pid, mappings);
    } else if (fork) {
      if (fork[1] !== fork[2]) processes.set(fork[1], [...(processes.get(fork[2]) ?? [])]);
    } else if (exec) {
      processes.set(exec[1], []);
    } else if (sample) {
      const address = BigInt(`0x${sample[2]}`);
      samples++;
      counter.add(address >> 63n ? null : functionOf(processes.get(sample[1]) ?? [], Number(address)), 1);
    }
  }
  return counter.profile(samples);
}

/**
 * Right behind a system call an interrupt arrives that the kernel held back. And the dynamic linker: Sonde cannot begin before it has done
 * its work, and shows that as one with exec.
 */
const isKernel = (file: ElfFile, address: number): boolean => file.isDynamicLinker || file.isAfterSystemCall(address);

/** null: it counts for the kernel. */
function functionOf(mappings: Mapping[], ip: number): string | null {
  const mapping = mappings.findLast(({ start, end }) => ip >= start && ip < end);
  if (!mapping) return 'nowhere';
  const file = elfFile(mapping.path);
  if (!file) return `in ${mapping.path}`;
  const address = file.addressOfOffset(ip - mapping.start + mapping.offset);
  return isKernel(file, address) ? null : file.functionAt(address);
}
