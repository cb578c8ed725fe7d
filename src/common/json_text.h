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

/* The first byte at or after `p` that is not plain text: a quote, a backslash, a control character or one beyond ASCII. The
 * text must end with a control character (a zero will do) and 16 bytes after that must be readable. */
static inline const char *json_text_plain_end(const char *p)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1f);
    for (;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        __m128i special = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
        /* The mask takes the top bit of every byte, which is set in what is not ASCII, too. */
        unsigned ends = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(special, control), bytes));
        if (ends != 0)
            return p + __builtin_ctz(ends);
    }
#else
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    for (;; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
        /* Subtracting borrows into the top bit of a byte that is too small. A borrow may reach further up, but the lowest byte
         * that says so is right, and the loop below looks at each. */
        uint64_t ends = (quote - ones) | (backslash - ones) | (word - ones * 0x20) | word;
        if ((ends & tops) != 0)
            for (unsigned i = 0; i < 8; i++) {
                unsigned char c = (unsigned char)p[i];
                if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80)
                    return p + i;
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
