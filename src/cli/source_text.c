#include "cli/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* No source that people write is larger; whatever is, is not read. */
enum { LARGEST_SOURCE = 64 << 20 };

/* The file name comes from the profile: it may name anything, even something that blocks when it is opened. */
static int open_regular(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 || status.st_size > LARGEST_SOURCE) {
        close(fd);
        return -1;
    }
    *size = (size_t)status.st_size;
    return fd;
}

static void read_file(struct source_text *source, const char *path)
{
    size_t size;
    int fd = open_regular(path, &size);
    if (fd < 0)
        return;
    source->bytes = memory_array(size, 1);
    size_t done = 0;
    while (source->bytes && done < size) {
        ssize_t count = read(fd, source->bytes + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        done += (size_t)count;
    }
    close(fd);
    if (source->bytes)
        source->text = (struct slice){source->bytes, done};
}

static void split_lines(struct source_text *source)
{
    struct slice rest = source->text;
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

void source_text_find(struct source_text *source, const struct profile *profile, uint32_t source_index)
{
    *source = (struct source_text){.first_line = 1};
    if (source_index >= profile->sources.rows.count)
        return;
    const struct source *row = &profile->sources.rows.items[source_index];
    if (string_exists(row->content)) {
        source->text = profile_text(profile, row->content);
        source->first_line = row->start_line;
    } else {
        struct slice name = profile_text(profile, row->filename);
        struct slice scheme = SLICE("file://");
        /* Texts of the string table end in a NUL; one that holds another is no path. */
        if (memchr(name.text, '\0', name.length) == NULL)
            read_file(source, name.text + (slice_starts_with(name, scheme) ? scheme.length : 0));
    }
    split_lines(source);
}

void source_text_free(struct source_text *source)
{
    vec_free(&source->lines);
    memory_release(source->bytes);
}

struct slice source_text_line(const struct source_text *source, uint32_t line)
{
    if (line < source->first_line || line - source->first_line >= source->lines.count)
        return (struct slice){0};
    return source->lines.items[line - source->first_line];
}
