#include "symbols/symbol_notes.h"

static bool put_key(struct profile *profile, struct value_bytes *out, struct slice key)
{
    struct string_index string = string_table_add(&profile->strings, key);
    return string_exists(string) && value_put_key(out, string);
}

static bool put_text(struct profile *profile, struct value_bytes *out, struct slice key, struct slice text)
{
    struct string_index string = string_table_add(&profile->strings, text);
    return string_exists(string) && put_key(profile, out, key) && value_put_string(out, string);
}

static bool put_report(struct profile *profile, struct value_bytes *out, const struct symbol_report *report)
{
    if (!value_put_array(out, (uint32_t)report->modules.count))
        return false;
    for (size_t i = 0; i < report->modules.count; i++) {
        const struct module_report *module = &report->modules.items[i];
        const struct lib *lib = &profile->libs.rows.items[module->lib.i];
        if (!value_put_object(out, 4) || !put_text(profile, out, SLICE("name"), profile_text(profile, lib->name)) ||
            !put_text(profile, out, SLICE("debugId"), profile_text(profile, lib->breakpad_id)) ||
            !put_text(profile, out, SLICE("status"), slice_of(symbol_status_name(module->outcome.status))) ||
            !put_text(profile, out, SLICE("detail"), slice_of(module->outcome.detail)))
            return false;
    }
    return true;
}

/* The keys and values of an object but for one key; how many there are is added to *count. */
static bool put_others(const struct profile *profile, struct value_bytes *out, const uint8_t *object, struct slice but,
                       uint32_t *count)
{
    struct value whole = object ? value_read(object) : (struct value){.kind = VALUE_NULL};
    const uint8_t *at = whole.rest;
    for (uint32_t i = 0; whole.kind == VALUE_OBJECT && i < whole.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (slice_equal(profile_text(profile, key), but))
            continue;
        if (!value_put_key(out, key) || !value_put_copy(out, at))
            return false;
        ++*count;
    }
    return true;
}

static const uint8_t *find(const struct profile *profile, const uint8_t *object, struct slice key)
{
    return value_find(object, string_table_find(&profile->strings, key));
}

static const uint8_t *find_own(const struct profile *profile)
{
    const struct value_bytes *meta = &profile->meta.whole;
    return meta->bytes.count > 0 ? find(profile, meta->bytes.items, SLICE("sonde")) : NULL;
}

bool symbol_notes_write(struct profile *profile, const struct symbol_report *report)
{
    struct value_bytes *meta = &profile->meta.whole, out = {0};
    uint32_t keys = 1, own_keys = 1;
    size_t place = value_open(&out), own_place;
    bool done = place != SIZE_MAX &&
                put_others(profile, &out, meta->bytes.count > 0 ? meta->bytes.items : NULL, SLICE("sonde"), &keys) &&
                put_key(profile, &out, SLICE("sonde")) && (own_place = value_open(&out)) != SIZE_MAX &&
                put_others(profile, &out, find_own(profile), SLICE("symbols"), &own_keys) &&
                put_key(profile, &out, SLICE("symbols")) && put_report(profile, &out, report) &&
                value_close_object(&out, own_place, own_keys) && value_close_object(&out, place, keys);
    value_bytes_free(done ? meta : &out);
    if (done)
        *meta = out;
    return done;
}
