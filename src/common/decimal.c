#include "common/decimal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_decimal(const char *text, size_t length, double *value)
{
    char copy[64];
    if (length == 0 || length >= sizeof copy)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]) && (text[i] == '\0' || !strchr("+-.eE", text[i])))
            return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

static const struct {
    const char *name;
    double seconds;
} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}};

bool parse_time(const char *text, size_t length, double unit, double *seconds)
{
    size_t unit_length = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t name = strlen(units[i].name);
        if (name > unit_length && name < length && memcmp(text + length - name, units[i].name, name) == 0) {
            unit_length = name;
            unit = units[i].seconds;
        }
    }
    if (!parse_decimal(text, length - unit_length, seconds))
        return false;
    *seconds *= unit;
    return isfinite(*seconds);
}
