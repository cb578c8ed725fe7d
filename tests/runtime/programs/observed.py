"""Works while another profiler looks at it, which it starts itself, and ends with SIGINT.

usage: observed.py SECONDS COMMAND...

SECONDS is the CPU time that it uses. What COMMAND has as PID is replaced by the number of this process.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time


def sort_numbers():
    numbers = []
    for i in range(3000):
        numbers.append((i * 7919) % 1009)
    sorted(numbers)


def make_text(rows):
    return json.dumps(rows)


def read_text(text):
    return json.loads(text)


def replace(text):
    return re.sub(r"\d+", "#", text)


def sum_rows(rows):
    total = 0
    for row in rows:
        if row["number"] % 3:
            total += row["square"]
    return total


def count_letters(text):
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return counts


def count_down(depth):
    total = 0
    for i in range(2000):
        total ^= i
    return total if depth == 0 else total + count_down(depth - 1)


def work():
    rows = [{"number": i, "square": i * i} for i in range(500)]
    for _ in range(5):
        sort_numbers()
        count_down(2)
        text = make_text(rows)
        read_text(text)
        for _ in range(10):
            sum_rows(rows)
        replace(text[:6000])
        count_letters(text[:6000])


command = [str(os.getpid()) if word == "PID" else word for word in sys.argv[2:]]
profiler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
while time.process_time() < float(sys.argv[1]) and profiler.poll() is None:
    work()
profiler.send_signal(signal.SIGINT)
sys.stderr.write(profiler.communicate()[1])
sys.exit(profiler.returncode)
