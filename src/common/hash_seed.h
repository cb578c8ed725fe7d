/* Secret numbers for hashes, so that no input can be made whose hashes collide. */
#ifndef SONDE_COMMON_HASH_SEED_H
#define SONDE_COMMON_HASH_SEED_H

#include <stdint.h>

/* The same in all of a process. */
void hash_seed(uint64_t seeds[2]);

#endif
