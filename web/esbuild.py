"""Runs esbuild: the program itself, since the one that npm puts beside it is a script for node."""

import pathlib
import platform
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


def bundle(*arguments):
    """Makes one script, or one style, of each of the entries among the arguments."""
    esbuild = HERE / f"node_modules/@esbuild/linux-{MACHINES[platform.machine()]}/bin/esbuild"
    usual = ["--bundle", "--minify", "--target=es2022", "--legal-comments=none", "--log-level=warning"]
    subprocess.run([esbuild, *arguments, *usual], cwd=HERE, check=True)
