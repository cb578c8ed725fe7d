"""What calls cost, in nanoseconds, the least of five rounds: run it plainly for the cost while nothing is recorded, and under
`sonde record`."""

import time

import sonde

STEP = sonde.MarkerType("Step", number="integer")
ROUNDS = 20_000 if sonde.is_recording() else 1_000_000


def nothing():
    pass


def marker():
    sonde.instant("step")


def marker_with_a_text():
    sonde.instant("step", "a text")


def marker_with_a_field():
    STEP.instant("step", number=1)


def scope():
    with sonde.marker("step"):
        pass


@sonde.marker("step")
def decorated():
    pass


def measure(call):
    least = float("inf")
    for _ in range(5):
        start = time.perf_counter_ns()
        for _ in range(ROUNDS):
            call()
        least = min(least, (time.perf_counter_ns() - start) / ROUNDS)
    return least


for call in (nothing, marker, marker_with_a_text, marker_with_a_field, scope, decorated):
    print(f"{call.__name__.replace('_', ' ')}\t{measure(call):.2f}")
