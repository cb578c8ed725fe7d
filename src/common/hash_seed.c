#include "common/hash_seed.h"

#include <string.h>
#include <sys/auxv.h>

void hash_seed(uint64_t seeds[2])
{
    static const uint64_t fallback[2] = {0x9e3779b97f4a7c15u, 0x632be59bd9b4e019u};
    /* 16 random bytes that the kernel gives every process. */
    const void *random = (const void *)getauxval(AT_RANDOM);
    memcpy(seeds, random ? random : fallback, sizeof fallback);
}
