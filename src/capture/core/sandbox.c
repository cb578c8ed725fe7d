#include "capture/core/sandbox.h"

#include "capture/core/clock.h"

_Atomic bool sandbox_closed;
__thread bool sandbox_closed_in_child;

void sandbox_close(bool strict)
{
    if (strict)
        clock_source = CLOCK_MONOTONIC_COARSE;
    atomic_store_explicit(&sandbox_closed, true, memory_order_relaxed);
}

void sandbox_open(void)
{
    clock_source = CLOCK_MONOTONIC;
    atomic_store_explicit(&sandbox_closed, false, memory_order_relaxed);
}
