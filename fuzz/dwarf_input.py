#!/usr/bin/env python3
"""dwarf_input.py PROGRAM [split|alternate FILE]: an input of the fuzz target `dwarf`, of a program's debug information."""

import struct
import sys

NAMES = ["info", "abbrev", "line", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists", "aranges", "cu_index", ""]


def sections(path):
    """The sections of an ELF file of 64 bits: name -> (address, bytes)."""
    data = open(path, "rb").read()
    table = struct.unpack_from("<Q", data, 40)[0]
    size, count, names_index = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    names = headers[names_index][4]
    found = {}
    for name, kind, _, address, offset, length in headers:
        start = names + name
        found[data[start : data.index(b"\0", start)].decode()] = (address, b"" if kind == 8 else data[offset : offset + length])
    return found


def debug(found):
    return [next((found[name][1] for name in (f".debug_{n}", f".debug_{n}.dwo") if name in found), b"") for n in NAMES]


program = sections(sys.argv[1])
text_address, text = program[".text"]
flags = {"split": 1, "alternate": 2}[sys.argv[2]] if len(sys.argv) > 2 else 0
parts = debug(program) + (debug(sections(sys.argv[3])) if flags else [b""] * len(NAMES))
out = sys.stdout.buffer
out.write(struct.pack("<BQH", flags, text_address, max(1, len(text) // 255)))
for part in parts:
    out.write(struct.pack("<I", len(part))[:3])
for part in parts:
    out.write(part)
