#include "tree/range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

size_t times_lower_bound(const double *times, size_t first, size_t end, double time)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (times[middle] < time)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* ---- in addresses ---- */

/* A number of ms as a whole number of the unit. The decimal text is cut, not the number: 1.2345 ms is 1234500 ns although the
 * double times a million is a little less. */
static long long cut_to(double ms, int digits)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", digits + 6, ms);
    char *point = text + (int)(strchr(text, '.') - text);
    memmove(point, point + 1, (size_t)digits);
    point[digits] = '\0';
    return atoll(text);
}

void range_encode(const struct time_range *range, struct text_buffer *out)
{
    double duration = range->end - range->start;
    int digits = duration > 9 ? 0 : duration > 0.009 ? 3 : 6;
    double unit = digits == 0 ? 1 : digits == 3 ? 1e3 : 1e6;
    long long start = cut_to(range->start, digits);
    /* What a double cannot say exactly must not become one unit more. */
    long long length = (long long)ceil(range->end * unit - 1e-6) - start;
    char text[64];
    int written = start == 0 ? 0 : snprintf(text, sizeof text, "%lld", start);
    written += snprintf(text + written, sizeof text - (size_t)written, "%c%lld",
                        digits == 0   ? 'm'
                        : digits == 3 ? 'u'
                                      : 'n',
                        length > 1 ? length : 1);
    text_add(out, (struct slice){text, (size_t)written});
}

static bool read_whole(struct slice *text, double *number)
{
    bool negative = text->length > 0 && text->text[0] == '-';
    size_t digits = negative;
    *number = 0;
    while (digits < text->length && text->text[digits] >= '0' && text->text[digits] <= '9')
        *number = *number * 10 + (text->text[digits++] - '0');
    bool any = digits > (size_t)negative;
    if (negative)
        *number = -*number;
    *text = slice_from(*text, digits);
    return any;
}

bool range_decode(struct slice text, struct time_range *range)
{
    double start, length;
    read_whole(&text, &start);
    if (text.length == 0)
        return false;
    char letter = text.text[0];
    double unit = letter == 'm' ? 1 : letter == 'u' ? 1e3 : 1e6;
    text = slice_from(text, 1);
    if ((letter != 'm' && letter != 'u' && letter != 'n') || !read_whole(&text, &length) || text.length > 0)
        return false;
    range->start = start / unit;
    range->end = (start + length) / unit;
    if (length == 0)
        range->end += 0.0001;
    return true;
}
