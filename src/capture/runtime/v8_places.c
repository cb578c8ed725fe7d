#include "capture/runtime/v8_places.h"

#include "looker/proc_text.h"
#include "session/descriptor.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 16 << 10, COMPARED_BYTES = 256 };

/* The mapping that the code is in, once a line has told of it, and the other one. */
struct search {
    uint64_t start, size;
    struct maps_line own;
    bool found_own;
    uint64_t other; /* 0 = none yet */
};

static bool covers(const struct maps_line *line, uint64_t offset, uint64_t size)
{
    uint64_t length = line->end - line->start;
    return offset >= line->offset && offset - line->offset <= length && length - (offset - line->offset) >= size;
}

static void take_line(struct search *search, struct slice text)
{
    struct maps_line line;
    if (!maps_line_parse(text, &line) || !line.executable || !line.readable || line.inode == 0)
        return;
    if (search->start >= line.start && search->start < line.end) {
        search->own = line;
        search->found_own = true;
        return;
    }
    if (!search->found_own || line.device != search->own.device || line.inode != search->own.inode)
        return;
    uint64_t offset = search->start - search->own.start + search->own.offset;
    if (covers(&line, offset, search->size))
        search->other = line.start + (offset - line.offset);
}

/* What is not a whole line stays at the start of `text`; returns how much that is. */
static size_t take_lines(struct search *search, char *text, size_t length)
{
    size_t done = 0;
    for (const char *end; (end = memchr(text + done, '\n', length - done)); done = (size_t)(end - text) + 1)
        take_line(search, (struct slice){text + done, (size_t)(end - text) - done});
    if (done == 0 && length == TEXT_BYTES)
        return 0;
    memmove(text, text + done, length - done);
    return length - done;
}

static void read_maps(struct search *search)
{
    char text[TEXT_BYTES];
    size_t kept = 0;
    ssize_t length;
    int fd = descriptor_move_up(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    if (fd < 0)
        return;
    while ((length = read(fd, text + kept, sizeof text - kept)) > 0)
        kept = take_lines(search, text, kept + (size_t)length);
    close(fd);
}

bool v8_other_place(uint64_t start, uint64_t size, uint64_t *other)
{
    struct search search = {.start = start, .size = size};
    /* Lines come by address: that of the other mapping may be the first. */
    for (unsigned i = 0; i < 2 && search.other == 0; i++)
        read_maps(&search);
    if (search.other == 0 || size < COMPARED_BYTES ||
        memcmp((const void *)(uintptr_t)start, (const void *)(uintptr_t)search.other, COMPARED_BYTES) != 0)
        return false;
    *other = search.other;
    return true;
}
