/* The inside of JSON strings: finding the end, checking UTF-8, taking escapes apart. */
#ifndef SONDE_COMMON_JSON_TEXT_H
#define SONDE_COMMON_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The first quote, backslash or control character at or after `p`, with `*high` set if a byte before it is not ASCII. The text
 * must end with a control character (a zero will do) and 16 bytes after that must be readable. */
static inline const char *json_text_scan(const char *p, bool *high)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1f);
    unsigned not_ascii = 0;
    for (;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
        __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)), control);
        unsigned stops = (unsigned)_mm_movemask_epi8(stop);
        unsigned above = (unsigned)_mm_movemask_epi8(bytes);
        if (stops != 0) {
            not_ascii |= above & (stops ^ (stops - 1));
            *high |= not_ascii != 0;
            return p + __builtin_ctz(stops);
        }
        not_ascii |= above;
    }
#else
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    for (;; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
        /* A byte below 0x80 borrows into its top bit where it is zero (or below 0x20). False hits come only from borrows of
         * true ones further down, and from bytes that are not ASCII: the loop below decides. */
        uint64_t stops = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | (word - ones * 0x20);
        if (((stops | word) & tops) != 0) {
            for (unsigned i = 0; i < 8; i++) {
                unsigned char c = (unsigned char)p[i];
                if (c == '"' || c == '\\' || c < 0x20)
                    return p + i;
                *high |= c >= 0x80;
            }
        }
    }
#endif
}

/* The first byte that is not part of valid UTF-8, or `end`. No overlong forms, no surrogates, nothing above U+10FFFF. */
const char *utf8_check(const char *text, const char *end);

/* Writes the text between two quotes without its escapes; `out` has room for `end - raw` bytes. The number written, or -1 with
 * `*bad` at the escape that is wrong. A surrogate without its partner becomes U+FFFD. */
ptrdiff_t json_text_unescape(const char *raw, const char *end, char *out, const char **bad);

#endif
