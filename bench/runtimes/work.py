"""Sorts, makes and reads JSON, calls itself and replaces text, for the functions that bench/runtimes.ts compares."""

import json
import re
import sys


def sort_numbers():
    return sorted(((i * 7919) % 100003 for i in range(60000)), key=lambda number: -number)


def make_text():
    return json.dumps([{"number": i, "square": i * i, "name": "n%d" % i} for i in range(9000)], indent=1)


def read_text(text):
    return json.loads(text)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def replace(text):
    return re.sub(r"\d+", lambda match: str(len(match.group())), text[:200000])


def sum_rows(rows):
    total = 0
    for row in rows:
        if row["number"] % 3:
            total += row["square"]
    return total


for _ in range(int(sys.argv[1])):
    sort_numbers()
    text = make_text()
    for _ in range(8):
        sum_rows(read_text(text))
    fibonacci(21)
    replace(text)
