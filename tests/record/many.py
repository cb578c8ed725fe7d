#!/usr/bin/env python3
"""Records many processes under one limit: it holds at every moment, everybody is in the profile, the recorder costs little.

usage: tests/record/many.py SONDE MANY_PROGRAM PROCESSES SECONDS LIMIT_MIB

Prints TAP. The limit is looked at from outside, as disk space of the session folder, as often as that can be done; CPU time is
what the kernel says the recorder used until the processes had ended."""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time

THREADS = 4
CHUNK = 64 << 10
RECORDER_SHARE = 0.05
# The kernel starts and ends processes in the recorder's time, too, and an overloaded machine is slow at it.
RECORDER_SHARE_ALLOWED = 2 * RECORDER_SHARE

failed = False
count = 0


def result(good, what):
    global failed, count
    count += 1
    failed |= not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)


def held(folder):
    total = 0
    for item in os.scandir(folder):
        try:
            total += item.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:
            pass
    return total


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


def record(sonde, program, processes, seconds, limit, scratch):
    session, profile = f"{scratch}/session", f"{scratch}/profile.json.gz"
    recorder = subprocess.Popen(
        [sonde, "record", "-s", "--no-symbols", "-o", profile, "--buffer-size", f"{limit >> 20}MiB", "--session", session,
         program, str(processes), str(THREADS), str(seconds)],
        stderr=subprocess.PIPE, text=True)
    start = time.monotonic()
    most, looks, share = 0, 0, 0.0
    try:
        while recorder.poll() is None and time.monotonic() - start < 240:
            if os.path.exists(f"{session}/control"):
                most, looks = max(most, held(session)), looks + 1
                try:
                    share = cpu_seconds(recorder.pid) / (time.monotonic() - start)
                except FileNotFoundError:
                    pass
            time.sleep(0.02)
    finally:
        if recorder.poll() is None:
            recorder.kill()
    errors = recorder.communicate()[1]
    return profile, recorder.returncode, most, looks, share, errors


def main():
    sonde, program, processes, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    limit = int(sys.argv[5]) << 20
    with tempfile.TemporaryDirectory() as scratch:
        profile, status, most, looks, share, errors = record(sonde, program, processes, seconds, limit, scratch)
        result(status == 0, f"{processes} processes of {THREADS} threads are recorded ({errors.strip()})")
        # A chunk for each thread, and the sampler of each process is one.
        allowed = limit + (processes + 1) * (THREADS + 1) * CHUNK
        result(0 < most <= allowed, f"of {limit} bytes at most {most} were held, in {looks} looks (allowed: {allowed})")
        result(most <= limit, "the limit itself was not exceeded, either")
        result(share < RECORDER_SHARE_ALLOWED, f"the recorder took {share:.2%} of a core")
        if status == 0:
            with gzip.open(profile) as file:
                threads = json.load(file)["threads"]
            pids = {re.sub(r"\..*", "", str(thread["pid"])) for thread in threads}
            result(len(pids) == processes + 1, f"{len(pids)} processes are in the profile")
    print(f"1..{count}")
    return failed


sys.exit(main())
