/* A reply being put together: a JSON head, and columns of numbers behind it.
 *
 *     binary    u32 length of the head │ head, with spaces at the end │ column │ column │ …
 *                                                                     └ offset 0; every column starts at a multiple of 8
 *     JSON      the head, with the numbers in place of where they are
 *
 * Answers are written once for both: the head through `reply->json`, columns through reply_column(). */
#ifndef SONDE_API_REPLY_H
#define SONDE_API_REPLY_H

#include "api/format.h"
#include "common/json_writer.h"
#include "common/map.h"
#include "common/text_buffer.h"
#include "markers/texts.h"

enum reply_type {
    REPLY_U8,
    REPLY_U16,
    REPLY_U32,
    REPLY_ID, /* u32 where the largest number means none; null in JSON */
    REPLY_F32,
    REPLY_F64,
};

struct reply_sink;

struct reply {
    enum api_format format;
    struct json_writer *json;
    struct reply_sink *sink;
    struct text_buffer columns;
    const struct profile *profile;
    const struct marker_texts *marker_texts; /* where ids go on after the profile's strings; NULL = they do not */
    struct map have;                         /* places in have_ids, or in `ids` behind them */
    const uint32_t *have_ids;                /* texts that the client has */
    size_t have_count;
    VEC(uint32_t) ids; /* texts that it is sent */
    struct error error;
};

/* `have` must outlive the reply. 0 or -ENOMEM; the reply is to be freed in any case. */
int reply_begin(struct reply *reply, enum api_format format, const struct profile *profile, const uint32_t *have,
                size_t have_count);
void reply_free(struct reply *reply);

/* A key with its value. */
void reply_put_number(struct reply *reply, const char *key, double number); /* NaN = null */
void reply_put_count(struct reply *reply, const char *key, size_t count);
void reply_put_id(struct reply *reply, const char *key, uint32_t id); /* INDEX_NONE = null */
void reply_put_boolean(struct reply *reply, const char *key, bool boolean);
void reply_put_text(struct reply *reply, const char *key, const char *text);
void reply_put_slice(struct reply *reply, const char *key, struct slice text);
void reply_put_string(struct reply *reply, const char *key, struct string_index string); /* as text; STRING_NONE = null */
void reply_put_funcs(struct reply *reply, const char *key, const uint32_t *funcs, size_t count);

/* `columns` of a part: between these two any number of columns. */
void reply_begin_columns(struct reply *reply);
void reply_end_columns(struct reply *reply);
void reply_column(struct reply *reply, const char *name, enum reply_type type, const void *numbers, size_t count);

/* Notes that the reply names this text, which is sent unless the client has it. STRING_NONE is fine. */
void reply_use_string(struct reply *reply, struct string_index string);

/* The texts that were noted, as `strings`. */
void reply_put_strings(struct reply *reply);

/* Ends the head and appends the reply. 0 or -ENOMEM with `out` as it was. */
int reply_end(struct reply *reply, struct text_buffer *out);

#endif
