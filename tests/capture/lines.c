#include "lines.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *find(const char *text, const char *pattern, size_t *count)
{
    static char line[1 << 17];
    static char found[1 << 17];
    const char *result = NULL;
    *count = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof line);
        memcpy(line, text, length);
        line[length] = '\0';
        if (fnmatch(pattern, line, 0) == 0) {
            if (!result)
                result = strcpy(found, line);
            ++*count;
        }
        text += length + (text[length] == '\n');
    }
    return result;
}

const char *line_like(const char *text, const char *pattern)
{
    size_t count;
    return find(text, pattern, &count);
}

size_t lines_like(const char *text, const char *pattern)
{
    size_t count;
    find(text, pattern, &count);
    return count;
}

void assert_line(const char *text, const char *pattern)
{
    if (!line_like(text, pattern))
        fail_msg("no line is like\n%s\nin\n%.20000s", pattern, text);
}

void assert_no_line(const char *text, const char *pattern)
{
    const char *line = line_like(text, pattern);
    if (line)
        fail_msg("the line\n%.2000s\nis like\n%s", line, pattern);
}

unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}
