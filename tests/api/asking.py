"""Asks the query API: starts `asker` for a profile and checks that both forms of each reply say the same."""

import json
import struct
import subprocess
import sys

TYPES = {"u8": ("B", 1), "u16": ("H", 2), "u32": ("I", 4), "f32": ("f", 4), "f64": ("d", 8)}
NONE = 0xFFFFFFFF


def all_columns(parts):
    """The `columns` of parts, and of objects in them, in their order."""
    for part in parts:
        yield from all_columns(value for value in part.values() if isinstance(value, dict) and "columns" in value)
        if "columns" in part:
            yield part["columns"]


def unpack(reply):
    """A binary reply in the form of the JSON one."""
    (length,) = struct.unpack_from("<I", reply)
    assert (4 + length) % 8 == 0, "the head ends at a multiple of 8"
    head = json.loads(reply[4 : 4 + length])
    end = 0
    for columns in all_columns(head.get("parts", [])):
        for name, column in columns.items():
            letter, size = TYPES[column["type"]]
            start = 4 + length + column["offset"]
            assert start % 8 == 0 and column["offset"] >= end, "columns are aligned, one after the other"
            end = column["offset"] + column["count"] * size
            columns[name] = list(struct.unpack_from(f"<{column['count']}{letter}", reply, start))
    assert 4 + length + (end + 7) // 8 * 8 == len(reply), "nothing follows the last column"
    return head


def same(left, right):
    """Whether two replies say the same; an id of JSON may be null where the column has the largest number."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float) and left != right:
        return struct.pack("f", left) == struct.pack("f", right)
    return left == right or (left is None and (right == NONE or right != right))


class Asker:
    def __init__(self, asker, profile):
        self.process = subprocess.Popen([asker, profile], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask_text(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        replies = []
        for _ in range(2):
            length = int(self.process.stdout.readline())
            replies.append(self.process.stdout.read(length))
        plain = json.loads(replies[0])
        assert same(plain, unpack(replies[1])), f"both forms of the reply to {text[:300]} are the same"
        return plain

    def ask(self, state, *asks):
        reply = self.ask_text(json.dumps({"v": 1, "state": state, "asks": asks}))
        self.names = dict(zip(reply.get("strings", {}).get("ids", []), reply.get("strings", {}).get("texts", [])))
        return reply

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0, "the asker ended well"


class Tap:
    """Lines of TAP; `done` is the exit status."""

    def __init__(self):
        self.count = self.failed = 0

    def result(self, passed, what, detail=""):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {what}")
        if not passed and detail:
            print("".join(f"# {line}\n" for line in str(detail).splitlines()[:40]))
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0
