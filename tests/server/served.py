"""What the tests of `sonde view` share: the server, those who ask it, and the runner. Prints TAP.

usage: tests/server/SCRIPT SONDE PROGRAM [--record] [--only TEXT]

PROGRAM is one with debug information, whose symbols are asked for. --record: those tests alone in which it is recorded.
Nothing here compares times: what has to happen is waited for, up to a deadline at which something hangs.
"""

import argparse
import atexit
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import traceback
import urllib.parse

from web_socket import WebSocket

DEADLINE = 120  # seconds
SITE = "https://profiler.firefox.com"
DATA = pathlib.Path(__file__).resolve().parent.parent / "data/cli"
ASK = b'{"seq": 1, "v": 1, "asks": [{"ask": "open"}]}'
TESTS = []
RECORDING_TESTS = []

parser = argparse.ArgumentParser()
parser.add_argument("sonde", type=os.path.abspath)
parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve())
parser.add_argument("--record", action="store_true")
parser.add_argument("--only", default="")
OPTIONS = parser.parse_args()
scratch = tempfile.TemporaryDirectory()
atexit.register(scratch.cleanup)
SCRATCH = pathlib.Path(scratch.name)


class Skipped(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def recording_test(function):
    RECORDING_TESTS.append(function)
    return function


def need(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(each) for each in what))


# ---- the server and its clients ----


class Server:
    """`sonde view`, from its first line on."""

    def __init__(self, *arguments, env=None, cwd=DATA, lines=1):
        clean = {name: value for name, value in os.environ.items() if name not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [OPTIONS.sonde, "view", "--firefox", *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd=cwd,
            env={**clean, "XDG_CACHE_HOME": str(SCRATCH / "cache"), "TZ": "UTC", **(env or {})},
        )  # fmt: skip
        self.lines = [self.process.stdout.readline().rstrip("\n") for _ in range(lines)]
        self.link = self.lines[-1]
        found = re.fullmatch(r"(https?://[^?]*)/from-url/([^/?]*)/\?symbolServer=([^/?&]*)", self.link)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address: {self.lines} {self.said()}")
        self.base = urllib.parse.unquote(found[3])
        need(urllib.parse.unquote(found[2]) == self.base + "/profile.json.gz", self.link)
        parts = urllib.parse.urlsplit(self.base)
        self.port, self.token = parts.port, parts.path[1:]
        need(parts.hostname == "127.0.0.1" and re.fullmatch("[0-9a-f]{32}", self.token), self.base)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE)

    def socket(self, **changes):
        """A WebSocket; `changes` are those of its request (web_socket.py)."""
        return WebSocket(self.connect(), changes.pop("host", f"127.0.0.1:{self.port}"), changes.pop("token", self.token), **changes)

    def head(self, method="GET", path="/profile.json.gz", host=None, headers=()):
        lines = [f"{method} /{self.token}{path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", *headers, "", ""]
        return "\r\n".join(lines).encode()

    def ask(self, method="GET", path="/profile.json.gz", body=None, headers=None, token=None, host=None):
        """The reply, with its `body`. `path` as it is, after the token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.putrequest(method, f"/{self.token if token is None else token}{path}", skip_host=True, skip_accept_encoding=True)
        for value in [host or f"127.0.0.1:{self.port}"] if not isinstance(host, list) else host:
            connection.putheader("Host", value)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None and "Content-Length" not in (headers or {}):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        reply = connection.getresponse()
        reply.body = reply.read()
        connection.close()
        return reply

    def symbols(self, path, request, **options):
        return self.ask("POST", path, json.dumps(request).encode(), **options)

    def need_alive(self):
        reply = self.ask()
        need(reply.status == 200 and reply.body[:2] == b"\x1f\x8b", reply.status)

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def end(self, number=signal.SIGINT):
        """Ends it, and it says one line."""
        before = self.said()
        self.process.send_signal(number)
        status = self.process.wait(DEADLINE)
        said = self.said()[len(before) :]
        need(status == 0, "exit status", status, self.said())
        need(re.fullmatch(r"sonde: .* is no longer served\n", said), repr(said))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            if kind:
                self.process.kill()
                self.process.wait()
            else:
                self.end()
        self.process.stdout.close()


def view(*arguments, **options):
    return Server("--no-open", *arguments, **options)


def need_refused(reply, status, what=""):
    """With an error on one line, and what all replies have."""
    need(reply.status == status, what, "gives", reply.status, "not", status)
    need(re.fullmatch(rb'\{"error":"[^"\n]*"\}\n', reply.body), reply.body)
    need_guarded(reply)


def need_guarded(reply):
    for name, value in (
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("Vary", "Origin"),
    ):
        need(reply.getheader(name) == value, name, reply.getheader(name))


def allowed_origin(reply):
    return reply.getheader("Access-Control-Allow-Origin")


def converted(file):
    subprocess.run([OPTIONS.sonde, "convert", file, "-o", SCRATCH / "converted.json.gz"], check=True, cwd=DATA)
    return (SCRATCH / "converted.json.gz").read_bytes()


def files_of(server):
    return json.loads(server.ask(path="/api/v1/files").body)


def wait_for(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        need(time.monotonic() < deadline, "it did not happen")
        time.sleep(0.01)


# ---- the runner ----


def main():
    """Runs the tests of the script that calls it. The exit status."""
    failed = 0
    chosen = [function for function in (RECORDING_TESTS if OPTIONS.record else TESTS) if OPTIONS.only in function.__name__]
    source = random.Random(2)
    with (SCRATCH / "large.folded").open("w") as file:
        for _ in range(60000):
            file.write(f"main;{source.randbytes(60).hex()} 1\n")
    for number, function in enumerate(chosen, 1):
        name = function.__name__.replace("_", " ")
        try:
            function()
            print(f"ok {number} - {name}", flush=True)
        except Skipped as reason:
            print(f"ok {number} - {name} # SKIP {reason}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - {name}")
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
    print(f"1..{len(chosen)}")
    return 1 if failed else 0
