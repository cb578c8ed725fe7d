#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

__attribute__((noinline)) static unsigned spin(long n)
{
    unsigned x = 1;
    for (long i = 0; i < n; i++)
        x = mix(x);
    return x;
}

__attribute__((noinline)) static char touch(void)
{
    char *block = calloc(1 << 10, 1 << 12), last;
    for (long i = 0; i < 1 << 22; i += 1 << 12)
        block[i] = (char)i;
    last = block[(1 << 22) - 1];
    free(block);
    return last;
}

int main(void)
{
    printf("%u %d\n", spin(12000000), touch());
    return 0;
}
