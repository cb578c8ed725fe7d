/* A piece of text that somebody else owns: not NUL-terminated, may hold NUL bytes. */
#ifndef SONDE_COMMON_SLICE_H
#define SONDE_COMMON_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
    const char *text;
    size_t length;
};

#define SLICE(literal) ((struct slice){"" literal, sizeof(literal) - 1})

static inline struct slice slice_of(const char *text)
{
    return (struct slice){text, strlen(text)};
}

static inline bool slice_equal(struct slice a, struct slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

/* Less than, equal to or greater than 0, by their bytes. */
static inline int slice_compare(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter > 0 ? memcmp(a.text, b.text, shorter) : 0;
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* Compares with a literal; the compiler turns it into a few word compares. */
#define slice_is(value, literal)                                                                                               \
    __extension__({                                                                                                            \
        struct slice compared_ = (value);                                                                                      \
        compared_.length == sizeof(literal) - 1 && memcmp(compared_.text, "" literal, sizeof(literal) - 1) == 0;               \
    })

static inline bool slice_starts_with(struct slice text, struct slice prefix)
{
    return text.length >= prefix.length && memcmp(text.text, prefix.text, prefix.length) == 0;
}

static inline bool slice_ends_with(struct slice text, struct slice suffix)
{
    return text.length >= suffix.length && memcmp(text.text + text.length - suffix.length, suffix.text, suffix.length) == 0;
}

static inline struct slice slice_from(struct slice text, size_t start)
{
    return (struct slice){text.text + start, text.length - start};
}

static inline struct slice slice_until(struct slice text, size_t end)
{
    return (struct slice){text.text, end};
}

/* Copies a text into an array of `room` bytes: cut to what fits, and terminated. NULL is an empty one. */
static inline void text_copy(char *out, size_t room, const char *text)
{
    size_t length = text ? strnlen(text, room - 1) : 0;
    memcpy(out, text ? text : "", length);
    out[length] = '\0';
}

#endif
