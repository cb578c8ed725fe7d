#include "print/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct number_text number_grouped(double number, int decimals)
{
    struct number_text result;
    char digits[40];
    if (!isfinite(number) || fabs(number) >= 1e18) {
        snprintf(result.text, sizeof result.text, "%g", number);
        return result;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(number));
    size_t whole = strcspn(digits, ".");
    bool is_zero = strspn(digits, "0.") == strlen(digits);
    size_t used = 0;
    if (number < 0 && !is_zero)
        result.text[used++] = '-';
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            result.text[used++] = ',';
        result.text[used++] = digits[i];
    }
    snprintf(result.text + used, sizeof result.text - used, "%s", digits + whole);
    return result;
}

struct number_text number_weight(double weight, enum weight_type type)
{
    return number_grouped(weight, type == WEIGHT_TRACING_MS ? 1 : 0);
}

const char *number_unit(double weight, enum weight_type type)
{
    switch (type) {
    case WEIGHT_TRACING_MS:
        return "ms";
    case WEIGHT_BYTES:
        return weight == 1 ? "byte" : "bytes";
    case WEIGHT_BLOCKS:
        return weight == 1 ? "block" : "blocks";
    case WEIGHT_FAULTS:
        return weight == 1 ? "page fault" : "page faults";
    default:
        return weight == 1 ? "sample" : "samples";
    }
}

struct number_text number_share(double part, double whole)
{
    struct number_text result = {"-"};
    if (whole != 0)
        snprintf(result.text, sizeof result.text, "%.1f%%", 100 * part / whole);
    return result;
}

struct number_text number_duration(double ms)
{
    struct number_text result;
    double size = fabs(ms);
    if (!isfinite(ms))
        snprintf(result.text, sizeof result.text, "-");
    else if (size < 1 && size > 0)
        snprintf(result.text, sizeof result.text, "%.3g µs", ms * 1000);
    else if (size < 1000)
        snprintf(result.text, sizeof result.text, "%.*f ms", size < 100 ? 1 : 0, ms);
    else if (size < 120e3)
        snprintf(result.text, sizeof result.text, "%.2f s", ms / 1000);
    else if (size < 7200e3)
        snprintf(result.text, sizeof result.text, "%.0f min %02.0f s", floor(ms / 60e3), fmod(floor(ms / 1000), 60));
    else
        snprintf(result.text, sizeof result.text, "%.1f h", ms / 3600e3);
    return result;
}
