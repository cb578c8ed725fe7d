#include "import/gecko_table.h"

#include "common/memory.h"

#include <errno.h>

static unsigned field_of(const char *const *names, struct slice name)
{
    for (unsigned i = 0; names[i]; i++)
        if (slice_equal(name, slice_of(names[i])))
            return i + 1;
    return 0;
}

static void read_schema(struct json_reader *r, const char *const *names, struct gecko_schema *schema)
{
    if (!json_begin_object(r))
        return;
    for (struct slice name; json_next_key(r, &name);) {
        unsigned field = field_of(names, name);
        int64_t cell = json_integer(r);
        if (field == 0 || !json_ok(r))
            continue;
        if (cell < 0 || cell >= GECKO_MAX_CELLS)
            json_fail(r, "column \"%s\" at position %lld", names[field - 1], (long long)cell);
        else
            schema->fields[cell] = (uint8_t)field;
    }
}

struct late_rows {
    const struct gecko_schema *schema;
    gecko_read_rows *rows;
    void *data;
};

static void read_late_rows(struct json_reader *again, void *data)
{
    const struct late_rows *late = data;
    late->rows(again, late->schema, late->data);
}

void gecko_table_read(struct json_reader *r, const char *const *names, gecko_read_rows *rows, void *data)
{
    struct gecko_schema schema = {{0}};
    struct slice early = {NULL, 0}; /* rows that came before their schema */
    bool has_schema = false, has_data = false;
    if (!json_begin_object(r))
        return;
    for (struct slice key; json_next_key(r, &key);) {
        if (slice_is(key, "schema")) {
            read_schema(r, names, &schema);
            has_schema = true;
        } else if (slice_is(key, "data")) {
            if (has_data)
                json_fail(r, "a table with data twice"); /* where keys may be repeated, the reader lets it pass */
            else if (has_schema)
                rows(r, &schema, data);
            else
                early = json_capture(r);
            has_data = true;
        } else {
            json_skip(r);
        }
    }
    if (early.text && json_ok(r)) {
        struct late_rows late = {&schema, rows, data};
        if (has_schema)
            gecko_reread(r, early, read_late_rows, &late);
        else
            json_fail(r, "a table without a schema");
    }
    memory_release((char *)early.text);
}

void gecko_reread(struct json_reader *r, struct slice text, void (*read)(struct json_reader *again, void *data), void *data)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(text, 0, false, &error);
    struct json_reader *again = source ? json_reader_open(source, &error) : NULL;
    if (again) {
        json_allow_repeated_keys(again, true);
        read(again, data);
        json_finish(again);
    }
    if (error.code == -ENOMEM)
        json_fail_out_of_memory(r);
    else if (error.code)
        json_fail(r, "%s of a value that ends", error.message);
    json_reader_close(again);
    byte_source_close(source);
}
