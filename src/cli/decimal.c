#include "cli/decimal.h"

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
