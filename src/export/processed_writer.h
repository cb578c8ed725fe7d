/* What the parts of the exporter of processed profiles share. Only the files src/export/processed*.c include it. */
#ifndef SONDE_EXPORT_PROCESSED_WRITER_H
#define SONDE_EXPORT_PROCESSED_WRITER_H

#include "common/json_writer.h"
#include "export/counter_display.h"
#include "profile/processed_format.h"
#include "profile/profile.h"
#include "profile/string_fields.h"

struct processed_writer {
    const struct profile *profile;
    struct json_writer *w;
    struct error *error;
    int version;
    struct string_fields string_fields;
    uint32_t *file_strings; /* by string of the profile: its index in the file, INDEX_NONE for those not in it */
    size_t file_string_count;
    uint32_t *resource_libs; /* by resource: the library of its frames, INDEX_NONE = none */
};

/* ---- processed_strings.c ---- */

/* Finds the strings that the file refers to by index and numbers them. 0 or a negative errno. */
int processed_collect_strings(struct processed_writer *out);

/* Writes the payload of a marker, with its cause; `tid_is_text` says how thread ids are written. */
void processed_write_payload(struct processed_writer *out, const struct raw_marker *marker, bool tid_is_text);

/* Writes what the JavaScript tracer recorded; its events are indices of strings. */
void processed_write_tracer(struct processed_writer *out, const uint8_t *tracer);

/* The index of a string in the file, null for STRING_NONE. */
void processed_write_string(struct processed_writer *out, struct string_index string);

/* ---- processed_version.c ---- */

/* Sets the version, and the libraries of resources. 0 or a negative errno. */
int processed_choose_version(struct processed_writer *out);

/* ---- columns as arrays under a key ---- */

/* COLUMN_ABSENT and rows the column does not have are written as null. */
void processed_write_integers(struct processed_writer *out, const char *key, const struct column *column, size_t rows);
/* … as `absent` instead. */
void processed_write_integers_or(struct processed_writer *out, const char *key, const struct column *column, size_t rows,
                                 int64_t absent);
void processed_write_numbers(struct processed_writer *out, const char *key, const struct column *column, size_t rows);
/* Strings by index in the file, or as texts. */
void processed_write_strings(struct processed_writer *out, const char *key, const struct column *column, size_t rows);
void processed_write_texts(struct processed_writer *out, const char *key, const struct column *column, size_t rows);

void processed_write_length(struct processed_writer *out, size_t rows);
/* A text, null for STRING_NONE. */
void processed_write_text(struct processed_writer *out, struct string_index string);
/* A thread id: a text, or a number where it is one and texts are not asked for. */
void processed_write_tid(struct processed_writer *out, struct string_index tid, bool as_text);

/* ---- processed_shared.c and processed_threads.c ---- */

void processed_write_shared(struct processed_writer *out);
void processed_write_thread(struct processed_writer *out, const struct thread *thread);

#endif
