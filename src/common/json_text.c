#include "common/json_text.h"

static bool continues(const char *p)
{
    return ((unsigned char)*p & 0xc0) == 0x80;
}

const char *utf8_check(const char *text, const char *end)
{
    const char *p = text;
    while (p < end) {
        uint64_t word;
        if (end - p >= 8 && (memcpy(&word, p, 8), (word & 0x8080808080808080u) == 0)) {
            p += 8;
            continue;
        }
        unsigned char first = (unsigned char)*p;
        ptrdiff_t room = end - p;
        if (first < 0x80) {
            p++;
        } else if (first >= 0xc2 && first <= 0xdf) {
            if (room < 2 || !continues(p + 1))
                return p;
            p += 2;
        } else if (first >= 0xe0 && first <= 0xef) {
            if (room < 3 || !continues(p + 1) || !continues(p + 2))
                return p;
            unsigned char second = (unsigned char)p[1];
            if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f))
                return p;
            p += 3;
        } else if (first >= 0xf0 && first <= 0xf4) {
            if (room < 4 || !continues(p + 1) || !continues(p + 2) || !continues(p + 3))
                return p;
            unsigned char second = (unsigned char)p[1];
            if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
                return p;
            p += 4;
        } else {
            return p;
        }
    }
    return end;
}

static bool hex4(const char *p, const char *end, uint32_t *value)
{
    if (end - p < 4)
        return false;
    *value = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (unsigned)((c | 0x20) - 'a' + 10);
        else
            return false;
        *value = *value << 4 | digit;
    }
    return true;
}

static char *utf8_put(char *out, uint32_t point)
{
    if (point < 0x80) {
        *out++ = (char)point;
    } else if (point < 0x800) {
        *out++ = (char)(0xc0 | point >> 6);
        *out++ = (char)(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        *out++ = (char)(0xe0 | point >> 12);
        *out++ = (char)(0x80 | (point >> 6 & 0x3f));
        *out++ = (char)(0x80 | (point & 0x3f));
    } else {
        *out++ = (char)(0xf0 | point >> 18);
        *out++ = (char)(0x80 | (point >> 12 & 0x3f));
        *out++ = (char)(0x80 | (point >> 6 & 0x3f));
        *out++ = (char)(0x80 | (point & 0x3f));
    }
    return out;
}

/* The code point of `\uXXXX` at `p`, two of them for a surrogate pair; the byte after it, or NULL if it is none. */
static const char *unicode_escape(const char *p, const char *end, uint32_t *point)
{
    if (!hex4(p + 2, end, point))
        return NULL;
    p += 6;
    if (*point >= 0xd800 && *point <= 0xdfff) {
        uint32_t low;
        bool pair = *point < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' && hex4(p + 2, end, &low) && low >= 0xdc00 &&
                    low <= 0xdfff;
        if (!pair) {
            *point = 0xfffd;
            return p;
        }
        *point = 0x10000 + ((*point - 0xd800) << 10 | (low - 0xdc00));
        p += 6;
    }
    return p;
}

ptrdiff_t json_text_unescape(const char *raw, const char *end, char *out, const char **bad)
{
    char *start = out;
    const char *p = raw;
    for (;;) {
        const char *backslash = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((backslash ? backslash : end) - p);
        memcpy(out, p, plain);
        out += plain;
        p += plain;
        if (!backslash)
            return out - start;
        *bad = p;
        if (end - p < 2)
            return -1;
        switch (p[1]) {
        case '"':
        case '\\':
        case '/':
            *out++ = p[1];
            break;
        case 'b':
            *out++ = '\b';
            break;
        case 'f':
            *out++ = '\f';
            break;
        case 'n':
            *out++ = '\n';
            break;
        case 'r':
            *out++ = '\r';
            break;
        case 't':
            *out++ = '\t';
            break;
        case 'u': {
            uint32_t point;
            p = unicode_escape(p, end, &point);
            if (!p)
                return -1;
            out = utf8_put(out, point);
            continue;
        }
        default:
            return -1;
        }
        p += 2;
    }
}
