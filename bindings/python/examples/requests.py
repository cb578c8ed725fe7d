"""A program that says what it does.

    PYTHONPATH=bindings/python sonde record python3 bindings/python/examples/requests.py
"""

import asyncio
import sys
import threading

import sonde

CACHE = sonde.Category("Cache", "orange")
QUEUE = sonde.Counter("Queue length", "Queue", "Requests that wait")
REQUEST = sonde.MarkerType(
    "HTTP request", table_label="{marker.data.status} {marker.data.url}", url="url", status="integer", size="bytes"
)


def compute(rounds):
    return sum(i * i for i in range(rounds * 1000))


@sonde.marker("parse")
def parse(number):
    return compute(5)


@sonde.marker("render")
async def render():
    await asyncio.sleep(0.001)


def answer(number):
    with REQUEST("GET", sonde.Category.NETWORK, url=f"https://example.org/item/{number}") as fields:
        if number % 4 == 0:
            sonde.instant("cache miss", f"item {number}", CACHE)
        parse(number)
        fields.update(status=404 if number % 7 == 0 else 200, size=number * 100)


def clean():
    sonde.rename_thread("cleaner")
    REQUEST.instant("cleaned", stack=True)


def main(requests):
    with sonde.marker("load", "config.toml"):
        compute(20)
    for number in range(requests, 0, -1):
        QUEUE.set(number)
        answer(number)
    QUEUE.add(-1)
    asyncio.run(render())
    thread = threading.Thread(target=clean)
    thread.start()
    thread.join()
    start = sonde.now()
    try:
        with sonde.marker("doomed"):
            raise KeyError("an exception ends an interval")
    except KeyError:
        pass
    sonde.interval(start, "all of it", "with a text", sonde.Category.IO)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
