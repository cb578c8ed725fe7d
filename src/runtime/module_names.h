/* The names that a module exports, looked up in its memory: by the hash table that the dynamic linker uses, without asking it.
 * So nothing is locked or opened, and the module may be one of another process. */
#ifndef SONDE_RUNTIME_MODULE_NAMES_H
#define SONDE_RUNTIME_MODULE_NAMES_H

#include "unwind/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct module_names {
    struct unwind_memory *memory;
    uint64_t start, end; /* of the module: what is outside is not its own */
    uint64_t bias;
    uint64_t hash, symbols, strings; /* addresses of its tables */
    uint64_t filter, buckets, chain;
    uint32_t bucket_count, first_hashed, filter_words, filter_shift;
};

/* A module at `start` … `end`, which begins with its ELF header. False: it exports nothing that could be found. */
bool module_names_open(struct module_names *names, uint64_t start, uint64_t end, struct unwind_memory *memory);

/* The address of a function or variable, and how large it is (NULL: nobody asks). 0: there is none of this name. */
uint64_t module_names_find(const struct module_names *names, const char *name, uint64_t *size);

#endif
