#include "common/hash_seed.h"

#include <unistd.h>

void hash_seed(uint64_t seeds[2])
{
    static uint64_t seeds_of_all[2];
    if (seeds_of_all[0] == 0)
        (void)getentropy(seeds_of_all, sizeof seeds_of_all);
    seeds[0] = seeds_of_all[0];
    seeds[1] = seeds_of_all[1];
}
