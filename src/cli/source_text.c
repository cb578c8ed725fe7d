#include "cli/source_text.h"

static void split_lines(struct source_text *source, struct slice text)
{
    struct slice rest = text;
    while (rest.length > 0) {
        const char *end = memchr(rest.text, '\n', rest.length);
        size_t length = end ? (size_t)(end - rest.text) : rest.length;
        struct slice line = slice_until(rest, length);
        if (slice_ends_with(line, SLICE("\r")))
            line.length--;
        if (!vec_push(&source->lines, line))
            return;
        rest = slice_from(rest, end ? length + 1 : length);
    }
}

void source_text_read(struct source_text *source, const struct source_search *search, const struct profile *profile,
                      struct slice path)
{
    struct error error = {0};
    *source = (struct source_text){.first_line = 1};
    if (source_file_read(search, path, &source->file, &error) != 0)
        return;
    source->changed = profile_start_is_date(profile) && source->file.modified > profile->meta.start_time;
    split_lines(source, (struct slice){source->file.bytes, source->file.size});
}

void source_text_find(struct source_text *source, const struct source_search *search, const struct profile *profile,
                      uint32_t source_index)
{
    *source = (struct source_text){.first_line = 1};
    if (source_index >= profile->sources.rows.count)
        return;
    const struct source *row = &profile->sources.rows.items[source_index];
    if (string_exists(row->content)) {
        source->first_line = row->start_line;
        split_lines(source, profile_text(profile, row->content));
        return;
    }
    struct slice path = profile_text(profile, row->filename), scheme = SLICE("file://");
    source_text_read(source, search, profile, slice_starts_with(path, scheme) ? slice_from(path, scheme.length) : path);
}

void source_text_free(struct source_text *source)
{
    vec_free(&source->lines);
    source_file_free(&source->file);
}

struct slice source_text_line(const struct source_text *source, uint32_t line)
{
    if (line < source->first_line || line - source->first_line >= source->lines.count)
        return (struct slice){0};
    return source->lines.items[line - source->first_line];
}
