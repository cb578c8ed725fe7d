#include "capture/counters/sys_file.h"

#include "capture/core/proc_file.h"

#include <string.h>

bool sys_path_join(char *out, size_t room, const char *const *parts, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(parts[i]);
        if (length >= room - used)
            return false;
        memcpy(out + used, parts[i], length);
        used += length;
    }
    out[used] = '\0';
    return true;
}

const char *sys_number_text(char text[SYS_NUMBER_ROOM], uint64_t number)
{
    char *at = text + SYS_NUMBER_ROOM - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return at;
}

const char *sys_number(const char *text, unsigned base, uint64_t *number)
{
    *number = 0;
    for (;; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a') + 10
                         : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A') + 10
                                                        : base;
        if (digit >= base)
            return text;
        *number = *number * base + digit;
    }
}

double sys_decimal(const char *text)
{
    double value = 0;
    int exponent = 0;
    for (bool fraction = false; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = true;
        } else {
            value = value * 10 + (*text - '0');
            exponent -= fraction;
        }
    }
    if (*text == 'e' || *text == 'E') {
        bool negative = text[1] == '-';
        uint64_t given;
        sys_number(text + 1 + (text[1] == '-' || text[1] == '+'), 10, &given);
        exponent += negative ? -(int)(given % 400) : (int)(given % 400);
    }
    for (; exponent > 0; exponent--)
        value *= 10;
    double divisor = 1;
    for (; exponent < 0; exponent++)
        divisor *= 10;
    return value / divisor;
}

bool sys_file_text(const char *path, char *text, size_t room)
{
    ssize_t length = proc_file_read(path, text, room);
    if (length <= 0)
        return false;
    if (text[length - 1] == '\n')
        text[length - 1] = '\0';
    return true;
}

bool sys_file_number(const char *path, uint64_t *number)
{
    char text[32];
    return sys_file_text(path, text, sizeof text) && sys_number(text, 10, number) > text;
}

uint64_t sys_list_next(struct sys_list *list)
{
    if (list->in_range && list->next < list->last)
        return ++list->next;
    list->in_range = false;
    const char *end = sys_number(list->at, 10, &list->next);
    if (end == list->at)
        return UINT64_MAX;
    if (*end == '-') {
        end = sys_number(end + 1, 10, &list->last);
        list->in_range = true;
    }
    list->at = end + (*end == ',');
    return list->next;
}
