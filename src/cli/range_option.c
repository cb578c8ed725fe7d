#include "cli/range_option.h"

#include "common/decimal.h"

#include <math.h>
#include <string.h>

static bool parse_point(const char *text, size_t length, bool is_end, struct time_point *point)
{
    *point = (struct time_point){.given = length > 0};
    if (length == 0)
        return true;
    if (!parse_time(text, length, 1, &point->seconds))
        return false;
    point->from_end = text[0] == '-';
    point->from_start = is_end && text[0] == '+';
    point->seconds = fabs(point->seconds);
    return true;
}

bool range_option_parse(const char *text, struct seconds_range *range)
{
    const char *comma = strchr(text, ',');
    *range = (struct seconds_range){.given = true, .text = text};
    return comma && parse_point(text, (size_t)(comma - text), false, &range->start) &&
           parse_point(comma + 1, strlen(comma + 1), true, &range->end);
}

bool range_option_is_backwards(const struct seconds_range *range)
{
    const struct time_point *start = &range->start, *end = &range->end;
    if (!start->given || !end->given || end->from_start || start->from_end != end->from_end)
        return false;
    return start->from_end ? start->seconds < end->seconds : start->seconds > end->seconds;
}

void range_option_resolve(const struct seconds_range *range, double length, double *start, double *end)
{
    *start = -INFINITY;
    *end = INFINITY;
    if (range->start.given)
        *start = range->start.from_end ? length - range->start.seconds : range->start.seconds;
    if (!range->end.given)
        return;
    *end = range->end.from_end ? length - range->end.seconds : range->end.seconds;
    if (range->end.from_start)
        *end = fmax(*start, 0) + range->end.seconds;
}

bool duration_parse(const char *text, double unit, double *seconds)
{
    return text[0] != '-' && text[0] != '\0' && parse_time(text, strlen(text), unit, seconds);
}
