/* Computes for a while, in functions that have names and lines. */
#include <stdio.h>
#include <time.h>

static unsigned mix(unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        value = value * 1664525 + 1013904223;
    return value;
}

int main(void)
{
    unsigned value = 1;
    while (clock() < CLOCKS_PER_SEC / 10)
        value = mix(value, 100000);
    printf("%u\n", value);
    return 0;
}
