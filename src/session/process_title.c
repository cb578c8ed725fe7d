#include "session/process_title.h"

static const struct slice ellipsis = {"…", sizeof "…" - 1};

/* The arguments behind the first. */
static struct slice other_arguments(struct slice arguments)
{
    const char *end = arguments.length > 0 ? memchr(arguments.text, '\0', arguments.length) : NULL;
    return end ? slice_from(arguments, (size_t)(end + 1 - arguments.text)) : (struct slice){"", 0};
}

/* Where to cut, at `length` or before, so that no character is in pieces. */
static size_t whole_characters(const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

struct slice process_title(const struct process_entry *entry, char room[PROCESS_TITLE_BYTES])
{
    struct slice arguments = other_arguments(entry->arguments);
    const struct slice parts[] = {entry->name, arguments.length > 0 ? SLICE(" ") : arguments, arguments};
    const size_t most = PROCESS_TITLE_BYTES - ellipsis.length;
    size_t length = 0;
    bool cut = false;
    for (size_t part = 0; part < sizeof parts / sizeof *parts && !cut; part++)
        for (size_t i = 0; i < parts[part].length && !cut; i++) {
            unsigned char c = (unsigned char)parts[part].text[i];
            room[length] = (char)(c < ' ' || c == 0x7f ? ' ' : c);
            cut = length == most;
            length += !cut;
        }
    if (cut) {
        length = whole_characters(room, length);
        memcpy(room + length, ellipsis.text, ellipsis.length);
        return (struct slice){room, length + ellipsis.length};
    }
    while (length > 0 && room[length - 1] == ' ')
        length--;
    return (struct slice){room, length};
}
