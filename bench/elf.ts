// Which function an address of an ELF file is in, with or without symbols: enough to count samples of two profilers in the same way.
//
// Functions are those of the symbol tables, of the separate debug file where there is one, and those that unwind information tells
// apart. What lies between them is one function from the end of the last: assembly without either.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Section = { name: string; type: number; address: number; offset: number; size: number; link: number; entry: number };
type Segment = { offset: number; address: number; size: number };
type Func = { start: number; end: number; name: string | null };

const SHT_SYMTAB = 2, SHT_DYNSYM = 11, PT_LOAD = 1, STT_FUNC = 2, STT_GNU_IFUNC = 10;
const PCREL_SDATA4 = 0x1b, DATAREL_SDATA4 = 0x3b, UDATA4 = 0x03;

const number = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

const text = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, bytes.indexOf(0, at));

function sectionsOf(bytes: Buffer): Section[] {
  const table = number(bytes, 0x28), size = bytes.readUInt16LE(0x3a), count = bytes.readUInt16LE(0x3c), names = bytes.readUInt16LE(0x3e);
  const at = (i: number): number => table + i * size;
  const strings = count > 0 ? number(bytes, at(names) + 0x18) : 0;
  return Array.from({ length: count }, (_, i) => ({
    name: text(bytes, strings + bytes.readUInt32LE(at(i))),
    type: bytes.readUInt32LE(at(i) + 4),
    address: number(bytes, at(i) + 0x10),
    offset: number(bytes, at(i) + 0x18),
    size: number(bytes, at(i) + 0x20),
    link: bytes.readUInt32LE(at(i) + 0x28),
    entry: number(bytes, at(i) + 0x38),
  }));
}

function symbolsOf(bytes: Buffer, sections: Section[]): Func[] {
  const functions: Func[] = [];
  for (const { type, offset, size, link } of sections) {
    if (type !== SHT_SYMTAB && type !== SHT_DYNSYM) continue;
    const strings = sections[link].offset;
    for (let at = offset; at + 24 <= offset + size; at += 24) {
      const kind = bytes[at + 4] & 15, start = number(bytes, at + 8);
      const isDefined = bytes.readUInt16LE(at + 6) !== 0;
      if (isDefined && (kind === STT_FUNC || kind === STT_GNU_IFUNC))
        functions.push({ start, end: start + number(bytes, at + 16), name: text(bytes, strings + bytes.readUInt32LE(at)) });
    }
  }
  return functions;
}

/** The functions that unwind information knows, from the sorted table of .eh_frame_hdr. */
function unwoundOf(bytes: Buffer, sections: Section[]): Func[] {
  const header = sections.find(({ name }) => name === '.eh_frame_hdr');
  const frames = sections.find(({ name }) => name === '.eh_frame');
  if (!header || !frames) return [];
  const [, pointer, count, table] = bytes.subarray(header.offset, header.offset + 4);
  if (pointer !== PCREL_SDATA4 || count !== UDATA4 || table !== DATAREL_SDATA4) return [];
  const functions: Func[] = [];
  for (let i = 0; i < bytes.readUInt32LE(header.offset + 8); i++) {
    const at = header.offset + 12 + i * 8;
    const start = header.address + bytes.readInt32LE(at);
    const entry = header.address + bytes.readInt32LE(at + 4) - frames.address + frames.offset;
    functions.push({ start, end: start + bytes.readUInt32LE(entry + 12), name: null });
  }
  return functions;
}

function debugFileOf(bytes: Buffer, sections: Section[]): string | null {
  const note = sections.find(({ name }) => name === '.note.gnu.build-id');
  if (!note) return null;
  const id = bytes.toString('hex', note.offset + 16, note.offset + note.size);
  const file = `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`;
  return existsSync(file) ? file : null;
}

export class ElfFile {
  private readonly bytes: Buffer;
  private readonly segments: Segment[] = [];
  private readonly functions: Func[];
  private readonly name: string;

  constructor(file: string) {
    this.name = path.basename(file);
    this.bytes = readFileSync(file);
    const bytes = this.bytes;
    if (bytes.toString('latin1', 0, 4) !== '\x7fELF' || bytes[4] !== 2) throw new Error(`${file} is no ELF file of 64 bits`);
    const table = number(bytes, 0x20), size = bytes.readUInt16LE(0x36), count = bytes.readUInt16LE(0x38);
    for (let at = table; at < table + count * size; at += size)
      if (bytes.readUInt32LE(at) === PT_LOAD)
        this.segments.push({ offset: number(bytes, at + 8), address: number(bytes, at + 0x10), size: number(bytes, at + 0x20) });
    const sections = sectionsOf(bytes);
    const named = symbolsOf(bytes, sections);
    const debugFile = debugFileOf(bytes, sections);
    if (debugFile) {
      const debug = readFileSync(debugFile);
      named.push(...symbolsOf(debug, sectionsOf(debug)));
    }
    this.functions = merged(named, unwoundOf(bytes, sections));
  }

  /** Where the file begins in its own addresses: not at 0 in programs that are not position-independent. */
  get base(): number {
    return Math.floor(Math.min(...this.segments.map(({ address }) => address)) / 4096) * 4096;
  }

  get isDynamicLinker(): boolean {
    return this.name.startsWith('ld-linux');
  }

  addressOfOffset(offset: number): number {
    const segment = this.segments.find((candidate) => offset >= candidate.offset && offset < candidate.offset + candidate.size);
    return segment ? offset - segment.offset + segment.address : offset;
  }

  /** True right behind a system call, where a thread is that is in the kernel. */
  isAfterSystemCall(address: number): boolean {
    const segment = this.segments.find((candidate) => address >= candidate.address + 2 && address <= candidate.address + candidate.size);
    return segment !== undefined && this.bytes.readUInt16LE(address - segment.address + segment.offset - 2) === 0x050f;
  }

  functionAt(address: number): string {
    let low = 0, high = this.functions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.functions[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    const func = this.functions[low - 1];
    if (!func) return `${this.name}+0x0`;
    if (address < func.end) return func.name ?? `${this.name}+0x${func.start.toString(16)}`;
    return func.name && func.end === func.start ? func.name : `${this.name}+0x${func.end.toString(16)}…`;
  }
}

/** One function for each start: the name that comes first, the larger end. */
function merged(named: Func[], unwound: Func[]): Func[] {
  const byStart = new Map<number, Func>();
  for (const func of [...named, ...unwound]) {
    const known = byStart.get(func.start);
    if (!known) byStart.set(func.start, { ...func });
    else {
      known.end = Math.max(known.end, func.end);
      if (known.name === null || (func.name !== null && func.name < known.name)) known.name = func.name ?? known.name;
    }
  }
  return [...byStart.values()].sort((a, b) => a.start - b.start);
}
