/* pc → rule, shared by all threads of the process without a lock.
 *
 * A rule is 8 bytes. An entry is two words, `key ^ rule` and `rule`; a reader that sees halves of two writes gets a key that is
 * not its own and takes it for a miss, so no ordering is needed. The key is the pc and, in its top bits, the generation of the
 * module list, which changes whenever a module goes: what an unloaded module left behind is never found. So a hit needs no
 * look at the modules at all. */
#ifndef SONDE_UNWIND_RULE_CACHE_H
#define SONDE_UNWIND_RULE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_CACHE_ENTRIES = 1 << 14 };

struct unwind_cache_entry {
    _Atomic uint64_t check; /* key ^ rule */
    _Atomic uint64_t rule;
};

struct unwind_cache {
    struct unwind_cache_entry entries[UNWIND_CACHE_ENTRIES];
};

#endif
