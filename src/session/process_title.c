#include "session/process_title.h"

static const struct slice ellipsis = {"…", sizeof "…" - 1};

/* Takes the first argument off. */
static struct slice first_argument(struct slice *arguments)
{
    const char *end = arguments->length > 0 ? memchr(arguments->text, '\0', arguments->length) : NULL;
    struct slice first = slice_until(*arguments, end ? (size_t)(end - arguments->text) : arguments->length);
    *arguments = slice_from(*arguments, end ? first.length + 1 : first.length);
    return first;
}

static struct slice file_name(struct slice path)
{
    const char *slash = path.length > 0 ? memrchr(path.text, '/', path.length) : NULL;
    return slash ? slice_from(path, (size_t)(slash + 1 - path.text)) : path;
}

static struct slice folder_of(struct slice path)
{
    return slice_until(path, path.length - file_name(path).length);
}

/* A program that sets a title makes one text of all words: `/opt/app --log=/tmp/x` or `nginx: worker process`. Its name ends at
 * the first blank then, unless the blank is in the folder that the program is known to be in. */
static struct slice without_folder(struct slice first, struct slice executable)
{
    struct slice folder = folder_of(executable);
    if (folder.length > 0 && slice_starts_with(first, folder))
        return slice_from(first, folder.length);
    const char *blank = first.length > 0 ? memchr(first.text, ' ', first.length) : NULL;
    struct slice word = slice_until(first, blank ? (size_t)(blank - first.text) : first.length);
    return slice_from(first, folder_of(word).length);
}

/* A login shell is called by its name behind a dash. */
static struct slice name_of(const struct process_entry *entry, struct slice first)
{
    struct slice called = without_folder(first, entry->executable);
    if (called.length > 0 && called.text[0] == '-')
        called = slice_from(called, 1);
    bool own_name = !slice_equal(entry->name, file_name(entry->executable));
    return own_name || called.length == 0 ? entry->name : called;
}

struct slice process_called(const struct process_entry *entry)
{
    struct slice arguments = entry->arguments;
    return name_of(entry, first_argument(&arguments));
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
    struct slice arguments = entry->arguments, name = name_of(entry, first_argument(&arguments));
    const struct slice parts[] = {name, arguments.length > 0 ? SLICE(" ") : arguments, arguments};
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
