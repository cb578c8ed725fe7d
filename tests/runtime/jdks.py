"""JDKs that are found here: those of /usr/lib/jvm, and those that SONDE_JDKS names, separated by colons. And how tests with each of
them are run, as TAP."""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import traceback

DEADLINE = 240  # seconds; whoever needs longer hangs
VERSIONS = ["17", "25"]
OTHER_VERSIONS = ["11", "21"]  # as well, where they are found


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Failed(message)


def version_of(home):
    """None: it is no JDK with HotSpot, or does not run."""
    try:
        said = subprocess.run([home / "bin/java", "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=DEADLINE).stderr
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"java\.specification\.version = (\S+)", said)
    return version[1] if version and (home / "lib/server/libjvm.so").exists() and (home / "bin/javac").exists() else None


def find_jdks():
    """(version, home) of each."""
    candidates = [pathlib.Path(path) for path in os.environ.get("SONDE_JDKS", "").split(":") if path]
    candidates += sorted(pathlib.Path("/usr/lib/jvm").glob("*"))
    found = {}
    for path in candidates:
        if (path / "bin/java").exists() and path.resolve() not in found:
            found[path.resolve()] = version_of(path.resolve())
    return [(version, path) for path, version in found.items() if version in VERSIONS + OTHER_VERSIONS]


def compiled(folder, home, source):
    """The folder of its classes: made once for each JDK."""
    classes = folder / f"{source.stem}-{home.name}"
    if not classes.exists():
        subprocess.run([home / "bin/javac", "-nowarn", "-d", classes, source], check=True, timeout=DEADLINE)
    return classes


def run(cases, only, listed):
    """`cases` are (name, function of a folder). Returns the exit status."""
    cases = [case for case in cases if only in case[0]]
    if listed:
        print("\n".join(name for name, _ in cases))
        return 0
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sonde-java-") as folder:
        for number, (name, function) in enumerate(cases, 1):
            try:
                function(folder=pathlib.Path(folder))
                print(f"ok {number} - {name}", flush=True)
            except Skipped as why:
                print(f"ok {number} - {name} # SKIP {why}", flush=True)
            except Exception as error:
                failed += 1
                print(f"not ok {number} - {name}", flush=True)
                lines = str(error) if isinstance(error, Failed) else traceback.format_exc()
                print("".join(f"# {line}\n" for line in lines.splitlines()), end="", flush=True)
    return failed > 0


def missing_versions(jdks):
    """A case, which is skipped, for each version that the walker is made for and that is not here."""
    for version in VERSIONS:
        if version not in [found for found, _ in jdks]:

            def skip(folder, version=version):
                raise Skipped(f"a JDK {version} is not installed")

            yield f"Java {version}", skip


def options(usage, *more):
    """Of a test: SONDE, `more` (name, keywords of add_argument), --only and --list."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("sonde", type=lambda path: pathlib.Path(path).resolve())
    for name, keywords in more:
        parser.add_argument(name, **keywords)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()
