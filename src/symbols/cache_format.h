/* The bytes of a file of the cache, in the order and byte order of the machine that wrote them. See cache.h. */
#ifndef SONDE_SYMBOLS_CACHE_FORMAT_H
#define SONDE_SYMBOLS_CACHE_FORMAT_H

#include "common/slice.h"
#include "profile/module_ids.h"

#include <limits.h>
#include <stdint.h>

#define CACHE_MAGIC "SondeSy4"
#define CACHE_TEXT_NONE UINT32_MAX

struct cache_header {
    char magic[8];
    char version[16];                 /* of Sonde: another one may read names differently */
    char build_id[BREAKPAD_ID_BYTES]; /* its beginning, filled with zeros */
    uint64_t checksum;                /* of everything after this */
    uint16_t status, reach;
    uint32_t address_count, unknown_count, call_count, text_count, text_bytes;
};

/* Texts are numbers of texts. */
struct cache_call {
    uint32_t function, mangled, file, line;
};

struct cache_row {
    uint64_t symbol_start, symbol_size;
    uint32_t symbol, mangled;
    struct cache_call outer;
    uint32_t first_call, call_count;
};

_Static_assert(sizeof(struct cache_header) == 72 && sizeof(struct cache_row) == 48 && sizeof(struct cache_call) == 16,
               "no holes: all bytes are written");

/* Of a build id: what the file is called and what its header has. */
struct cache_key {
    char build_id[BREAKPAD_ID_BYTES];
    char path[PATH_MAX];
};

/* False where it has no name, or too long a one. */
bool cache_key_of(const char *folder, struct slice build_id, struct cache_key *key);
void cache_version(char version[16]);
uint64_t cache_checksum(struct slice file);

/* Removes files until the folder is small enough, beginning with the one that was not used for longest. */
void cache_trim(const char *folder);

#endif
