/* Location strings: what the Gecko profiler, and tools that borrow its notation, know of a frame, in one text.
 *
 *     0x7f3a10                                    native code at an address
 *     Foo::bar (in libxul.so) + 12                native code with a name
 *     onClick (https://e.com/a.js:10:5)[3]        a script: name, file, line, column, index in the process's sources
 *     https://e.com/a.js:1                        the top level of a script
 *     EventDispatcher::Dispatch                   anything else is a label
 *
 * A resolver turns them into funcs, resources, sources and libs of the profile. Each distinct text is looked at once per
 * thread. */
#ifndef SONDE_IMPORT_LOCATION_H
#define SONDE_IMPORT_LOCATION_H

#include "profile/profile.h"

enum location_kind { LOCATION_ADDRESS, LOCATION_NATIVE, LOCATION_SCRIPT, LOCATION_LABEL };

/* A location string taken apart; the slices point into it. */
struct location_parts {
    enum location_kind kind;
    struct slice name;      /* of the function; empty for the top level of a script */
    struct slice where;     /* LOCATION_NATIVE: the library; LOCATION_SCRIPT: the URI */
    uint64_t address;       /* LOCATION_ADDRESS */
    bool has_address;       /* false for a text that starts as an address does but is none */
    uint32_t line, column;  /* LOCATION_SCRIPT; INDEX_NONE = none */
    uint64_t source_number; /* LOCATION_SCRIPT; UINT64_MAX = none */
};

struct location_parts location_parse(struct slice location);

/* A library as a process had it in memory. */
struct mapped_lib {
    uint64_t start, end, offset; /* the file's byte `offset` was at `start` */
    struct lib lib;
    struct lib_index index; /* lib_none() until a frame needs it: unused libs do not enter the profile */
    struct resource_index resource;
};

/* What a location says of a frame. */
struct located {
    struct func_index func;
    struct lib_index lib;
    int64_t address; /* relative to the lib; COLUMN_ABSENT = none */
};

struct extension_origin {
    struct string_index origin;
    struct resource_index resource;
};

struct location_resolver {
    struct profile *profile;
    VEC(struct mapped_lib) libs;             /* of the process, sorted by start once the first location was resolved */
    VEC(struct source) sources;              /* of the process, by source number */
    VEC(struct extension_origin) extensions; /* of the whole profile, each origin once */
    struct map extension_rows;               /* by origin */
    bool libs_sorted;
    VEC(struct located) seen;       /* the distinct locations of the thread */
    VEC(struct string_index) texts; /* of `seen` */
    VEC(uint32_t) row_of;           /* by string index: row of `seen`, or INDEX_NONE */
};

void location_resolver_init(struct location_resolver *resolver, struct profile *profile);
void location_resolver_free(struct location_resolver *resolver);

/* Forgets the libs and sources of the process before. */
void location_resolver_begin_process(struct location_resolver *resolver);

/* Forgets the locations of the thread before. */
void location_resolver_begin_thread(struct location_resolver *resolver);

/* What the process has; to be said before its first location. False when the heap is empty. */
bool location_resolver_add_lib(struct location_resolver *resolver, uint64_t start, uint64_t end, uint64_t offset,
                               const struct lib *lib);
bool location_resolver_add_source(struct location_resolver *resolver, const struct source *source);

/* Scripts of `base_url` are part of the extension, a resource that is added at once. */
bool location_resolver_add_extension(struct location_resolver *resolver, struct slice base_url, struct slice name,
                                     struct slice id);

/* `location` is a string of the profile. `relevant_for_js` counts for labels only, and only the first time in a thread. False
 * when the heap is empty. */
bool location_resolve(struct location_resolver *resolver, struct string_index location, bool relevant_for_js,
                      struct located *located);

/* The resource of a library; resource_none() when the heap is empty. */
struct resource_index location_library(struct profile *profile, struct string_index name);

/* The resource of the scripts of `uri`: its web site or extension, or the URI itself; resource_none() when the heap is empty.
 */
struct resource_index location_script_resource(struct location_resolver *resolver, struct slice uri);

#endif
