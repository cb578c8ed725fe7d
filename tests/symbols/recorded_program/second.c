#include "parts.h"

static inline unsigned second_inner(unsigned value)
{
    for (unsigned i = 0; i < 20000; i++)
        value = (value ^ value >> 13) * 0x5bd1e995u + i;
    return value;
}

unsigned second_part(unsigned value, part_callback *call)
{
    return second_inner(value) + call(value) + 1;
}
