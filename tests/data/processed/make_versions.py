#!/usr/bin/env python3
"""Writes versions.json: one profile, in every version of the processed format from 50 to 75.

usage: tests/data/processed/make_versions.py > tests/data/processed/versions.json

The profile has two threads with strings, funcs and resources in common. Each version is written with the tables and columns
of its time; a reader that brings all of them to the newest version gets the same profile 26 times, but for what old versions
cannot say (see tests/import/processed_versions.c)."""

import json

NONE = None

LIBS = [
    {"arch": "", "name": "libone.so", "path": "/lib/libone.so", "debugName": "libone.so", "debugPath": "/lib/libone.so",
     "breakpadId": "AAAA0", "codeId": None},
    {"arch": "", "name": "libtwo.so", "path": "/lib/libtwo.so", "debugName": "libtwo.so", "debugPath": "/lib/libtwo.so",
     "breakpadId": "BBBB0", "codeId": "bbbb"},
]
IMPLEMENTATIONS = ["baseline", "ion"]
CATEGORIES = ["Other", "JavaScript", "Layout"]
COLORS = ["grey", "yellow", "purple"]

# name, is JS, relevant for JS, resource, file name, line, column
FUNCS = {
    "main": ("main", False, False, 0, NONE, NONE, NONE),
    "label": ("label", False, True, NONE, NONE, NONE, NONE),
    "run": ("run", True, False, 1, "https://a.example/run.js", 3, 7),
    "leaf": ("leaf", False, False, 2, NONE, NONE, NONE),
    "other": ("other", True, False, 1, "https://a.example/other.js", 30, NONE),
}
# type, lib, name, host
RESOURCES = [(1, 0, "libone.so", NONE), (3, NONE, "https://a.example", "a.example"), (1, 1, "libtwo.so", NONE)]
# lib, address, name, size
SYMBOLS = [(0, 0x100, "main", 64), (1, 0x200, "leaf", NONE)]

# func, address, inline depth, category, subcategory, symbol, implementation, window, line, column
THREADS = [
    {
        "funcs": ["main", "label", "run", "leaf"],
        "frames": [
            ("main", 0x110, 0, 0, 0, 0, NONE, 0, 12, NONE),
            ("label", NONE, 0, NONE, NONE, NONE, NONE, 0, NONE, NONE),
            ("run", NONE, 0, 1, 0, NONE, "baseline", 5, 4, 9),
            ("run", NONE, 0, 1, 0, NONE, "ion", 5, 4, 9),
            ("leaf", 0x210, 1, 2, 0, 1, NONE, 0, 99, NONE),
        ],
        "stacks": [(0, NONE), (1, 0), (2, 1), (3, 1), (4, 3)],
        "samples": [2, 4, NONE, 3],
        "deltas": [1.5, 1, 1.25, 1],
        "markers": [
            # name, start, end, phase, category, payload; strings by index are written as ("string", text)
            ("Paint", 1.5, 2.5, 1, 2, {"type": "Unique", "name": ("string", "by index"), "innerWindowID": 6,
                                       "cause": {"tid": 11, "time": 1.25, "stack": 2}}),
            ("Tick", 2, NONE, 0, 0, NONE),
            ("ExtensionParent", 3, NONE, 0, 0, {"type": "Text", "name": "some@extension, api_call: runtime.get"}),
            ("Trace", 3, NONE, 2, 0, {"type": "tracing", "category": "DOM"}),
        ],
    },
    {
        "funcs": ["main", "other", "run"],
        "frames": [
            ("main", 0x120, 0, 0, 0, 0, NONE, 0, 13, NONE),
            ("other", NONE, 0, 1, 0, NONE, "ion", 0, 31, 2),
            ("run", NONE, 0, 1, 0, NONE, NONE, 7, 5, 1),
        ],
        "stacks": [(0, NONE), (1, 0), (2, 1), (1, 2)],
        "samples": [3, 1],
        "deltas": [2, 1],
        "markers": [("Tick", 2, NONE, 0, 0, {"type": "Unique", "name": ("string", "by index")})],
    },
]
SCHEMAS = [
    {"name": "Unique", "display": ["marker-chart"], "tableLabel": "{marker.data.name}",
     "fields": [{"key": "name", "label": "Name", "format": "unique-string"}], "description": "Says a name."},
    {"name": "Text", "display": ["marker-table"], "fields": [{"key": "name", "label": "Details", "format": "string"}]},
    {"name": "Network", "display": ["marker-table"], "fields": [{"key": "URI", "format": "url"}]},
    {"name": "FileIO", "display": ["marker-table"], "fields": [{"key": "operation", "format": "string"}]},
]


class Strings:
    def __init__(self):
        self.list = []

    def index(self, text):
        if text is None:
            return None
        if text not in self.list:
            self.list.append(text)
        return self.list.index(text)


def columns(rows, names):
    table = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    table["length"] = len(rows)
    return table


def frame_table(version, frames, strings, func_index, symbol_index):
    rows = {name: [] for name in ("address inlineDepth category subcategory func nativeSymbol innerWindowID line column "
                                  "lib implementation originalLocation flags").split()}
    for name, address, depth, category, subcategory, symbol, implementation, window, line, column in frames:
        resource = FUNCS[name][3]
        lib = RESOURCES[resource][1] if resource is not None else None
        if version >= 54 and implementation is not None:
            category, subcategory = 1, 1 + IMPLEMENTATIONS.index(implementation)
        rows["address"].append(-1 if address is None else address)
        rows["lib"].append(-1 if lib is None else lib)
        rows["inlineDepth"].append(depth)
        rows["category"].append(category)
        rows["subcategory"].append(subcategory)
        rows["func"].append(func_index(name))
        rows["nativeSymbol"].append(None if symbol is None else symbol_index(symbol))
        rows["innerWindowID"].append(window)
        rows["line"].append(line)
        rows["column"].append(column)
        rows["implementation"].append(strings.index(implementation))
        rows["originalLocation"].append(None)
        flags = 1 * (depth > 0) | 4 * (category is not None) | 8 * (symbol is not None)
        flags |= 2 * (address is not None and lib is not None) | 16 * (line is not None) | 32 * (column is not None)
        rows["flags"].append(flags)
        if version >= 71:
            if not flags & 2:
                rows["address"][-1] = rows["lib"][-1] = 0
            for key in ("category", "subcategory", "nativeSymbol", "line", "column", "originalLocation"):
                if rows[key][-1] is None:
                    rows[key][-1] = 0
    wanted = ["address", "func", "nativeSymbol", "innerWindowID", "line", "column"]
    if version >= 53:
        wanted += ["category", "subcategory"]
    wanted += ["implementation"] if version < 54 else []
    wanted += ["originalLocation"] if version >= 64 else []
    wanted += ["lib"] if version >= 70 else []
    wanted += ["inlineDepth"] if version < 71 else ["flags"]
    return {**{key: rows[key] for key in wanted}, "length": len(frames)}


def stack_table(version, stacks, frames, frame_base, stack_base):
    rows = [(frame + frame_base, None if prefix is None else prefix + stack_base) for frame, prefix in stacks]
    table = {"frame": [frame for frame, _ in rows], "length": len(rows)}
    if version < 66:
        table["prefix"] = [prefix for _, prefix in rows]
    else:
        table["prefixOffset"] = [0 if prefix is None else i + stack_base - prefix for i, (_, prefix) in enumerate(rows)]
    if version < 53:
        table["category"] = [frames[frame][3] for frame, _ in stacks]
        table["subcategory"] = [frames[frame][4] for frame, _ in stacks]
    return table


def func_table(version, names, strings, sources):
    rows = []
    for key in names:
        name, is_js, relevant, resource, file_name, line, column = FUNCS[key]
        row = {"name": strings.index(name), "lineNumber": line, "columnNumber": column}
        row["resource"] = -1 if resource is None else resource
        if version < 58:
            row["fileName"] = strings.index(file_name)
        else:
            row["source"] = None if file_name is None else sources(file_name)
        if version >= 64:
            row["originalLocation"] = None
        if version < 75:
            row["isJS"], row["relevantForJS"] = is_js, relevant
        else:
            row["flags"] = (is_js | 2 * relevant | 4 * (resource is not None) | 8 * (file_name is not None) |
                            16 * (line is not None) | 32 * (column is not None))
            for cell in ("resource", "source", "lineNumber", "columnNumber", "originalLocation"):
                row[cell] = 0 if row[cell] is None or row[cell] == -1 else row[cell]
        rows.append(row)
    return {**{key: [row[key] for row in rows] for key in rows[0]}, "length": len(rows)}


def resource_table(version, strings):
    rows = [(kind, lib, strings.index(name), strings.index(host)) for kind, lib, name, host in RESOURCES]
    table = columns(rows, ["type", "lib", "name", "host"])
    if version >= 70:
        del table["lib"]
    return table


def native_symbols(version, strings):
    unknown = -1 if version >= 74 else None
    rows = [(lib, address, strings.index(name), unknown if size is None else size) for lib, address, name, size in SYMBOLS]
    return columns(rows, ["libIndex", "address", "name", "functionSize"])


def marker_table(version, markers, strings, stack_base):
    rows = []
    for name, start, end, phase, category, payload in markers:
        payload = dict(payload) if payload else None
        if payload and "cause" in payload:
            payload["cause"] = {**payload["cause"], "stack": payload["cause"]["stack"] + stack_base}
        if payload and isinstance(payload.get("name"), tuple):
            payload["name"] = strings.index(payload["name"][1])
        if version >= 72 and name == "ExtensionParent":
            payload = {"type": "ExtensionText", "name": "api_call: runtime.get", "extensionId": "some@extension"}
        rows.append((strings.index(name), start, end, phase, category, payload))
    return columns(rows, ["name", "startTime", "endTime", "phase", "category", "data"])


def schemas(version):
    result = json.loads(json.dumps(SCHEMAS))
    for schema in result:
        if version < 57:
            for field in schema["fields"]:
                field["searchable"] = True
        if version < 55:
            schema["data"] = schema.pop("fields")
            if "description" in schema:
                schema["data"].insert(0, {"label": "Description", "value": schema.pop("description")})
    if version >= 52:
        key = "data" if version < 55 else "fields"
        field = {"key": "category", "label": "Type", "format": "string"}
        result.append({"name": "tracing", "display": ["marker-chart", "marker-table", "timeline-overview"], key: [field]})
    if version >= 69:
        result[2]["display"].append("timeline-network")
    if version >= 72:
        result[1]["fields"][0]["containsPII"] = ["url"]
        result[2]["fields"][0]["containsPII"] = ["url"]
        for key, kind in (("RedirectURI", "url"), ("isPrivateBrowsing", "private-browsing")):
            result[2]["fields"].append({"key": key, "format": "string", "hidden": True, "containsPII": [kind]})
        label = "{marker.data.extensionId}{marker.data.extensionId ? ', ' : ''}{marker.data.name}"
        result.append({"name": "ExtensionText", "tableLabel": label, "chartLabel": label,
                       "display": ["marker-chart", "marker-table"], "fields": [
                           {"key": "extensionId", "label": "Extension ID", "format": "string",
                            "containsPII": ["extension-id"]},
                           {"key": "name", "label": "Details", "format": "string", "containsPII": ["url"]}]})
    if version >= 73:
        result[3]["tableLabel"] = ("{marker.data.source ? '(' : ''}{marker.data.source}{marker.data.source ? ') ' : ''}"
                                   "{marker.data.operation}{marker.data.filename ? ' \u2014 ' : ''}{marker.data.filename}")
    return result


def profile(version):
    shared_strings = Strings()
    file_names, frames, stacks, funcs = [], [], [], []

    def source(file_name):
        if file_name not in file_names:
            file_names.append(file_name)
        return file_names.index(file_name)

    threads = []
    for number, thread in enumerate(THREADS):
        strings = shared_strings if version >= 56 else Strings()
        if version < 56:
            strings.index(f"only in thread {number}")
        stack_base = len(stacks) if version >= 60 else 0
        frame_base = len(frames) if version >= 60 else 0
        for name in thread["funcs"]:
            if name not in funcs:
                funcs.append(name)
        written = {
            "processType": "default", "processStartupTime": 0, "processShutdownTime": None, "registerTime": 0,
            "unregisterTime": None, "pausedRanges": [], "name": ["GeckoMain", "Worker"][number],
            "isMainThread": number == 0, "pid": "10", "tid": 11 + number,
            "markers": marker_table(version, thread["markers"], strings, stack_base),
            "samples": {"stack": [None if s is None else s + stack_base for s in thread["samples"]],
                        "timeDeltas": thread["deltas"], "weight": None, "weightType": "samples",
                        "length": len(thread["samples"])},
        }
        if version < 60:
            written["frameTable"] = frame_table(version, thread["frames"], strings, thread["funcs"].index, lambda s: s)
            written["stackTable"] = stack_table(version, thread["stacks"], thread["frames"], 0, 0)
            written["funcTable"] = func_table(version, thread["funcs"], strings, source)
            written["resourceTable"] = resource_table(version, strings)
            written["nativeSymbols"] = native_symbols(version, strings)
        else:
            stacks += [(f + frame_base, None if p is None else p + stack_base) for f, p in thread["stacks"]]
            frames += thread["frames"]
        if version < 56:
            written["stringArray"] = strings.list
        windows = [5, 6] if number == 0 else [7]
        if version >= 59:
            written["usedInnerWindowIDs"] = windows
        threads.append(written)

    categories = [{"name": name, "color": color, "subcategories": ["Other"]} for name, color in zip(CATEGORIES, COLORS)]
    if version >= 54:
        categories[1]["subcategories"] += [f"JIT ({name})" for name in IMPLEMENTATIONS]
    result = {
        "meta": {"interval": 1, "startTime": 1000, "processType": 0, "product": "Test", "stackwalk": 1, "version": 36,
                 "preprocessedProfileVersion": version, "categories": categories, "markerSchema": schemas(version),
                 "symbolicated": True},
        "libs": LIBS,
    }
    counter = {"name": "malloc", "category": "Memory", "description": "Heap", "pid": "10", "mainThreadIndex": 0,
               "samples": {"timeDeltas": [1, 2], "number": [3, 4], "count": [100, -50], "length": 2}}
    if version < 62:
        counter["color"] = "red"
    else:
        counter["display"] = {"graphType": "line-accumulated", "unit": "bytes", "color": "red",
                              "markerSchemaLocation": "timeline-memory", "sortWeight": 20, "label": "Memory"}
    if version >= 63:
        counter["display"]["tooltipRows"] = []
    result["counters"] = [counter]
    if version >= 56:
        shared = {"stringArray": shared_strings.list}
        if version >= 60:
            shared["stackTable"] = stack_table(version, stacks, frames, 0, 0)
            shared["frameTable"] = frame_table(version, frames, shared_strings, funcs.index, lambda s: s)
            shared["funcTable"] = func_table(version, funcs, shared_strings, source)
            shared["resourceTable"] = resource_table(version, shared_strings)
            shared["nativeSymbols"] = native_symbols(version, shared_strings)
        if version >= 58:
            count = len(file_names)
            sources = {"filename": [shared_strings.index(name) for name in file_names], "length": count}
            sources["uuid" if version < 61 else "id"] = [None] * count
            if version >= 61:
                sources.update(startLine=[1] * count, startColumn=[1] * count, sourceMapURL=[None] * count)
            if version >= 64:
                sources["content"] = [None] * count
                shared["sourceLocationTable"] = {"source": [], "line": [], "column": [], "length": 0}
            shared["sources"] = sources
        result["shared"] = shared
    result["threads"] = threads
    return result


print("[" + ",\n".join(json.dumps(profile(version), separators=(",", ":")) for version in range(50, 76)) + "]")
