#include "common/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_file_read(const char *path, char *text, size_t room)
{
    text[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    /* Once: what is smaller than a page comes whole. */
    ssize_t got;
    do
        got = read(file, text, room - 1);
    while (got < 0 && errno == EINTR);
    ssize_t result = got < 0 ? -errno : got;
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return result;
}

bool proc_file_line(const char *path, char *text, size_t room)
{
    ssize_t length = proc_file_read(path, text, room);
    if (length <= 0)
        return false;
    if (text[length - 1] == '\n')
        text[length - 1] = '\0';
    return true;
}

bool proc_file_number(const char *path, uint64_t *number)
{
    char text[32];
    return proc_file_line(path, text, sizeof text) && number_parse(text, 10, number) > text;
}

const char *proc_stat_field(const char *text, unsigned number)
{
    const char *field = strrchr(text, ')');
    for (unsigned at = 2; field && at < number; at++) {
        field = strchr(field, ' ');
        field = field ? field + 1 : NULL;
    }
    return field;
}

const char *number_parse(const char *text, unsigned base, uint64_t *number)
{
    *number = 0;
    for (;; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a') + 10
                         : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A') + 10
                                                        : base;
        if (digit >= base)
            return text;
        if (__builtin_mul_overflow(*number, base, number) || __builtin_add_overflow(*number, digit, number))
            *number = UINT64_MAX;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *decimal_parse(const char *text, double *number)
{
    double value = 0, divisor = 1;
    int exponent = 0;
    bool fraction = false;
    for (; is_digit(*text) || (*text == '.' && !fraction && is_digit(text[1])); text++) {
        if (*text == '.') {
            fraction = true;
        } else {
            value = value * 10 + (*text - '0');
            exponent -= fraction;
        }
    }
    bool is_signed = (*text == 'e' || *text == 'E') && (text[1] == '-' || text[1] == '+');
    if ((*text == 'e' || *text == 'E') && is_digit(text[1 + is_signed])) {
        uint64_t given;
        bool negative = text[1] == '-';
        text = number_parse(text + 1 + is_signed, 10, &given);
        int clamped = given < 400 ? (int)given : 400;
        exponent += negative ? -clamped : clamped;
    }
    for (; exponent > 0; exponent--)
        value *= 10;
    for (; exponent < 0; exponent++)
        divisor *= 10;
    *number = value / divisor;
    return text;
}

uint64_t cpu_list_next(struct cpu_list *list)
{
    if (list->in_range && list->next < list->last)
        return ++list->next;
    list->in_range = false;
    const char *end = number_parse(list->at, 10, &list->next);
    if (end == list->at)
        return UINT64_MAX;
    if (*end == '-') {
        end = number_parse(end + 1, 10, &list->last);
        list->in_range = true;
    }
    list->at = end + (*end == ',');
    return list->next;
}
