"""Programs that are recorded, and what their profiles say, for the tests of the bindings; results as TAP."""

import json
import os
import pathlib
import subprocess
import sys


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, what, found, expected):
        self.count += 1
        print(f"{'ok' if found == expected else 'not ok'} {self.count} - {what}")
        if found != expected:
            print(f"# expected {expected!r}\n# found    {found!r}")
            self.failed += 1

    def end(self):
        """Prints the plan, and exits."""
        print(f"1..{self.count}", flush=True)
        sys.exit(self.failed > 0)


def skip_all(why):
    print(f"1..1\nok 1 - # SKIP {why}", flush=True)
    sys.exit(0)


class Recorded:
    """The profile of a program that `sonde record` ran."""

    def __init__(self, sonde, folder, command, env=None, options=()):
        self.sonde = sonde
        self.file = pathlib.Path(folder) / "profile.json"
        run = subprocess.run(
            [sonde, "record", "-s", *options, "-o", self.file, "--", *command], env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240,
        )
        self.status, self.output, self.errors = run.returncode, run.stdout, run.stderr
        self.info = self.ask("info", all_threads=False)

    def ask(self, command, *options, all_threads=True):
        threads = ["--thread", "all"] if all_threads else []
        asked = subprocess.run([self.sonde, command, self.file, "--json", *threads, *options], capture_output=True, text=True)
        if asked.returncode != 0:
            raise RuntimeError(f"sonde {command} {options}: {asked.stderr}")
        return json.loads(asked.stdout)

    def markers(self, name=None):
        """All markers of the program, or those of a name, in the order of their starts."""
        return [m for m in self.ask("markers", "--list")["markers"] if name is None or m["name"] == name]

    def functions(self, start=None, end=None):
        """The names of all frames that rows have, labels and native ones; of all, or from start to end (milliseconds)."""
        options = ["--range", f"{start / 1000:.6f},{end / 1000:.6f}"] if start is not None else []
        return {function["name"] for function in self.ask("functions", "--limit", "100000", *options)["functions"]}
