#include "common/memory.h"

static unsigned long countdown;
static bool failing;

void memory_fail_after(unsigned long n)
{
    countdown = n;
    failing = false;
}

bool memory_may_allocate(void)
{
    if (countdown > 0 && --countdown == 0)
        failing = true;
    return !failing;
}
