#!/usr/bin/env python3
"""Packs the files of a built page into one C file, for src/server/page_files.h.

usage: web/pack_files.py FOLDER OUT.c

Every file of FOLDER is packed with gzip. The result depends on the files alone: not on their times, nor on the order in
which the file system has them.
"""

import gzip
import pathlib
import re
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
# As esbuild names them: page-J4KX2Q7A.js is another file when its content is another one.
HASHED = re.compile(r"-[A-Z0-9]{8}\.[a-z0-9]+$")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*$")
BYTES_A_LINE = 30


def string_literals(data):
    for start in range(0, len(data), BYTES_A_LINE):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[start : start + BYTES_A_LINE]) + '"\n'


def main(folder, out):
    files = sorted(path for path in pathlib.Path(folder).rglob("*") if not path.is_dir())
    if not any(path.name == "index.html" for path in files):
        return f"{folder}: there is no index.html"
    bytes_of, table = [], []
    for number, path in enumerate(files):
        name = path.relative_to(folder).as_posix()
        if not NAME.match(name):
            return f"{path}: files of the page have plain names, and no folders"
        if path.suffix not in TYPES:
            return f"{path}: nobody knows the type of such files"
        packed = gzip.compress(path.read_bytes(), 9, mtime=0)
        bytes_of.append(f"static const char file_{number}[] =\n" + "".join(string_literals(packed)).rstrip("\n") + ";\n")
        immutable = "true" if HASHED.search(name) else "false"
        table.append(f'    {{"{name}", "{TYPES[path.suffix]}", file_{number}, sizeof file_{number} - 1, {immutable}}},\n')
    text = (
        '#include "server/page_files.h"\n\n'
        + "\n".join(bytes_of)
        + "\nstatic const struct page_file files[] = {\n"
        + "".join(table)
        + "};\n\nconst struct page_files page_files = {files, sizeof files / sizeof *files};\n"
    )
    # What did not change is not compiled again.
    if not pathlib.Path(out).exists() or pathlib.Path(out).read_text() != text:
        pathlib.Path(out).write_text(text)
    return 0


if len(sys.argv) != 3:
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
