/* Answers that were found before, one file per build in a folder.
 *
 *     header     magic, the version of Sonde, build id, what the answers are good for, checksum of the rest, counts
 *     addresses  ascending; each of which something is known
 *     rows       one per address
 *     unknown    ascending; each that was asked for in vain
 *     calls      those inlined, of one row after the other
 *     starts     of each text in …
 *     texts      … the bytes of all of them, each as a string table has it: its length before it, a NUL after it
 *
 * A file is mapped and searched as it is: what is not asked for is not looked at. It is never changed, only replaced by a whole
 * new one, so that readers and several writers do not meet. One that is damaged, or from another version, counts as not there.
 * Its contents are not trusted. */
#ifndef SONDE_SYMBOLS_CACHE_H
#define SONDE_SYMBOLS_CACHE_H

#include "common/error.h"
#include "symbols/answers.h"

#include <stdint.h>

enum {
    SYMBOL_CACHE_FILE_MOST = 64 << 20,   /* bytes of one file; what does not fit is not kept */
    SYMBOL_CACHE_FOLDER_MOST = 256 << 20 /* bytes of all; the files that were not used for longest go first */
};

/* What the answers of one build are worth. Both are the caller's numbers. */
struct symbol_cache_worth {
    uint32_t status;
    uint32_t reach; /* how much there was to be found */
};

struct symbol_cache {
    struct symbol_cache_worth worth;
    struct slice bytes;
    const struct cache_header *header;
    const uint64_t *addresses, *unknown;
    const struct cache_row *rows;
    const struct cache_call *calls;
    const uint32_t *starts;
    const char *texts;
    bool mapped;
};

typedef VEC(uint64_t) symbol_addresses;

/* False where nothing is known of the build. */
bool symbol_cache_open(const char *folder, struct slice build_id, struct symbol_cache *cache);

/* The same for bytes that outlive it. */
bool symbol_cache_of_bytes(struct slice bytes, struct slice build_id, struct symbol_cache *cache);
void symbol_cache_close(struct symbol_cache *cache);

/* Appends a row to `answers` for each of the ascending addresses of which something is known, and those that were never asked
 * for to `missing`. Texts stay where they are: the answers are good as long as the cache is open. 0, -ENOMEM, or -EBADMSG where
 * the file makes no sense; answers are of no use then. */
int symbol_cache_read(const struct symbol_cache *cache, const uint64_t *addresses, size_t count, struct symbol_answers *answers,
                      symbol_addresses *missing, struct error *error);

/* Closes the cache; its file lives on with answers that were read from it. */
void symbol_cache_give(struct symbol_cache *cache, struct symbol_answers *answers);

/* Adds what was found of the ascending addresses to what `before` has (NULL = nothing), and replaces the file. What cannot be
 * kept, for whatever reason, will be looked up again: nobody is told. */
void symbol_cache_keep(const char *folder, struct slice build_id, struct symbol_cache_worth worth,
                       const struct symbol_cache *before, const uint64_t *addresses, size_t count,
                       const struct symbol_answers *found);

#endif
