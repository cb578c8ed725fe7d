#include "capture/core/filters.h"

#include "common/slice.h"

#include <stddef.h>
#include <string.h>

/* Takes the next filter off the list; empty ones are skipped. */
static bool next_filter(const char **list, struct slice *filter)
{
    do {
        size_t length = strcspn(*list, ",");
        *filter = (struct slice){*list, length};
        *list += length;
        if (**list == ',')
            ++*list;
    } while (filter->length == 0 && **list);
    return filter->length > 0;
}

static bool is_pid_filter(struct slice filter)
{
    return slice_starts_with(filter, SLICE("pid:"));
}

/* An exact match of the text: no spaces, no leading zeros. */
static bool pid_filter_names(struct slice filter, int pid)
{
    char digits[16];
    size_t start = sizeof digits;
    do {
        digits[--start] = (char)('0' + pid % 10);
        pid /= 10;
    } while (pid > 0);
    return slice_equal(slice_from(filter, 4), (struct slice){digits + start, sizeof digits - start});
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool name_contains(const char *name, struct slice part)
{
    for (; *name; name++) {
        size_t i = 0;
        while (i < part.length && lower(name[i]) == lower(part.text[i]))
            i++;
        if (i == part.length)
            return true;
    }
    return false;
}

bool filters_select_thread(const char *filters, const char *name, int pid)
{
    bool any = false;
    struct slice filter;
    while (next_filter(&filters, &filter)) {
        any = true;
        if (slice_is(filter, "*") || name_contains(name, filter))
            return true;
        if (is_pid_filter(filter) && pid_filter_names(filter, pid))
            return true;
    }
    return !any;
}

bool filters_exclude_process(const char *filters, int pid)
{
    bool any = false;
    struct slice filter;
    while (next_filter(&filters, &filter)) {
        any = true;
        if (!is_pid_filter(filter) || pid_filter_names(filter, pid))
            return false;
    }
    return any;
}
