/* The top level of processed profiles, and what its parts share.
 *
 * The usual order of a file is meta, libs, …, shared, threads, and then every number goes into its column as it is read. But
 * objects have no order: what comes before something it depends on is kept as text and read when the rest is known. */
#include "import/processed.h"

#include "common/number_text.h"
#include "import/processed_reader.h"

#include <errno.h>
#include <inttypes.h>

/* ---- failing ---- */

void processed_fail(struct processed *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_set_va(p->error, -EINVAL, format, arguments);
    va_end(arguments);
    json_fail(p->r, "stopped"); /* the first error is the one that stays */
}

void processed_out_of_memory(struct processed *p)
{
    json_fail_out_of_memory(p->r);
}

/* ---- strings ---- */

struct string_index processed_intern(struct processed *p, struct slice text)
{
    struct string_index string = string_table_add(&p->profile->strings, text);
    if (!string_exists(string))
        processed_out_of_memory(p);
    return string;
}

struct string_index processed_string(struct processed *p, int64_t index, const char *table, size_t row)
{
    if (index == COLUMN_ABSENT)
        return STRING_NONE;
    if (index >= 0 && (uint64_t)index < p->strings.count)
        return string_at(p->strings.items[index]);
    processed_fail(p, "%s row %zu: %" PRId64 " is not one of %zu strings", table, row, index, p->strings.count);
    return STRING_NONE;
}

struct string_index processed_read_name(struct processed *p, bool *is_text)
{
    char digits[NUMBER_TEXT_SIZE];
    enum json_kind kind = json_peek(p->r);
    if (is_text)
        *is_text = kind == JSON_STRING;
    if (kind == JSON_NULL) {
        json_null(p->r);
        return STRING_NONE;
    }
    if (kind != JSON_NUMBER)
        return processed_intern(p, json_string(p->r));
    double number = json_number(p->r);
    if (number == p->last_number && string_exists(p->last_number_name))
        return p->last_number_name;
    p->last_number = number;
    return p->last_number_name = processed_intern(p, (struct slice){digits, number_text(number, digits)});
}

void processed_read_strings(struct processed *p)
{
    p->strings.count = 0;
    if (json_begin_array(p->r))
        while (json_next_item(p->r)) {
            struct string_index string = processed_intern(p, json_string(p->r));
            if (!vec_push(&p->strings, string.i))
                processed_out_of_memory(p);
        }
    p->strings_known = true;
}

/* ---- keeping ---- */

bool processed_keep_key(struct processed *p, struct value_bytes *out, uint32_t *count, struct string_index key)
{
    if (*count == 0 && value_open(out) == SIZE_MAX) {
        processed_out_of_memory(p);
        return false;
    }
    ++*count;
    if (!string_exists(key) || !value_put_key(out, key)) {
        processed_out_of_memory(p);
        return false;
    }
    return true;
}

void processed_keep(struct processed *p, struct value_bytes *out, uint32_t *count, struct slice key)
{
    if (processed_keep_key(p, out, count, processed_intern(p, key)))
        value_from_json(p->r, &p->profile->strings, out);
}

void processed_keep_end(struct processed *p, struct value_bytes *out, uint32_t count)
{
    if (count > 0 && json_ok(p->r) && !value_close_object(out, 0, count))
        processed_out_of_memory(p);
}

/* ---- reading out of order ---- */

void processed_replay(struct processed *p, struct slice text, uint64_t offset, void (*read)(struct processed *p))
{
    if (!text.text || !json_ok(p->r))
        return;
    struct json_reader *file = p->r;
    struct error *error = p->error, part_error = {0};
    p->error = &part_error;
    struct byte_source *source = byte_source_memory(text, 0, false, &part_error);
    p->r = source ? json_reader_open(source, &part_error) : NULL;
    if (p->r) {
        read(p);
        json_finish(p->r);
    }
    json_reader_close(p->r);
    byte_source_close(source);
    p->r = file;
    p->error = error;
    if (part_error.code == -EBADMSG)
        processed_fail(p, "%s of the part that starts at byte %" PRIu64, part_error.message, offset);
    else if (part_error.code == -ENOMEM)
        processed_out_of_memory(p);
    else if (part_error.code != 0)
        processed_fail(p, "%s", part_error.message);
}

/* ---- libraries ---- */

static void read_lib(struct processed *p)
{
    struct lib lib = {STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE};
    const struct {
        const char *key;
        struct string_index *into;
    } fields[] = {
        {"name", &lib.name},
        {"path", &lib.path},
        {"debugName", &lib.debug_name},
        {"debugPath", &lib.debug_path},
        {"breakpadId", &lib.breakpad_id},
        {"codeId", &lib.code_id},
        {"arch", &lib.arch},
    };
    if (json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key);) {
            struct string_index *into = NULL;
            for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
                if (slice_equal(key, slice_of(fields[i].key)))
                    into = fields[i].into;
            if (into)
                *into = processed_read_name(p, NULL);
            else
                json_skip(p->r);
        }
    /* Rows must keep their numbers, also those of equal libraries. */
    if (json_ok(p->r) && !lib_exists(lib_table_append(&p->profile->libs, &lib)))
        processed_out_of_memory(p);
}

static void read_libs(struct processed *p)
{
    if (json_begin_array(p->r))
        while (json_next_item(p->r))
            read_lib(p);
}

/* ---- the shared part ---- */

static void read_shared(struct processed *p)
{
    struct shared_tables *tables = shared_tables_create(p);
    if (tables && json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key);) {
            if (slice_is(key, "stringArray"))
                processed_read_strings(p);
            else if (!shared_tables_read(p, tables, key))
                json_skip(p->r);
        }
    if (tables)
        shared_tables_add(p, tables);
    shared_tables_free(tables);
    p->strings_known = true;
}

/* ---- the top level ---- */

/* A part of the file that came before something it depends on. */
struct early_part {
    struct slice text; /* NULL = there is none */
    uint64_t offset;   /* of the text in the file */
};

static void part_capture(struct processed *p, struct early_part *part)
{
    part->offset = json_offset(p->r);
    part->text = json_capture(p->r);
}

static void part_replay(struct processed *p, struct early_part *part, void (*read)(struct processed *p))
{
    processed_replay(p, part->text, part->offset, read);
    memory_release((char *)part->text.text);
    part->text.text = NULL;
}

static void read_top_level(struct processed *p)
{
    struct early_part shared = {0}, counters = {0}, threads = {0};
    bool has_threads = false;
    if (json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key);) {
            bool ready = p->version > 0;
            if (slice_is(key, "meta")) {
                processed_read_meta(p);
            } else if (slice_is(key, "libs")) {
                read_libs(p);
            } else if (slice_is(key, "pages")) {
                if (!json_null(p->r))
                    value_from_json(p->r, &p->profile->strings, &p->profile->pages);
            } else if (slice_is(key, "shared")) {
                ready ? read_shared(p) : part_capture(p, &shared);
            } else if (slice_is(key, "counters") && json_peek(p->r) == JSON_ARRAY) {
                ready ? processed_read_counters(p) : part_capture(p, &counters);
            } else if (slice_is(key, "threads")) {
                ready &= p->strings_known || p->version < PROCESSED_SHARED_STRINGS;
                ready ? processed_read_threads(p) : part_capture(p, &threads);
                has_threads = true;
            } else {
                processed_keep(p, &p->profile->other, &p->other_count, key);
            }
        }
    if (p->version == 0)
        processed_fail(p, "not a processed profile: there is no `meta`");
    if (!has_threads)
        processed_fail(p, "not a processed profile: there are no `threads`");
    part_replay(p, &shared, read_shared);
    if (!p->strings_known && p->version >= PROCESSED_SHARED_STRINGS)
        processed_fail(p, "a processed profile of version %d has `shared`, this one has not", p->version);
    part_replay(p, &counters, processed_read_counters);
    part_replay(p, &threads, processed_read_threads);
    processed_add_schemas(p);
    processed_keep_end(p, &p->profile->other, p->other_count);
}

static void processed_free(struct processed *p)
{
    string_fields_free(&p->string_fields);
    vec_free(&p->strings);
    vec_free(&p->resource_libs);
    vec_free(&p->implementations);
    map_free(&p->implementation_rows);
    map_free(&p->resource_keys);
    map_free(&p->native_symbol_keys);
    value_bytes_free(&p->payload_scratch);
}

int import_processed(struct json_reader *r, struct profile *profile, struct error *error)
{
    struct processed p = {
        .r = r, .profile = profile, .error = error, .jit_category = category_none(), .last_number_name = STRING_NONE};
    read_top_level(&p);
    processed_free(&p);
    if (json_finish(r) != 0)
        return error->code;
    for (size_t i = 0; i < profile->counters.rows.count; i++)
        if (profile->counters.rows.items[i].main_thread.i >= profile->threads.count)
            return error_set(error, -EINVAL, "counter %zu: main thread %" PRIu32 " is not one of %zu", i,
                             profile->counters.rows.items[i].main_thread.i, profile->threads.count);
    return profile_finish(profile, error);
}
