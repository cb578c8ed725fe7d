#include "api/activity_pick.h"

#include "common/vec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What a sample adds to the column, after smoothing. */
struct part {
    struct activity_fill fill; /* without columns */
    size_t sample;
    uint32_t order;
    double height;
};

/* ---- how much ---- */

/* Smoothing as weights: what a column has of those around it, from -ACTIVITY_REACH to ACTIVITY_REACH. */
static void make_kernel(double kernel[2 * ACTIVITY_REACH + 1])
{
    float columns[4 * ACTIVITY_REACH + 1] = {[2 * ACTIVITY_REACH] = 1}, scratch[4 * ACTIVITY_REACH + 1];
    activity_smooth(columns, scratch, 4 * ACTIVITY_REACH + 1);
    for (size_t i = 0; i <= 2 * ACTIVITY_REACH; i++)
        kernel[i] = columns[ACTIVITY_REACH + i];
}

static double height_in(const struct activity_scale *scale, const struct activity_span *span, uint32_t column,
                        const double *kernel)
{
    double left, right, height = 0;
    if (!activity_span_columns(scale, span, &left, &right))
        return 0;
    double first = fmax(floor(left), (double)column - ACTIVITY_REACH);
    double last = fmin(fmin(right, scale->width - 1.0), (double)column + ACTIVITY_REACH);
    for (double i = first; i <= last; i++)
        height += (fmin(right, i + 1) - fmax(left, i)) * span->height * kernel[(int)(i - column) + ACTIVITY_REACH];
    return height;
}

static double part_of(const struct activity_scale *scale, const struct track_samples *samples, size_t i, uint32_t column,
                      const double *kernel)
{
    struct activity_span spans[2];
    size_t count = activity_spans(scale, samples, i, spans);
    double height = 0;
    for (size_t k = 0; k < count; k++)
        height += height_in(scale, &spans[k], column, kernel);
    return height;
}

/* ---- in which order ---- */

static int compare_parts(const void *a, const void *b, void *data)
{
    const struct part *x = a, *y = b;
    int fills = activity_compare_fills(&x->fill, &y->fill, data);
    if (fills != 0)
        return fills;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

int activity_pick(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states,
                  const uint32_t *order, uint32_t column, double height, size_t *sample)
{
    VEC(struct part) parts = {0};
    double kernel[2 * ACTIVITY_REACH + 1];
    make_kernel(kernel);
    bool fits = true;
    for (size_t i = 0; i < samples->count && fits; i++) {
        struct part part = {.sample = i, .order = order[i], .height = part_of(scale, samples, i, column, kernel)};
        if (part.height > 0 && activity_fill_of(scale, samples, states, i, &part.fill) &&
            activity_is_drawn(scale->whole->profile, part.fill.category))
            fits = vec_push(&parts, part);
    }
    *sample = SIZE_MAX;
    if (fits && parts.count > 1)
        qsort_r(parts.items, parts.count, sizeof *parts.items, compare_parts, (void *)scale->whole->profile);
    for (size_t i = 0; i < parts.count && fits && *sample == SIZE_MAX; i++) {
        height -= parts.items[i].height;
        if (height < 0)
            *sample = parts.items[i].sample;
    }
    vec_free(&parts);
    return fits ? 0 : -ENOMEM;
}
