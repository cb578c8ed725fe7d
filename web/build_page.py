#!/usr/bin/env python3
"""Builds the local page into a folder of files.

usage: web/build_page.py FOLDER

esbuild makes one script of src/main.tsx, and chunks of what is loaded later, or of both; their names have a hash of what is
in them, which index.html is told. What the first script needs is fetched beside it, and not after it.
"""

import json
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
from esbuild import bundle

HERE = pathlib.Path(__file__).resolve().parent


def needed_by(outputs, name, found):
    """The scripts that one imports, and those that these import."""
    for imported in outputs[name]["imports"]:
        if imported["kind"] == "import-statement" and imported["path"] not in found:
            found.append(imported["path"])
            needed_by(outputs, imported["path"], found)
    return found


def main(folder):
    out = pathlib.Path(folder).resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    meta = out.parent / f"{out.name}.meta.json"
    bundle(
        "src/main.tsx", "src/main.css", "--format=esm", "--splitting",
        "--entry-names=[name]-[hash]", "--chunk-names=[name]-[hash]", f"--outdir={out}", f"--metafile={meta}",
    )  # fmt: skip
    index = (HERE / "src/index.html").read_text()
    outputs = json.loads(meta.read_text())["outputs"]
    preloads = ""
    for name, output in outputs.items():
        if entry := output.get("entryPoint"):
            written = pathlib.PurePath(name).name
            index = index.replace(f'"{pathlib.PurePath(entry).stem}{pathlib.PurePath(written).suffix}"', f'"{written}"')
            if entry == "src/main.tsx":
                needed = [pathlib.PurePath(path).name for path in needed_by(outputs, name, [])]
                preloads = "".join(f'<link rel="modulepreload" href="{chunk}">\n' for chunk in needed)
    index = index.replace("</head>", f"{preloads}</head>")
    (out / "index.html").write_text(index)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
