#include "api/reply.h"

#include <errno.h>

/* Columns are used in place, as little-endian typed arrays. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are copied as they are");

enum { TEXT_MOST = 1000 }; /* bytes of a text that are sent */

/* ---- the head ---- */

struct reply_sink {
    struct byte_sink base;
    struct text_buffer head;
};

static int sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct text_buffer *head = &((struct reply_sink *)sink)->head;
    text_add(head, bytes);
    return head->failed ? error_out_of_memory(error) : 0;
}

int reply_begin(struct reply *reply, enum api_format format, const struct profile *profile, const uint32_t *have,
                size_t have_count)
{
    *reply = (struct reply){.format = format, .profile = profile, .have_ids = have, .have_count = have_count};
    reply->sink = memory_zeroed(1, sizeof *reply->sink);
    if (!reply->sink)
        return -ENOMEM;
    reply->sink->base.write = sink_write;
    /* The place of the length of the head, which is known at its end. */
    if (format == API_BINARY)
        text_add(&reply->sink->head, SLICE("\0\0\0\0"));
    bool fits = !reply->sink->head.failed;
    for (size_t i = 0; i < have_count && fits; i++)
        fits = map_insert(&reply->have, hash_u64(have[i]), (uint32_t)i);
    if (fits)
        reply->json = json_writer_open(&reply->sink->base, 0, &reply->error);
    return reply->json ? 0 : -ENOMEM;
}

void reply_free(struct reply *reply)
{
    if (reply->json)
        json_writer_close(reply->json);
    if (reply->sink)
        text_free(&reply->sink->head);
    memory_release(reply->sink);
    text_free(&reply->columns);
    map_free(&reply->have);
    vec_free(&reply->ids);
}

static void put_padding(struct text_buffer *text)
{
    while (text->bytes.count % 8 != 0 && !text->failed)
        text_add_char(text, ' ');
}

static void put_length(struct text_buffer *head)
{
    uint32_t length = (uint32_t)(head->bytes.count - sizeof length);
    memcpy(head->bytes.items, &length, sizeof length);
}

int reply_end(struct reply *reply, struct text_buffer *out)
{
    int status = json_writer_close(reply->json);
    reply->json = NULL;
    if (status != 0 || reply->error.code != 0 || reply->columns.failed)
        return -ENOMEM;
    struct text_buffer *head = &reply->sink->head;
    size_t before = out->bytes.count;
    if (reply->format == API_BINARY)
        put_padding(head);
    if (head->failed)
        return -ENOMEM;
    if (reply->format == API_BINARY)
        put_length(head);
    text_add(out, text_slice(head));
    text_add(out, text_slice(&reply->columns));
    if (!out->failed)
        return 0;
    text_cut(out, before);
    out->failed = false;
    return -ENOMEM;
}

/* ---- values ---- */

void reply_put_number(struct reply *reply, const char *key, double number)
{
    json_write_key(reply->json, key);
    json_write_number(reply->json, number);
}

void reply_put_count(struct reply *reply, const char *key, size_t count)
{
    json_write_key(reply->json, key);
    json_write_integer(reply->json, (int64_t)count);
}

static void write_id(struct json_writer *w, uint32_t id)
{
    if (id == INDEX_NONE)
        json_write_null(w);
    else
        json_write_integer(w, id);
}

void reply_put_id(struct reply *reply, const char *key, uint32_t id)
{
    json_write_key(reply->json, key);
    write_id(reply->json, id);
}

void reply_put_boolean(struct reply *reply, const char *key, bool boolean)
{
    json_write_key(reply->json, key);
    json_write_boolean(reply->json, boolean);
}

void reply_put_text(struct reply *reply, const char *key, const char *text)
{
    json_write_key(reply->json, key);
    json_write_text(reply->json, text);
}

static struct slice text_of(const struct reply *reply, struct string_index string)
{
    return reply->marker_texts ? marker_text(reply->marker_texts, string) : profile_text(reply->profile, string);
}

/* As much of a text as is sent: it does not end within a character. */
static struct slice cut_text(struct slice text)
{
    if (text.length <= TEXT_MOST)
        return text;
    size_t length = TEXT_MOST;
    while (length > TEXT_MOST - 4 && ((unsigned char)text.text[length] & 0xc0) == 0x80)
        length--;
    return slice_until(text, length);
}

void reply_put_slice(struct reply *reply, const char *key, struct slice text)
{
    json_write_key(reply->json, key);
    json_write_string(reply->json, cut_text(text));
}

void reply_put_string(struct reply *reply, const char *key, struct string_index string)
{
    json_write_key(reply->json, key);
    if (string_exists(string))
        json_write_string(reply->json, cut_text(text_of(reply, string)));
    else
        json_write_null(reply->json);
}

void reply_put_funcs(struct reply *reply, const char *key, const uint32_t *funcs, size_t count)
{
    json_write_key(reply->json, key);
    json_write_begin_array(reply->json);
    for (size_t i = 0; i < count; i++)
        write_id(reply->json, funcs[i]);
    json_write_end_array(reply->json);
}

/* ---- columns ---- */

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [REPLY_U8] = {"u8", 1},  [REPLY_U16] = {"u16", 2}, [REPLY_U32] = {"u32", 4},
    [REPLY_ID] = {"u32", 4}, [REPLY_F32] = {"f32", 4}, [REPLY_F64] = {"f64", 8},
};

void reply_begin_columns(struct reply *reply)
{
    json_write_key(reply->json, "columns");
    json_write_begin_object(reply->json);
}

void reply_end_columns(struct reply *reply)
{
    json_write_end_object(reply->json);
}

static void write_number(struct json_writer *w, enum reply_type type, const void *numbers, size_t i)
{
    switch (type) {
    case REPLY_U8:
        json_write_integer(w, ((const uint8_t *)numbers)[i]);
        break;
    case REPLY_U16:
        json_write_integer(w, ((const uint16_t *)numbers)[i]);
        break;
    case REPLY_U32:
        json_write_integer(w, ((const uint32_t *)numbers)[i]);
        break;
    case REPLY_ID:
        write_id(w, ((const uint32_t *)numbers)[i]);
        break;
    case REPLY_F32:
        json_write_number(w, (double)((const float *)numbers)[i]);
        break;
    case REPLY_F64:
        json_write_number(w, ((const double *)numbers)[i]);
        break;
    }
}

void reply_column(struct reply *reply, const char *name, enum reply_type type, const void *numbers, size_t count)
{
    struct json_writer *w = reply->json;
    json_write_key(w, name);
    if (reply->format == API_JSON) {
        json_write_begin_array(w);
        for (size_t i = 0; i < count; i++)
            write_number(w, type, numbers, i);
        json_write_end_array(w);
        return;
    }
    json_write_begin_object(w);
    reply_put_text(reply, "type", types[type].name);
    reply_put_count(reply, "offset", reply->columns.bytes.count);
    reply_put_count(reply, "count", count);
    json_write_end_object(w);
    if (count > 0)
        text_add(&reply->columns, (struct slice){numbers, count * types[type].size});
    put_padding(&reply->columns);
}

/* ---- texts ---- */

static bool is_known(const struct reply *reply, uint32_t id)
{
    uint32_t at;
    for (struct map_probe probe = map_probe(&reply->have, hash_u64(id)); map_probe_next(&probe, &at);)
        if ((at < reply->have_count ? reply->have_ids[at] : reply->ids.items[at - reply->have_count]) == id)
            return true;
    return false;
}

void reply_use_string(struct reply *reply, struct string_index string)
{
    if (!string_exists(string) || is_known(reply, string.i))
        return;
    if (!vec_push(&reply->ids, string.i) ||
        !map_insert(&reply->have, hash_u64(string.i), (uint32_t)(reply->have_count + reply->ids.count - 1)))
        error_out_of_memory(&reply->error);
}

void reply_put_strings(struct reply *reply)
{
    struct json_writer *w = reply->json;
    json_write_key(w, "strings");
    json_write_begin_object(w);
    reply_put_funcs(reply, "ids", reply->ids.items, reply->ids.count);
    json_write_key(w, "texts");
    json_write_begin_array(w);
    for (size_t i = 0; i < reply->ids.count; i++)
        json_write_string(w, cut_text(text_of(reply, string_at(reply->ids.items[i]))));
    json_write_end_array(w);
    json_write_key(w, "cut");
    json_write_begin_array(w);
    for (size_t i = 0; i < reply->ids.count; i++)
        if (text_of(reply, string_at(reply->ids.items[i])).length > TEXT_MOST)
            json_write_integer(w, reply->ids.items[i]);
    json_write_end_array(w);
    json_write_end_object(w);
}
