#include "markers/format.h"

#include "common/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 0.DIGITS × 10^point, without zeros at the end; no digits = zero. */
struct decimal {
    bool negative;
    int count, point;
    char digits[NUMBER_TEXT_SIZE];
};

static struct decimal decimal_of(double number)
{
    char text[NUMBER_TEXT_SIZE + 1];
    text[number_text(number, text)] = '\0';
    struct decimal decimal = {.negative = number < 0};
    const char *p = text + decimal.negative;
    bool after_point = false;
    for (; *p != '\0' && *p != 'e'; p++) {
        if (*p == '.') {
            after_point = true;
        } else if (decimal.count > 0 || *p != '0') {
            decimal.digits[decimal.count++] = *p;
            decimal.point += !after_point;
        } else if (after_point) {
            decimal.point--;
        }
    }
    if (*p == 'e')
        decimal.point += atoi(p + 1);
    while (decimal.count > 0 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    return decimal;
}

/* Half goes away from zero. */
static void round_to(struct decimal *decimal, int decimals)
{
    int kept = decimal->point + decimals;
    if (kept >= decimal->count)
        return;
    bool up = kept >= 0 && decimal->digits[kept] >= '5';
    decimal->count = kept > 0 ? kept : 0;
    if (!up)
        return;
    while (decimal->count > 0 && decimal->digits[decimal->count - 1] == '9')
        decimal->count--;
    if (decimal->count > 0) {
        decimal->digits[decimal->count - 1]++;
    } else {
        decimal->digits[decimal->count++] = '1';
        decimal->point++;
    }
}

static char digit_at(const struct decimal *decimal, int place)
{
    return place >= 0 && place < decimal->count ? decimal->digits[place] : '0';
}

static void add_decimal(struct text_buffer *out, struct decimal *decimal, int decimals)
{
    round_to(decimal, decimals);
    if (decimal->negative)
        text_add_char(out, '-');
    int whole = decimal->count > 0 && decimal->point > 0 ? decimal->point : 0;
    if (whole == 0)
        text_add_char(out, '0');
    for (int i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            text_add_char(out, ',');
        text_add_char(out, digit_at(decimal, i));
    }
    if (decimals > 0)
        text_add_char(out, '.');
    for (int i = 0; i < decimals; i++)
        text_add_char(out, digit_at(decimal, decimal->point + i));
}

/* `scale`: the power of ten it is shown in, 2 for percent. */
static void add_scaled(struct text_buffer *out, double number, int decimals, int scale)
{
    if (isnan(number)) {
        text_add(out, SLICE("<invalid>"));
    } else if (isinf(number)) {
        text_add(out, number < 0 ? SLICE("-∞") : SLICE("∞"));
    } else {
        struct decimal decimal = decimal_of(number);
        decimal.point += scale;
        add_decimal(out, &decimal, decimals);
    }
}

static int decimals_for(double number, int significant, int max_decimals, int scale)
{
    if (number == 0 || !isfinite(number))
        return 0;
    int before_point = (int)floor(log10(fabs(number))) + 1 + scale;
    int decimals = significant - before_point;
    return decimals < 0 ? 0 : decimals > max_decimals ? max_decimals : decimals;
}

void format_number(struct text_buffer *out, double number, int significant, int max_decimals)
{
    add_scaled(out, number, decimals_for(number, significant, max_decimals, 0), 0);
}

void format_fixed(struct text_buffer *out, double number, int decimals)
{
    add_scaled(out, number, decimals, 0);
}

void format_percentage(struct text_buffer *out, double share)
{
    add_scaled(out, share, decimals_for(share, 2, 1, 2), 2);
    if (!isnan(share))
        text_add_char(out, '%');
}

void format_bytes(struct text_buffer *out, double bytes)
{
    if (bytes < 1e4) {
        format_number(out, bytes, 0, 3);
        text_add(out, SLICE("B"));
    } else if (bytes < 1e6) {
        format_number(out, bytes / 1e3, 3, 2);
        text_add(out, SLICE("KB"));
    } else if (bytes < 1e9) {
        format_number(out, bytes / 1e6, 3, 2);
        text_add(out, SLICE("MB"));
    } else {
        format_number(out, bytes / 1e9, 3, 2);
        text_add(out, SLICE("GB"));
    }
}

void format_seconds(struct text_buffer *out, double ms)
{
    format_number(out, ms / 1000, 5, 3);
    text_add_char(out, 's');
}

void format_milliseconds(struct text_buffer *out, double ms)
{
    format_number(out, ms, 2, 3);
    text_add(out, SLICE("ms"));
}

void format_microseconds(struct text_buffer *out, double us)
{
    format_number(out, us, 2, 3);
    text_add(out, SLICE("μs"));
}

void format_nanoseconds(struct text_buffer *out, double ns)
{
    format_number(out, ns, 3, 4);
    text_add(out, SLICE("ns"));
}

/* `3h20m`: the time in whole small units, as large ones and what is left of them, which is not said when it is nothing. */
static void add_two_units(struct text_buffer *out, double ms, double large, char large_name, double small, char small_name)
{
    double whole = floor(ms / small + 0.5) * small;
    double rest = fmod(whole, large);
    format_number(out, (whole - rest) / large, 5, 0);
    text_add_char(out, large_name);
    if (rest > 0) {
        format_number(out, rest / small, 5, 0);
        text_add_char(out, small_name);
    }
}

static void add_in_unit(struct text_buffer *out, double number, struct slice unit)
{
    format_number(out, number, 5, rint(number) == number ? 0 : 3);
    text_add(out, unit);
}

void format_duration(struct text_buffer *out, double ms)
{
    const double second = 1e3, minute = 60e3, hour = 3600e3, day = 86400e3;
    if (ms >= day - minute / 2)
        add_two_units(out, ms, day, 'd', hour, 'h');
    else if (ms >= hour - second / 2)
        add_two_units(out, ms, hour, 'h', minute, 'm');
    else if (ms >= minute - second / 2)
        add_two_units(out, ms, minute, 'm', second, 's');
    else if (ms >= second)
        add_in_unit(out, ms / 1e3, SLICE("s"));
    else if (ms >= 1)
        add_in_unit(out, ms, SLICE("ms"));
    else if (ms * 1e3 >= 1)
        add_in_unit(out, ms * 1e3, SLICE("μs"));
    else if (ms == 0)
        text_add(out, SLICE("0s"));
    else
        add_in_unit(out, ms * 1e3 * 1e3, SLICE("ns"));
}

void format_hexadecimal(struct text_buffer *out, double number)
{
    double rest = isfinite(number) ? fmod(trunc(number), 0x1p32) : 0;
    char text[16];
    int length = snprintf(text, sizeof text, "0x%x", (unsigned)(rest < 0 ? rest + 0x1p32 : rest));
    text_add(out, (struct slice){text, (size_t)length});
}

void format_weight(struct text_buffer *out, double weight, enum weight_type type)
{
    format_number(out, weight, 3, type == WEIGHT_TRACING_MS ? 1 : 0);
}
