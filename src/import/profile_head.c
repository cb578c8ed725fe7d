#include "import/profile_head.h"

#include "common/byte_source.h"
#include "common/json_reader.h"

#include <math.h>
#include <stdio.h>

static void copy_text(struct json_reader *r, char *out, size_t room)
{
    if (json_peek(r) != JSON_STRING) {
        json_skip(r);
        return;
    }
    struct slice text = json_string(r);
    snprintf(out, room, "%.*s", (int)(text.length < room ? text.length : room), text.text);
}

static double number_or_nothing(struct json_reader *r)
{
    if (json_peek(r) == JSON_NUMBER)
        return json_number(r);
    json_skip(r);
    return NAN;
}

static bool read_meta(struct json_reader *r, struct profile_head *head)
{
    double start = NAN, end = NAN, interval = NAN;
    char product[sizeof head->command] = "";
    if (!json_begin_object(r))
        return false;
    for (struct slice key; json_next_key(r, &key);)
        if (slice_is(key, "arguments"))
            copy_text(r, head->command, sizeof head->command);
        else if (slice_is(key, "product"))
            copy_text(r, product, sizeof product);
        else if (slice_is(key, "interval"))
            interval = number_or_nothing(r);
        else if (slice_is(key, "profilingStartTime"))
            start = number_or_nothing(r);
        else if (slice_is(key, "profilingEndTime"))
            end = number_or_nothing(r);
        else
            json_skip(r);
    if (!*head->command)
        memcpy(head->command, product, sizeof product);
    head->duration_ms = end - start;
    return json_ok(r) && !isnan(interval);
}

bool profile_head_read(const char *path, struct profile_head *head)
{
    struct error error = {0};
    struct slice key;
    *head = (struct profile_head){.duration_ms = NAN};
    struct byte_source *source = byte_source_open(path, NULL, &error);
    struct json_reader *r = source ? json_reader_open(source, &error) : NULL;
    bool found = r && json_peek(r) == JSON_OBJECT && json_begin_object(r) && json_next_key(r, &key) && slice_is(key, "meta") &&
                 read_meta(r, head);
    json_reader_close(r);
    byte_source_close(source);
    return found;
}
