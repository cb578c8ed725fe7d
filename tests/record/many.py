#!/usr/bin/env python3
"""Records many processes under one limit, which they would exceed: it holds at every moment, everybody is in the profile, with
its newest data, and the recorder costs little. Where processes can hold more than what they are writing, what is kept should be
newer than what is gone, whoever has it. (200 processes cannot.)

usage: tests/record/many.py SONDE MANY_PROGRAM PROCESSES SECONDS LIMIT_MIB

Prints TAP. The limit is looked at from outside, as disk space of the session folder, as often as that can be done; CPU time is
what the kernel says the recorder used until the processes had ended; when which marker was made is in the log of the program."""
import array
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time

THREADS = 4
WRITERS = 2
CHUNK = 64 << 10
# It looks at 800 threads and supplies 200 processes with chunks, which these did for themselves when it was 0.05.
RECORDER_SHARE = 0.1

# As in many_program.c.
MARKERS = 4096
TEXT_BYTES = 200
CHUNK_MARKERS = CHUNK // TEXT_BYTES
CHUNKS_TO_HOLD = 6
# How much newer what is gone may be than what is kept, in chunks of the process that keeps it: processes throw whole chunks
# away, and the recorder knows only when the oldest one of each was written.
CHUNKS_APART = 3

failed = False
count = 0


def result(good, what):
    global failed, count
    count += 1
    failed |= not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)


def known(good, what, why):
    """What is not so yet, and known."""
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {'' if good else 'not so: '}{why}", flush=True)


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
        [sonde, "record", "-s", "--no-symbols", "--rate", "1000", "-o", profile, "--buffer-size", f"{limit >> 20}MiB",
         "--session", session, program, str(processes), str(THREADS), str(seconds), f"{scratch}/log"],
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


def read_log(path):
    """The times of the markers of each process, by its number."""
    words = array.array("Q")
    with open(path, "rb") as file:
        words.frombytes(file.read())
    row = 2 + MARKERS
    return {words[i]: words[i + 2:i + 2 + words[i + 1]] for i in range(0, len(words), row)}


def number_of(text):
    return int(re.sub(r"\..*", "", str(text)))


def kept_markers(profile):
    """The numbers of the markers of each process."""
    kept = {}
    strings = profile["shared"]["stringArray"]
    for thread in profile["threads"]:
        markers = thread["markers"]
        kept.setdefault(number_of(thread["pid"]), []).extend(
            int(strings[data["name"]]) for name, data in zip(markers["name"], markers["data"]) if strings[name] == "numbered")
    return kept


def check_markers(profile, log, can_hold):
    kept = kept_markers(profile)
    whole = [pid for pid, times in log.items() if kept.get(pid) and kept[pid] == list(range(kept[pid][0], len(times)))]
    result(len(whole) == len(log), f"of {len(log)} processes {len(whole)} have their newest markers, without a gap")
    made, there = sum(map(len, log.values())), sum(map(len, kept.values()))
    losers = [pid for pid in whole if len(kept[pid]) < len(log[pid])]
    result(len(losers) > 0 and there < made, f"{there} of {made} markers are kept; {len(losers)} processes have lost some")
    if not can_hold:
        return
    apart, keepers = seconds_apart(kept, log, whole)
    known(keepers > 0 and apart <= 0, f"of all of them what is gone is {-apart:.2f} s older than what {keepers} keep",
          "a process that makes no more markers does not hear that it is to hold less")


def seconds_apart(kept, log, pids):
    """How much newer what is gone is than what is kept; and how many keep something."""
    # Of a process: when the newest marker that is gone was made, and when those were that follow the oldest chunks which it
    # keeps. A chunk that is still being written is never thrown away, so one that has no more does not count.
    gone, held_from = [], []
    for pid in pids:
        times, first = log[pid], len(log[pid]) - len(kept[pid])
        if first > 0:
            gone.append(times[first - 1])
        if first + CHUNKS_APART * CHUNK_MARKERS < len(times):
            held_from.append(times[first + CHUNKS_APART * CHUNK_MARKERS])
    return ((max(gone) - min(held_from)) / 1e9 if gone and held_from else 0), len(held_from)


def main():
    sonde, program, processes, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    limit = int(sys.argv[5]) << 20
    with tempfile.TemporaryDirectory() as scratch:
        profile, status, most, looks, share, errors = record(sonde, program, processes, seconds, limit, scratch)
        result(status == 0, f"{processes} processes of {THREADS} threads are recorded ({errors.strip()})")
        wanted = processes * MARKERS * TEXT_BYTES
        result(wanted > 1.5 * limit, f"they make markers of {wanted} bytes, {wanted / limit:.1f} times the limit")
        # The promise: below the limit, but for a chunk that each writing thread may have to finish. Here those are the first
        # thread of each process, which makes markers, and whichever of them are sampled at the moment.
        allowed = limit + (processes + 1) * WRITERS * CHUNK
        result(limit / 2 < most <= allowed, f"of {limit} bytes at most {most} were held, in {looks} looks (allowed: {allowed})")
        result(share < RECORDER_SHARE, f"the recorder took {share:.2%} of a core")
        if status == 0:
            with gzip.open(profile) as file:
                content = json.load(file)
            pids = {number_of(thread["pid"]) for thread in content["threads"]}
            result(len(pids) == processes + 1, f"{len(pids)} processes are in the profile")
            check_markers(content, read_log(f"{scratch}/log"), can_hold=processes * CHUNKS_TO_HOLD * CHUNK <= limit)
    print(f"1..{count}")
    return failed


sys.exit(main())
