#!/usr/bin/env python3
"""Builds report.html, what all reports of `sonde report` begin with, into the folder of the page.

usage: web/build_report.py FOLDER ENGINE

All of the page in one file: style, script, the script of the worker, and ENGINE (sonde.wasm), packed. The profiles, and the
end of the document, are written behind it (src/export/html.c). Browsers let it run these scripts and no others, whatever is
in a profile, and let it ask no network.
"""

import base64
import gzip
import hashlib
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
from esbuild import bundle

HERE = pathlib.Path(__file__).resolve().parent


def one_script(entry, folder):
    out = pathlib.Path(folder) / "bundle"
    bundle(entry, "--format=iife", f"--outfile={out}")
    return out.read_text().strip()


def embedded(kind, name, text):
    # Nothing in the text may end its element; esbuild sees to that in what it writes.
    assert not re.search(r"</script|<!--", text, re.IGNORECASE), f"{name} would end its element"
    return f'<script type="{kind}" id="{name}">{text}</script>'


def main(folder, engine):
    with tempfile.TemporaryDirectory() as scratch:
        style = one_script("src/main.css", scratch)
        script = one_script("src/main.tsx", scratch)
        worker = one_script("src/transport/wasm_worker.ts", scratch)
    packed = base64.b64encode(gzip.compress(pathlib.Path(engine).read_bytes(), 9, mtime=0)).decode()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval'; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    index = (HERE / "src/index.html").read_text()
    head, body = index.split("</head>")
    head = re.sub(r'<link rel="stylesheet".*?>\n|<script.*?</script>\n', "", head)
    head = head.replace("<head>\n", f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n')
    # A module runs when all of the document is there.
    report = [
        head + f"<style>{style}</style>\n</head>" + body.split("</body>")[0],
        embedded("text/plain", "sonde-worker", worker),
        embedded("application/octet-stream", "sonde-engine", packed),
        f'<script type="module">{script}</script>',
        "",
    ]
    (pathlib.Path(folder) / "report.html").write_text("\n".join(report))


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
