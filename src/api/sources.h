/* What the asks `source` and `instructions` show beyond the profile: the text of a source file, the code of a module. Here
 * nobody opens files: who has them gives these functions to the api.
 *
 *     api_ask ─▶ source(), code()     not found yet: -EAGAIN. The wish is copied, and the whole request is put off
 *     …                               its owner looks for all wishes, in a thread of its own, and asks again
 *     api_ask ─▶ source(), code()     found, or not: 0 */
#ifndef SONDE_API_SOURCES_H
#define SONDE_API_SOURCES_H

#include "common/error.h"
#include "common/slice.h"
#include "profile/indices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the code of a module, by its relative address. */
struct code_place {
    struct lib_index lib;
    uint64_t address;
};

struct source_wish {
    struct slice path;               /* as the profile names it */
    const struct code_place *places; /* code that comes from it: what else is named in a profile is not for everybody to see */
    size_t place_count;
};

enum source_checksum { CHECKSUM_UNKNOWN, CHECKSUM_MATCHES, CHECKSUM_DIFFERS };

struct tried_place {
    struct slice where, why;
};

struct found_source {
    const char *origin; /* "disk", …; NULL = there is no text */
    struct slice text;
    bool cut;                        /* there is more of it */
    struct slice found;              /* the path it was read from; empty = none */
    double modified;                 /* ms since 1970; NaN = unknown */
    enum source_checksum checksum;   /* against what debug information has of the file */
    const struct tried_place *tried; /* in vain, in order */
    size_t tried_count;
};

struct code_wish {
    struct lib_index lib;
    uint64_t start, size; /* a relative address, and bytes; an instruction that begins in them is listed */
    bool until_end;       /* and all that follows in the function of `start` */
    bool att;             /* how x86 is written: AT&T, or else Intel */
};

struct found_instruction {
    uint64_t address, size;
    struct slice text;
    struct slice file;     /* empty = unknown */
    struct slice function; /* that was inlined here, the innermost one; empty = none */
    uint32_t line;         /* 0 = unknown */
    bool has_target;
    uint64_t target; /* where it jumps to, or calls */
};

struct found_code {
    const char *arch; /* NULL = there is no listing, and `failure` says why */
    struct slice failure;
    bool cut;                             /* there is more of it */
    const struct found_instruction *rows; /* ascending addresses */
    size_t count;
};

/* What is found is the callee's, and stays until the next of these calls. 0, -EAGAIN or -ENOMEM. */
struct api_sources {
    void *context;
    int (*source)(void *context, const struct source_wish *wish, const struct found_source **found);
    int (*code)(void *context, const struct code_wish *wish, const struct found_code **found);
};

#endif
