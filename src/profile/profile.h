/* A profile: the tables that importers fill, symbols edit, trees read and exporters write.
 *
 *     samples ──▶ stacks ──▶ frames ──▶ funcs ──▶ resources
 *     (thread)    (prefix)     │          └─────▶ sources
 *                              └─▶ native symbols ──▶ libs
 *
 * Stacks, frames and everything they point to are shared by all threads. */
#ifndef SONDE_PROFILE_PROFILE_H
#define SONDE_PROFILE_PROFILE_H

#include "common/error.h"
#include "profile/category_list.h"
#include "profile/counter_list.h"
#include "profile/frame_table.h"
#include "profile/func_table.h"
#include "profile/lib_table.h"
#include "profile/marker_schema.h"
#include "profile/native_symbol_table.h"
#include "profile/resource_table.h"
#include "profile/source_table.h"
#include "profile/stack_table.h"
#include "profile/thread.h"

/* What a thread's cpu_delta counts. */
enum cpu_unit { CPU_UNKNOWN, CPU_NANOSECONDS, CPU_MICROSECONDS, CPU_CYCLES };

struct meta {
    double interval;                                 /* ms between samples */
    double start_time;                               /* ms since 1970 of time 0 */
    double profiling_start_time, profiling_end_time; /* ms; NaN = unknown */
    struct string_index product;                     /* STRING_NONE = unknown */
    bool symbolicated;
    enum cpu_unit cpu_unit;
    struct value_bytes whole; /* the file's `meta`, a packed object, to be written again; may be empty */
};

struct profile {
    struct arena arena;                         /* holds the packed columns … */
    struct arena shared_arena, reference_arena; /* … but for those that symbols rebuilt: shared tables, threads' stacks */
    struct string_table strings;
    struct meta meta;
    struct category_list categories;
    struct marker_schema_list schemas;
    struct lib_table libs;
    struct resource_table resources;
    struct source_table sources;
    struct location_table locations;
    struct native_symbol_table native_symbols;
    struct func_table funcs;
    struct frame_table frames;
    struct stack_table stacks;
    VEC(struct thread) threads;
    struct counter_list counters;
    struct value_bytes pages; /* a packed array, as in the file; may be empty */
    struct value_bytes other; /* a packed object of everything else at the top level of the file; may be empty */
};

/* An empty profile; profile_free() gives back all it holds. */
void profile_init(struct profile *profile);
void profile_free(struct profile *profile);

/* A new, empty thread at the end; NULL when the heap is empty. It moves when the next one is added. */
struct thread *profile_add_thread(struct profile *profile);

/* Importers call it last: packs all columns and checks that every index points at a row, that parents stand before their
 * children and that columns are of one length. 0, -ENOMEM, or -EINVAL with a message that names table and row. */
int profile_finish(struct profile *profile, struct error *error);

/* The text of a string. */
static inline struct slice profile_text(const struct profile *profile, struct string_index index)
{
    return string_table_get(&profile->strings, index);
}

static inline size_t profile_func_count(const struct profile *profile)
{
    return func_count(&profile->funcs);
}

/* Bytes of memory its tables take, all but the strings. */
size_t profile_bytes(const struct profile *profile);

/* Whether `meta.start_time` is a date: perf counts from the start of the machine, and others from wherever they like. */
bool profile_start_is_date(const struct profile *profile);

#endif
