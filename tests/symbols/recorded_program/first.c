#include "parts.h"

static inline unsigned first_inner(unsigned value)
{
    for (unsigned i = 0; i < 20000; i++)
        value = (value ^ value >> 13) * 0x5bd1e995u + i;
    return value;
}

unsigned first_part(unsigned value, part_callback *call)
{
    return first_inner(value) + call(value) + 1;
}
