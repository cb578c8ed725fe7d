/* The input of a JSON reader: the window over it, and how errors end it. Private to the reader's own files:
 * json_input.c (the window), json_containers.c (strings, arrays, objects), json_values.c (all other values).
 *
 *     buffer:   [ consumed | not yet read            | zeros ]
 *                            ^ cur                     ^ end
 *
 * Refilling moves what is not yet read to the front, and so a token that is cut by the end of the window becomes whole. */
#ifndef SONDE_COMMON_JSON_INPUT_H
#define SONDE_COMMON_JSON_INPUT_H

#include "common/json_keys.h"
#include "common/json_reader.h"
#include "common/vec.h"

/* What a `struct json_reader` really is: the hot part first, then all the rest. */
struct json_input {
    struct json_reader reader;
    struct byte_source *source;
    struct error *error;
    const char *window; /* the buffer, or `nothing` after an error */
    uint64_t base;      /* offset of the window in the input */
    char *buffer;
    size_t capacity; /* of the buffer, without the padding */
    bool ended;      /* the source has no more */
    bool failed;
    bool ended_early;         /* that is why it failed */
    bool repeated_keys;       /* are fine */
    bool key_repeated;        /* the last one was there before */
    bool any_keys;            /* nobody wants to know */
    const char *capture_from; /* the first byte of the window to be captured; NULL = not capturing */
    VEC(char) captured;
    VEC(char) scratch; /* an unescaped string, or a key that its window was too small for */
    struct json_keys keys;
};

static inline struct json_input *input_of(struct json_reader *r)
{
    return (struct json_input *)r;
}

static inline uint64_t input_offset(const struct json_input *in, const char *p)
{
    return in->base + (uint64_t)(p - in->window);
}

/* The first error wins; after it the window is empty and stays so. */
void input_fail_at(struct json_input *in, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));
void input_out_of_memory(struct json_input *in);

/* The input is over, and should not be. */
void input_fail_end(struct json_input *in);

/* Something else than `expected` is at `cur`. */
void input_fail_expected(struct json_input *in, const char *expected);

/* More bytes behind those from `cur` on, which move to the front. False at the end and after an error. */
bool input_refill(struct json_input *in);

/* `count` bytes in the window, or as many as there are. */
void input_ensure(struct json_input *in, ptrdiff_t count);

/* Passes over white space; what follows, or 0 at the end. */
char input_space(struct json_input *in);

static inline char input_next(struct json_input *in)
{
    char c = *in->reader.cur;
    return __builtin_expect((unsigned char)c > ' ', 1) ? c : input_space(in);
}

#endif
