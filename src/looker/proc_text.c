#include "looker/proc_text.h"

#include <string.h>

/* What is left of a text; `failed` stays once something was not as expected. */
struct cursor {
    const char *at, *end;
    bool failed;
};

static struct cursor cursor_of(struct slice text)
{
    return (struct cursor){text.text, text.text + text.length, false};
}

static bool is_at(const struct cursor *in, char expected)
{
    return in->at < in->end && *in->at == expected;
}

static void skip(struct cursor *in, char expected)
{
    if (is_at(in, expected))
        in->at++;
    else
        in->failed = true;
}

static unsigned digit_at(const struct cursor *in)
{
    if (in->at == in->end)
        return UINT32_MAX;
    char c = *in->at;
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : UINT32_MAX;
}

/* At least one digit, and no more than 64 bits. */
static uint64_t take_number(struct cursor *in, unsigned base)
{
    uint64_t value = 0;
    const char *start = in->at;
    for (unsigned digit; (digit = digit_at(in)) < base; in->at++) {
        uint64_t scaled;
        in->failed |= __builtin_mul_overflow(value, base, &scaled) || __builtin_add_overflow(scaled, digit, &value);
    }
    in->failed |= in->at == start;
    return value;
}

static char take_char(struct cursor *in)
{
    if (in->at < in->end)
        return *in->at++;
    in->failed = true;
    return '\0';
}

bool maps_line_parse(struct slice line, struct maps_line *out)
{
    static const char suffix[] = " (deleted)";
    enum { SUFFIX = sizeof suffix - 1, MINOR_BITS = 32 };
    struct cursor in = cursor_of(line);
    *out = (struct maps_line){0};
    out->start = take_number(&in, 16);
    skip(&in, '-');
    out->end = take_number(&in, 16);
    skip(&in, ' ');
    out->readable = take_char(&in) == 'r';
    take_char(&in);
    out->executable = take_char(&in) == 'x';
    take_char(&in);
    skip(&in, ' ');
    out->offset = take_number(&in, 16);
    skip(&in, ' ');
    uint64_t major = take_number(&in, 16);
    skip(&in, ':');
    out->device = major << MINOR_BITS | (take_number(&in, 16) & UINT32_MAX);
    skip(&in, ' ');
    out->inode = take_number(&in, 10);
    while (is_at(&in, ' '))
        in.at++;
    size_t length = (size_t)(in.end - in.at);
    out->deleted = out->inode != 0 && length > SUFFIX && memcmp(in.end - SUFFIX, suffix, SUFFIX) == 0;
    out->path = (struct slice){in.at, out->deleted ? length - SUFFIX : length};
    return !in.failed && out->start < out->end;
}

/* A decimal number with sign, or a hexadecimal one with 0x. */
static uint64_t take_word(struct cursor *in)
{
    if (in->end - in->at > 2 && in->at[0] == '0' && in->at[1] == 'x') {
        in->at += 2;
        return take_number(in, 16);
    }
    bool negative = is_at(in, '-');
    in->at += negative;
    uint64_t value = take_number(in, 10);
    return negative ? 0 - value : value;
}

bool syscall_line_parse(struct slice text, struct syscall_line *out)
{
    static const char running[] = "running\n";
    enum { WORDS_IN_CALL = 9, WORDS_OUTSIDE = 3 };
    *out = (struct syscall_line){.running = slice_equal(text, slice_of(running))};
    if (out->running)
        return true;
    struct cursor in = cursor_of(text);
    uint64_t words[WORDS_IN_CALL];
    unsigned count = 0;
    while (count < WORDS_IN_CALL && !in.failed && !is_at(&in, '\n')) {
        words[count++] = take_word(&in);
        if (is_at(&in, ' '))
            in.at++;
    }
    skip(&in, '\n');
    if (in.failed || (count != WORDS_IN_CALL && count != WORDS_OUTSIDE))
        return false;
    *out = (struct syscall_line){.number = (int64_t)words[0], .sp = words[count - 2], .pc = words[count - 1]};
    if (count == WORDS_IN_CALL)
        memcpy(out->arguments, &words[1], sizeof out->arguments);
    return (out->number >= 0) == (count == WORDS_IN_CALL);
}

bool schedstat_line_parse(struct slice text, struct schedstat_line *out)
{
    struct cursor in = cursor_of(text);
    out->cpu_ns = take_number(&in, 10);
    skip(&in, ' ');
    out->ready_ns = take_number(&in, 10);
    skip(&in, ' ');
    out->runs = take_number(&in, 10);
    skip(&in, '\n');
    return !in.failed;
}

bool stat_line_parse(struct slice text, struct stat_line *out)
{
    enum { FIELDS_BEFORE_TIMES = 10 };
    const char *name_end = text.length ? memrchr(text.text, ')', text.length) : NULL;
    struct cursor in = {name_end, text.text + text.length, !name_end};
    *out = (struct stat_line){0};
    if (in.failed)
        return false;
    skip(&in, ')');
    skip(&in, ' ');
    out->state = take_char(&in);
    skip(&in, ' ');
    for (int i = 0; i < FIELDS_BEFORE_TIMES; i++) {
        (void)take_word(&in);
        skip(&in, ' ');
    }
    out->user_time = take_number(&in, 10);
    skip(&in, ' ');
    out->kernel_time = take_number(&in, 10);
    return !in.failed;
}

bool status_waits(struct slice text, uint64_t *waits)
{
    static const char label[] = "\nvoluntary_ctxt_switches:\t";
    enum { LABEL = sizeof label - 1 };
    const char *at = text.length ? memmem(text.text, text.length, label, LABEL) : NULL;
    struct cursor in = {at ? at + LABEL : NULL, text.text + text.length, !at};
    if (in.failed)
        return false;
    *waits = take_number(&in, 10);
    skip(&in, '\n');
    return !in.failed;
}
