/* The arguments of all events, which the reader of traces has kept as texts, packed: one JSON reader goes through all of them
 * as if they were the items of one array. */
#include "import/trace_payload.h"

struct texts_source {
    struct byte_source base;
    const struct slice *texts;
    size_t count;
    size_t next;      /* text */
    size_t offset;    /* in it */
    bool begun;       /* what stands before it was given */
    bool has_bracket; /* that of the end was given */
};

static ssize_t texts_source_read(struct byte_source *base, char *buffer, size_t capacity, struct error *error)
{
    (void)error;
    struct texts_source *source = (struct texts_source *)base;
    size_t used = 0;
    while (used < capacity && !source->has_bracket) {
        if (source->next == source->count) {
            buffer[used++] = ']';
            source->has_bracket = true;
        } else if (!source->begun) {
            buffer[used++] = source->next == 0 ? '[' : ',';
            source->begun = true;
        } else {
            struct slice rest = slice_from(source->texts[source->next], source->offset);
            size_t piece = rest.length < capacity - used ? rest.length : capacity - used;
            memcpy(buffer + used, rest.text, piece);
            used += piece;
            source->offset += piece;
            if (piece == rest.length) {
                source->next++;
                source->offset = 0;
                source->begun = false;
            }
        }
    }
    return (ssize_t)used;
}

int trace_payloads_pack(struct trace_payloads *payloads, const struct slice *texts, size_t count, struct error *error)
{
    struct texts_source source = {.base = {.read = texts_source_read}, .texts = texts, .count = count};
    payloads->places = memory_array(count + 1, sizeof *payloads->places);
    if (!payloads->places)
        return error_out_of_memory(error);
    if (count == 0)
        return 0;
    struct json_reader *r = json_reader_open(&source.base, error);
    if (!r)
        return error->code;
    json_allow_repeated_keys(r, true);
    json_begin_array(r);
    for (size_t i = 0; i < count && json_next_item(r); i++) {
        payloads->places[i] = payloads->arguments.bytes.count;
        value_from_json(r, &payloads->profile->strings, &payloads->arguments);
    }
    int failed = json_ok(r) ? 0 : error->code;
    json_reader_close(r);
    return failed;
}
