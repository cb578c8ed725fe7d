"""Loads an extension, and works in it until the recorder has written down in SESSION/looks (the argument) that it is there. Then the
program ends without a word: nothing of what ends an interpreter or a C library is run."""
import os
import sys
import time

import ctypes
import _ctypes

DEADLINE = time.monotonic() + 60
wanted = os.path.basename(_ctypes.__file__).encode()
getppid = ctypes.CDLL(None).getppid

while True:
    end = time.process_time() + 0.1
    while time.process_time() < end:
        for _ in range(1000):
            getppid()
    with open(sys.argv[1], "rb") as looks:
        if wanted in looks.read():
            break
    if time.monotonic() > DEADLINE:
        os._exit(1)
os._exit(0)
