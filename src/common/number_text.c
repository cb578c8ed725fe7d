#include "common/number_text.h"

#include "common/json_decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* The digits of `value`, ending before `end`; the first one. */
static char *digits_before(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + value * 2, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

size_t integer_text(int64_t value, char *out)
{
    char digits[20];
    char *end = digits + sizeof digits;
    char *first = digits_before(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
    size_t count = (size_t)(end - first);
    out[0] = '-';
    memcpy(out + (value < 0), first, count);
    return (value < 0) + count;
}

size_t decimal_text(int64_t value, unsigned places, char *out)
{
    static const uint32_t scales[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    char *p = out;
    if (value < 0)
        *p++ = '-';
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint64_t whole = magnitude / scales[places];
    uint32_t part = (uint32_t)(magnitude % scales[places]);
    char digits[20];
    char *end = digits + sizeof digits, *first = digits_before(end, whole);
    memcpy(p, first, (size_t)(end - first));
    p += end - first;
    if (part == 0)
        return (size_t)(p - out);
    *p++ = '.';
    /* Six digits always, so that the copy has a fixed size; the zeros behind the last place go with those before it. */
    part *= scales[6 - places];
    memcpy(p, pairs + part / 10000 * 2, 2);
    memcpy(p + 2, pairs + part / 100 % 100 * 2, 2);
    memcpy(p + 4, pairs + part % 100 * 2, 2);
    p += 6;
    while (p[-1] == '0')
        p--;
    return (size_t)(p - out);
}

/* Lays out the digits of 0.DIGITS × 10^point as JavaScript does. */
static size_t lay_out(bool negative, const char *digits, int count, int point, char *out)
{
    char *p = out;
    if (negative)
        *p++ = '-';
    if (count <= point && point <= 21) {
        memcpy(p, digits, (size_t)count);
        memset(p + count, '0', (size_t)(point - count));
        p += point;
    } else if (0 < point && point <= 21) {
        memcpy(p, digits, (size_t)point);
        p[point] = '.';
        memcpy(p + point + 1, digits + point, (size_t)(count - point));
        p += count + 1;
    } else if (-6 < point && point <= 0) {
        memcpy(p, "0.00000", (size_t)(2 - point));
        memcpy(p + 2 - point, digits, (size_t)count);
        p += 2 - point + count;
    } else {
        *p++ = digits[0];
        if (count > 1) {
            *p++ = '.';
            memcpy(p, digits + 1, (size_t)(count - 1));
            p += count - 1;
        }
        int exponent = point - 1;
        *p++ = 'e';
        *p++ = exponent < 0 ? '-' : '+';
        p += integer_text(abs(exponent), p);
    }
    return (size_t)(p - out);
}

/* Times in profiles mostly lie on a grid of nanoseconds in milliseconds. Below 16 digits no two decimals are the same double,
 * so the one found here without its last zeros is the shortest there is. */
static size_t grid_text(double value, char *out)
{
    double scaled = fabs(value) * 1e6 + 0.5;
    if (!(scaled < 1e15))
        return 0;
    uint64_t grid = (uint64_t)scaled, whole = grid / 1000000, part = grid % 1000000;
    if ((double)grid / 1e6 != fabs(value))
        return 0;
    size_t count = integer_text((int64_t)whole, out + 1);
    out[0] = '-';
    char *p = out + 1 + count;
    if (part > 0) {
        *p++ = '.';
        char fraction[7];
        digits_before(fraction + 7, part + 1000000);
        memcpy(p, fraction + 1, 6);
        p += 6;
        while (p[-1] == '0')
            p--;
    }
    count = (size_t)(p - out);
    if (value < 0)
        return count;
    memmove(out, out + 1, count - 1);
    return count - 1;
}

/* Doubles of middle size that are not whole, by exact arithmetic in 128 bits.
 *
 * With value = m * 2^e, every decimal between (m - 1/2) * 2^e and (m + 1/2) * 2^e reads back as the value. Let 10^k be the
 * largest power of ten not above 2^e, the width of that range: then a multiple of 10^k lies in it for sure, and of 10^(k+1) one
 * at most. If there is one, no shorter decimal exists; otherwise the nearer one of the two multiples of 10^k around the value
 * is it. (The idea is Schubfach's, by Raffaello Giulietti.) Powers of two, whose range is narrower below, are left to the
 * general way. */
enum { LEAST_EXPONENT = -69 };

static size_t middle_text(double value, char *out)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    if (exponent < LEAST_EXPONENT || exponent >= 0 || mantissa == 0)
        return 0;
    mantissa |= (uint64_t)1 << 52;

    /* floor(exponent * log10(2)), so -21 <= k <= -1 and 4 * mantissa * 10^-k has at most 125 bits. */
    int k = exponent * 78913 >> 18;
    wide power = 1;
    for (int i = 0; i > k; i--)
        power *= 10;
    /* In units of 2^(exponent - 2) * 10^k, as everything below. */
    int shift = 2 - exponent;
    wide exact = 4 * mantissa * power, low = exact - 2 * power, high = exact + 2 * power;
    /* The ends of the range read back as the even neighbour. */
    bool ends_count = (mantissa & 1) == 0;
    low += !ends_count;
    high -= !ends_count;

    uint64_t below = (uint64_t)(exact >> shift), tens_below = below / 10, decimal;
    bool fits_below = (wide)(tens_below * 10) << shift >= low, fits_above = (wide)(tens_below * 10 + 10) << shift <= high;
    if (fits_below || fits_above) {
        decimal = tens_below + !fits_below;
        k++;
    } else {
        wide rest = exact - ((wide)below << shift), half = (wide)1 << (shift - 1);
        decimal = below + (rest > half || (rest == half && (below & 1)));
    }
    while (decimal % 10 == 0) {
        decimal /= 10;
        k++;
    }
    char digits[20];
    char *end = digits + sizeof digits, *first = digits_before(end, decimal);
    int count = (int)(end - first);
    return lay_out(value < 0, first, count, count + k, out);
}

/* `count` digits nearest to `value` and their place, without zeros at the end. */
static void nearest_digits(double value, int wanted, char digits[static 20], int *count, int *point)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", wanted - 1, value);
    *count = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            digits[(*count)++] = *p;
    *point = atoi(p + 1) + 1;
}

static bool reads_back(double value, const char *digits, int count, int point)
{
    char text[NUMBER_TEXT_SIZE + 1];
    size_t length = lay_out(false, digits, count, point, text);
    text[length] = '\0';
    return json_decimal_value(text, length) == value;
}

/* One more in the last place. */
static void increment(char *digits, int count, int *point)
{
    int i = count - 1;
    while (i >= 0 && digits[i] == '9')
        digits[i--] = '0';
    if (i >= 0) {
        digits[i]++;
    } else {
        digits[0] = '1';
        ++*point;
    }
}

static size_t any_text(double value, char *out)
{
    char digits[20];
    int count = 0, point = 0, exponent;
    double magnitude = fabs(value);
    bool power_of_two = frexp(magnitude, &exponent) == 0.5;
    /* Subnormal numbers have fewer bits than 15 digits say. */
    for (int wanted = magnitude < DBL_MIN ? 1 : 15; wanted <= 17; wanted++) {
        nearest_digits(magnitude, wanted, digits, &count, &point);
        if (reads_back(magnitude, digits, count, point))
            break;
        /* Doubles lie twice as far apart above a power of two as below it: the nearest decimal may be below and too far, and
         * the next one above still near enough. */
        if (power_of_two) {
            increment(digits, count, &point);
            if (reads_back(magnitude, digits, count, point))
                break;
        }
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return lay_out(value < 0, digits, count, point, out);
}

size_t number_text(double value, char *out)
{
    if (value > -0x1p53 && value < 0x1p53 && value == (double)(int64_t)value)
        return integer_text((int64_t)value, out);
    size_t length = grid_text(value, out);
    if (length == 0)
        length = middle_text(value, out);
    return length > 0 ? length : any_text(value, out);
}
