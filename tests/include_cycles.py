#!/usr/bin/env python3
"""Finds cycles of modules within the folders of src/: a module is a header and its source, with NAME_private.h if there is one.

Two modules of which each includes the other can only be understood together. Where one appears: what both share goes into a header
below both, a function to where its data is, or the upper part into a file of its own.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"


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
    cycles = find_cycles(read_includes())
    for cycle in sorted(cycles):
        print(f"these include each other: {', '.join(cycle)}")
    return 1 if cycles else 0


if __name__ == "__main__":
    sys.exit(main())
