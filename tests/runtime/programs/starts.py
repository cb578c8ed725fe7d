"""Works for so many seconds of CPU time, then becomes the parent of a command: starts.py SECONDS COMMAND..."""

import subprocess
import sys
import time


def add_up(numbers):
    total = 0
    for number in numbers:
        total += number * number
    return total


while time.process_time() < float(sys.argv[1]):
    add_up(range(5000))
sys.exit(subprocess.run(sys.argv[2:]).returncode)
