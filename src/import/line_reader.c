#include "import/line_reader.h"

#include "common/json_text.h"

#include <errno.h>
#include <string.h>

enum { READ_BYTES = 64 << 10 };

void line_reader_init(struct line_reader *reader, struct byte_source *source, struct error *error)
{
    *reader = (struct line_reader){.source = source, .error = error};
}

void line_reader_free(struct line_reader *reader)
{
    vec_free(&reader->buffer);
    vec_free(&reader->mended);
}

/* Reads more bytes behind those that are left. False at the end and after an error. */
static bool fill(struct line_reader *reader)
{
    size_t left = reader->buffer.count - reader->start;
    if (left > LINE_MAX_BYTES) {
        error_set(reader->error, -EINVAL, "line %llu is longer than %d bytes", (unsigned long long)reader->number + 1,
                  LINE_MAX_BYTES);
        return false;
    }
    if (reader->start > 0) {
        memmove(reader->buffer.items, reader->buffer.items + reader->start, left);
        reader->buffer.count = left;
        reader->searched -= reader->start;
        reader->start = 0;
    }
    if (reader->buffer.capacity - left < READ_BYTES && !vec_reserve(&reader->buffer, left + READ_BYTES)) {
        error_out_of_memory(reader->error);
        return false;
    }
    ssize_t count =
        reader->source->read(reader->source, reader->buffer.items + left, reader->buffer.capacity - left, reader->error);
    if (count > 0)
        reader->buffer.count += (size_t)count;
    else
        reader->at_end = true;
    return count > 0;
}

/* Puts U+FFFD in the place of each byte that is not UTF-8. */
static bool mend(struct line_reader *reader, struct slice *line)
{
    static const char replacement[] = {'\xef', '\xbf', '\xbd'};
    const char *at = line->text, *end = line->text + line->length;
    reader->mended.count = 0;
    for (;;) {
        const char *bad = utf8_check(at, end);
        size_t good = (size_t)(bad - at), count = reader->mended.count;
        if (!vec_reserve(&reader->mended, count + good + sizeof replacement)) {
            error_out_of_memory(reader->error);
            return false;
        }
        memcpy(reader->mended.items + count, at, good);
        reader->mended.count += good;
        if (bad == end)
            break;
        memcpy(reader->mended.items + count + good, replacement, sizeof replacement);
        reader->mended.count += sizeof replacement;
        at = bad + 1;
    }
    *line = (struct slice){reader->mended.items, reader->mended.count};
    return true;
}

static bool hand_out(struct line_reader *reader, size_t end, size_t next, struct slice *line)
{
    size_t start = reader->start;
    if (end > start && reader->buffer.items[end - 1] == '\r')
        end--;
    *line = (struct slice){reader->buffer.items + start, end - start};
    reader->start = reader->searched = next;
    reader->number++;
    return utf8_check(line->text, line->text + line->length) == line->text + line->length || mend(reader, line);
}

bool line_reader_next(struct line_reader *reader, struct slice *line)
{
    if (reader->error->code != 0)
        return false;
    for (;;) {
        size_t count = reader->buffer.count;
        const char *items = reader->buffer.items;
        const char *newline =
            count > reader->searched ? memchr(items + reader->searched, '\n', count - reader->searched) : NULL;
        if (newline) {
            size_t end = (size_t)(newline - items);
            return hand_out(reader, end, end + 1, line);
        }
        reader->searched = count;
        if (!reader->at_end && fill(reader))
            continue;
        if (reader->error->code != 0 || reader->start == reader->buffer.count)
            return false;
        return hand_out(reader, reader->buffer.count, reader->buffer.count, line);
    }
}
