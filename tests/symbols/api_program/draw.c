/* A library whose debug information the API is asked for. */
#include "mix.h"

unsigned draw(unsigned value, unsigned count);

static inline unsigned blend(unsigned value, unsigned i)
{
    return value + mix(value + i);
}

unsigned draw(unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        value = blend(value, i);
    return value;
}
