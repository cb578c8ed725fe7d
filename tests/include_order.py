#!/usr/bin/env python3
"""Checks that #include lines only point to the left on the map (docs/architecture.md).

    common <- ipc <- session <- unwind <- stack <- runtime <- looker <- capture <- preload
    common <- ipc <- session <- rows;  looker <- record
    allocations <- capture, preload_allocations, record, import;  common <- preload_allocations
    common <- profile <- markers <- trace <- import, export, symbols, tree <- print <- api <- server, top <- cli
    common <- profile <- markers <- trace <- import, tree <- print <- api <- wasm

`import` and `export` also read `session` and `rows`; `symbols` reads unwind tables with `unwind`; `capture` runs the `looker` in programs that record themselves, and writes
Gecko profiles with `export`; `cli` starts `record`.
Folders of one column do not know each other.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAY_INCLUDE = {
    "common": set(),
    "ipc": {"common"},
    "session": {"common", "ipc"},
    "allocations": set(),
    "rows": {"common", "ipc", "session"},
    "unwind": {"common", "ipc", "session"},
    "stack": {"common", "ipc", "session", "unwind"},
    "runtime": {"common", "ipc", "session", "unwind", "stack"},
    "looker": {"common", "ipc", "session", "unwind", "stack", "runtime"},
    "capture": {"common", "ipc", "session", "allocations", "unwind", "stack", "runtime", "looker", "export"},
    "preload": {"common", "ipc", "session", "capture"},
    "preload_allocations": {"common", "allocations"},
    "record": {"common", "ipc", "session", "allocations", "unwind", "stack", "runtime", "looker"},
    "profile": {"common"},
    "markers": {"common", "profile"},
    "trace": {"common", "profile", "markers"},
}
ANALYSIS = ("import", "export", "symbols", "tree")
for folder in ANALYSIS:
    MAY_INCLUDE[folder] = {"common", "profile", "markers", "trace"}
MAY_INCLUDE["import"] |= {"session", "rows", "allocations"}
MAY_INCLUDE["export"] |= {"session", "rows"}
MAY_INCLUDE["symbols"] |= {"unwind"}
# Neither importers nor symbols, which have threads, files and sockets.
MAY_INCLUDE["print"] = {"common", "profile", "markers", "trace", "tree"}
MAY_INCLUDE["api"] = MAY_INCLUDE["print"] | {"print"}
MAY_INCLUDE["top"] = MAY_INCLUDE["api"] | {"api"}
# What a recording looks like, to say that it is none for a page.
MAY_INCLUDE["wasm"] = MAY_INCLUDE["api"] | {"api", "import", "session"}
MAY_INCLUDE["server"] = {"common", "profile", "markers", "trace", *ANALYSIS, "print", "api"}
MAY_INCLUDE["cli"] = MAY_INCLUDE["server"] | {"server", "top", "ipc", "session", "record"}


def main():
    wrong = 0
    for path in sorted(ROOT.glob("src/*/**/*.[ch]")):
        name = path.relative_to(ROOT)
        folder = name.parts[1]
        if folder not in MAY_INCLUDE:
            print(f"{name}: folder {folder} is not on the map")
            wrong += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not include:
                continue
            target = include[1].split("/")[0] if "/" in include[1] else folder
            if target not in MAY_INCLUDE[folder] | {folder, "sonde"}:
                print(f'{name}:{number}: {folder} may not include "{include[1]}"')
                wrong += 1
    return 1 if wrong else 0


sys.exit(main())
