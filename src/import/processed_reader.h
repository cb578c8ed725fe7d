/* What the parts of the importer of processed profiles share; the importer of Gecko profiles, whose marker schemas are those
 * of early processed profiles, brings them to the newest form with it, too. */
#ifndef SONDE_IMPORT_PROCESSED_READER_H
#define SONDE_IMPORT_PROCESSED_READER_H

#include "common/column.h"
#include "common/json_reader.h"
#include "common/map.h"
#include "profile/processed_format.h"
#include "profile/profile.h"
#include "profile/string_fields.h"

typedef VEC(uint32_t) row_map; /* row of the file -> row of the profile */

struct processed {
    struct json_reader *r; /* the file, or a part of it that is read later than it came */
    struct profile *profile;
    struct error *error;
    int version; /* 0 = not known yet */

    /* The last number that was a name, for thread ids come many times in a row. */
    double last_number;
    struct string_index last_number_name;

    bool strings_known;
    row_map strings; /* of the file, or of the thread that is being read */

    /* Resources: the library of each (before PROCESSED_FRAME_LIB), and where equal ones are (before PROCESSED_SHARED_TABLES).
     */
    row_map resource_libs;
    struct map resource_keys;
    struct map native_symbol_keys;

    /* Subcategories of JavaScript made of the implementations of frames; category_none() = none are made. */
    struct category_index jit_category;
    VEC(struct string_index) implementations;
    struct map implementation_rows;

    struct string_fields string_fields;
    bool has_cc_schema, saw_tracing, saw_tracing_cc, saw_extension_text;
    struct value_bytes payload_scratch;

    uint32_t other_count; /* keys of profile->other, which is open until the end */
};

/* ---- failing; all of them stop the reader ---- */

void processed_fail(struct processed *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void processed_out_of_memory(struct processed *p);

/* ---- strings ---- */

/* The profile's string of a string of the file; fails where there is none. `absent` is COLUMN_ABSENT: STRING_NONE then. */
struct string_index processed_string(struct processed *p, int64_t index, const char *table, size_t row);

struct string_index processed_intern(struct processed *p, struct slice text);

/* A text, a number as text, or null (STRING_NONE); `is_text` may be NULL. */
struct string_index processed_read_name(struct processed *p, bool *is_text);

/* Reads an array of texts into `p->strings`. */
void processed_read_strings(struct processed *p);

/* ---- keeping what Sonde has no use for ---- */

/* Packs the next value under `key` into an object that grows. */
void processed_keep(struct processed *p, struct value_bytes *out, uint32_t *count, struct slice key);
/* Starts the object at the first key, finishes it at the last; an object without keys leaves `out` empty. */
bool processed_keep_key(struct processed *p, struct value_bytes *out, uint32_t *count, struct string_index key);
void processed_keep_end(struct processed *p, struct value_bytes *out, uint32_t count);

/* ---- reading out of order ---- */

/* Reads `text`, captured at `offset` of the file, with `read`, as if it came now. */
void processed_replay(struct processed *p, struct slice text, uint64_t offset, void (*read)(struct processed *p));

/* ---- the parts ---- */

/* `meta`: version, categories, schemas. */
void processed_read_meta(struct processed *p);

/* Its parts, packed (NULL = not there); Gecko profiles have the same. `only_new` passes over schemas whose name is known. */
void processed_read_categories(struct processed *p, const uint8_t *categories);
void processed_read_schemas(struct processed *p, const uint8_t *schemas, bool only_new);
enum cpu_unit processed_read_cpu_unit(const struct processed *p, const uint8_t *units);

/* Adds the schemas that the upgrade of payloads made necessary; after the last thread. */
void processed_add_schemas(struct processed *p);

/* The tables that all threads share; `shared_tables` holds them until all are there. */
struct shared_tables;
struct shared_tables *shared_tables_create(struct processed *p);
void shared_tables_free(struct shared_tables *tables); /* NULL is fine */
/* Reads the table under `key`; false when it is none of them, and nothing was read then. */
bool shared_tables_read(struct processed *p, struct shared_tables *tables, struct slice key);
/* Adds all that was read to the profile. */
void shared_tables_add(struct processed *p, struct shared_tables *tables);

void processed_read_threads(struct processed *p);
void processed_read_markers(struct processed *p, struct thread *thread, int64_t stack_base);
/* Brings payloads that were read to the newest version. */
void processed_upgrade_markers(struct processed *p, struct thread *thread);
void processed_read_counters(struct processed *p);

#endif
