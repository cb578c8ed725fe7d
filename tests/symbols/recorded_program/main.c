/* A program to be recorded: the time goes to functions that are inlined, in the program itself and in two libraries, and the
 * libraries call back. Runs until it has used half a second of CPU time. */
#include "parts.h"

#include <stdio.h>
#include <time.h>

static inline unsigned mix(unsigned value)
{
    return (value ^ value >> 15) * 0x2c1b3c6du;
}

static inline unsigned blend(unsigned value, int count)
{
    for (int i = 0; i < count; i++)
        value += mix(value + (unsigned)i);
    return value;
}

static __attribute__((noinline)) unsigned draw(unsigned value)
{
    return blend(value, 20000) + 1;
}

int main(void)
{
    unsigned value = 1;
    while (clock() < CLOCKS_PER_SEC / 2)
        value = draw(value) + first_part(value, draw) + second_part(value, draw);
    return value == 12345 ? puts("unlikely") : 0;
}
