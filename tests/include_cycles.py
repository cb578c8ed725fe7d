#!/usr/bin/env python3
"""Finds cycles of modules within the folders of src/: a module is a header and its source, with NAME_private.h if there is one.

Two modules of which each includes the other can only be understood together. KNOWN has the cycles that are left; one that is not
there any more is to be taken out, so the list only gets shorter.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"

# By their first module, in order of the alphabet, with how many they are.
KNOWN = {
    "cli/help": 4,
    "common/byte_source": 2,
    "common/json_input": 2,
    "import/session": 2,
    "looker/look": 2,
    "markers/catalog": 3,
    "markers/derive": 3,
    "rows/shares": 2,
    "symbols/api": 2,
    "symbols/apply": 2,
    "symbols/debug_file": 5,
    "symbols/dwarf/functions": 10,
    "symbols/symbol_notes": 2,
    "trace/trace_read": 2,
    "tree/line_sums": 2,
    "tree/strategy": 2,
    "unwind/aarch64/step": 6,
    "unwind/module_load": 2,
}


def module_of(path):
    name = path.rsplit(".", 1)[0]
    return name.removesuffix("_private")


def read_includes():
    includes = {}
    for path in sorted(ROOT.rglob("*.[ch]")):
        module = module_of(str(path.relative_to(ROOT)))
        targets = includes.setdefault(module, set())
        for line in path.read_text().splitlines():
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if include and module_of(include[1]) != module:
                targets.add(module_of(include[1]))
    return {module: {target for target in targets if target in includes} for module, targets in includes.items()}


def find_cycles(includes):
    """Tarjan's algorithm, without recursion: the groups of modules that lead to each other."""
    index, low, stack, on_stack, cycles = {}, {}, [], set(), []
    for start in sorted(includes):
        work = [(start, iter(sorted(includes[start])))] if start not in index else []
        while work:
            module, targets = work[-1]
            if module not in index:
                index[module] = low[module] = len(index)
                stack.append(module)
                on_stack.add(module)
            target = next((each for each in targets if each not in index or each in on_stack), None)
            if target is not None and target not in index:
                work.append((target, iter(sorted(includes[target]))))
                continue
            if target is not None:
                low[module] = min(low[module], index[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[module])
            if low[module] == index[module]:
                group = []
                while not group or group[-1] != module:
                    group.append(stack.pop())
                    on_stack.discard(group[-1])
                if len(group) > 1:
                    cycles.append(sorted(group))
    return cycles


def main():
    found = {cycle[0]: cycle for cycle in find_cycles(read_includes())}
    wrong = 0
    for first, cycle in sorted(found.items()):
        if len(cycle) > KNOWN.get(first, 1):
            print(f"these include each other: {', '.join(cycle)}")
            wrong += 1
    for first, count in sorted(KNOWN.items()):
        if len(found.get(first, [first])) < count:
            print(f"the cycle of {first} has become smaller: tests/include_cycles.py is to say so")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
