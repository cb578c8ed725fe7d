#include "common/json_decimal.h"

#include "common/json_reader.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

const double json_powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const uint64_t json_tens[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static const char *digits_end(const char *p)
{
    while (json_digit(*p) <= 9)
        p++;
    return p;
}

size_t json_decimal_length(const char *text, const char **wrong)
{
    const char *p = text + (*text == '-');
    const char *end = digits_end(p);
    *wrong = p;
    if (end == p || (*p == '0' && end > p + 1))
        return 0;
    p = end;
    if (*p == '.') {
        *wrong = ++p;
        end = digits_end(p);
        if (end == p)
            return 0;
        p = end;
    }
    if ((*p | 0x20) == 'e') {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        *wrong = p;
        end = digits_end(p);
        if (end == p)
            return 0;
        p = end;
    }
    return (size_t)(p - text);
}

/* mantissa / 10^places, rounded once, half to even. Needs places <= 19, so that the divisor fits into 64 bits. */
static double divide(uint64_t mantissa, size_t places)
{
    __extension__ typedef unsigned __int128 wide;
    if (mantissa == 0)
        return 0;
    uint64_t divisor = 1;
    for (size_t i = 0; i < places; i++)
        divisor *= 10;
    int shift = __builtin_clzll(mantissa) + 63;
    wide scaled = (wide)mantissa << shift;
    wide quotient = scaled / divisor;
    bool more = quotient * divisor != scaled;
    /* The quotient has 63 bits at least: keep 53 and a half. */
    int high_zeros = quotient >> 64 ? __builtin_clzll((uint64_t)(quotient >> 64)) : 64 + __builtin_clzll((uint64_t)quotient);
    int surplus = 128 - high_zeros - 53;
    uint64_t kept = (uint64_t)(quotient >> surplus);
    wide cut = quotient & (((wide)1 << surplus) - 1), half = (wide)1 << (surplus - 1);
    if (cut > half || (cut == half && (more || (kept & 1))))
        kept++;
    return ldexp((double)kept, surplus - shift);
}

/* As strtod, in the C locale whatever the program has set. */
static double read_plainly(const char *text, size_t length)
{
    char copy[JSON_MAX_NUMBER + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    static locale_t c_locale;
    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return strtod_l(copy, NULL, c_locale);
}

double json_decimal_value(const char *text, size_t length)
{
    const char *p = text + (*text == '-'), *end = text + length, *point = NULL;
    uint64_t mantissa = 0;
    /* 19 digits never overflow 64 bits. */
    if (end - p <= 20)
        for (; p < end; p++) {
            if (*p == '.')
                point = p;
            else if (json_digit(*p) <= 9)
                mantissa = mantissa * 10 + json_digit(*p);
            else
                break;
        }
    if (p < end || (!point && length > 19))
        return read_plainly(text, length);
    double value = divide(mantissa, point ? (size_t)(end - point - 1) : 0);
    return *text == '-' ? -value : value;
}

bool json_decimal_integer(const char *text, size_t length, int64_t *value)
{
    bool negative = *text == '-';
    int64_t sum = 0;
    bool fits = true;
    size_t i = negative;
    for (; i < length && json_digit(text[i]) <= 9; i++) {
        int64_t digit = json_digit(text[i]);
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, negative ? -digit : digit, &sum))
            fits = false;
    }
    *value = sum;
    if (i == length)
        return fits;
    /* With a point or an exponent, as in `1e3`. */
    double number = json_decimal_value(text, length);
    if (!(number >= -0x1p63 && number < 0x1p63) || number != (double)(int64_t)number)
        return false;
    *value = (int64_t)number;
    return true;
}
