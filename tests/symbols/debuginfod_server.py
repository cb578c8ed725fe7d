#!/usr/bin/env python3
"""A server of debug files that can also misbehave. usage: debuginfod_server.py good|garbage|hang FOLDER

Serves FOLDER/BUILDID at /buildid/BUILDID/debuginfo; writes its port to FOLDER/port, and what it was asked for to FOLDER/asked."""

import http.server
import os
import sys
import time

mode, folder = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(f"{folder}/asked", "a") as log:
            log.write(self.path + "\n")
        if mode == "hang":
            time.sleep(100)
            return
        parts = self.path.split("/")
        path = f"{folder}/{parts[2]}" if len(parts) == 4 and parts[3] == "debuginfo" else ""
        if mode == "garbage":
            body = b"\x7fELF this is no debug file" * 1000
        elif os.path.isfile(path):
            with open(path, "rb") as file:
                body = file.read()
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(f"{folder}/port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(f"{folder}/port.new", f"{folder}/port")
server.serve_forever()
