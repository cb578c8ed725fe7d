#include "print/estimate.h"

#include <stdio.h>
#include <string.h>

static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

static size_t unit_of(double bytes, double *scale)
{
    size_t unit = 0;
    *scale = 1;
    for (bytes = fabs(bytes); bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; bytes /= 1024, unit++)
        *scale *= 1024;
    return unit;
}

struct number_text number_bytes(double bytes)
{
    struct number_text result;
    double scale;
    size_t unit = unit_of(bytes, &scale);
    snprintf(result.text, sizeof result.text, "%.*f %s", unit > 0 ? 1 : 0, bytes / scale, units[unit]);
    return result;
}

/* As many as leave the error one or two digits that mean something. */
static int decimals_of(double error, bool is_whole)
{
    if (is_whole)
        return 0;
    if (error <= 0)
        return 1;
    return error >= 9.95 ? 0 : error >= 0.95 ? 1 : 2;
}

enum { VALUE_WIDTH = 12 };

struct estimate_text estimate_text(double weight, struct uncertainty uncertainty, enum weight_type type, bool padded)
{
    struct estimate_text result = {"", 0};
    double scale = 1, error = uncertainty_error(uncertainty);
    size_t unit = type == WEIGHT_BYTES ? unit_of(weight, &scale) : 0;
    int decimals = decimals_of(error / scale, unit == 0);
    struct number_text value = number_grouped(weight / scale, decimals);
    char about[64] = "";
    bool is_few = uncertainty_is_few(uncertainty);
    if (is_few)
        snprintf(about, sizeof about, padded ? " few" : " (few samples)");
    else if (error > 0)
        snprintf(about, sizeof about, " ±%s", number_grouped(error / scale, decimals).text);
    int length = snprintf(result.text, sizeof result.text, "%*s%s%s%s", padded ? VALUE_WIDTH - 4 * (type == WEIGHT_BYTES) : 0,
                          value.text, type == WEIGHT_BYTES ? " " : "", type == WEIGHT_BYTES ? units[unit] : "",
                          type == WEIGHT_BYTES && padded && unit == 0 ? "  " : "");
    size_t used = length < (int)sizeof result.text ? (size_t)length : sizeof result.text - 1;
    snprintf(result.text + used, sizeof result.text - used, "%s", about);
    result.width = strlen(result.text) - (!is_few && error > 0); /* ± has two bytes */
    while (padded && result.width < ESTIMATE_WIDTH && strlen(result.text) + 1 < sizeof result.text) {
        strcat(result.text, " ");
        result.width++;
    }
    return result;
}
