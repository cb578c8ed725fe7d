#include "api/activity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- filling ---- */

bool activity_span_columns(const struct activity_scale *scale, const struct activity_span *span, double *left, double *right)
{
    struct time_range range = scale->range;
    double per_ms = scale->width / (range.end - range.start);
    *left = span->from > range.start ? (span->from - range.start) * per_ms : 0;
    *right = ((span->until < range.end ? span->until : range.end) - range.start) * per_ms;
    return *left < *right && span->height != 0;
}

/* Adds to the columns of a span, to those at its ends in proportion. */
static void fill(const struct activity_scale *scale, float *columns, const struct activity_span *span)
{
    double left, right;
    if (!activity_span_columns(scale, span, &left, &right))
        return;
    uint32_t first = (uint32_t)left, last = (uint32_t)right;
    for (uint32_t i = first; i <= last && i < scale->width; i++) {
        double covered = (right < i + 1 ? right : i + 1) - (left > i ? left : i);
        columns[i] += (float)(covered * span->height);
    }
}

size_t activity_spans(const struct activity_scale *scale, const struct track_samples *samples, size_t i,
                      struct activity_span spans[2])
{
    const double *times = samples->times;
    if (samples->precede) {
        spans[0] = (struct activity_span){samples->starts[i], times[i], samples->percent[i] / 100.0};
        return 1;
    }
    double interval = scale->whole->profile->meta.interval;
    double before = i > 0 ? (times[i - 1] + times[i]) / 2 : times[i] - interval / 2;
    double after = i + 1 < samples->count ? (times[i] + times[i + 1]) / 2 : times[i] + interval / 2;
    spans[0] = (struct activity_span){before, times[i], samples->percent[i] / 100.0};
    spans[1] = (struct activity_span){times[i], after, samples->percent[i + 1] / 100.0};
    return 2;
}

/* ---- smoothing ---- */

/* Each column becomes the mean of those around it; outside there is nothing. */
static void blur(float *columns, float *scratch, uint32_t width, uint32_t radius)
{
    double sum = 0;
    for (uint32_t i = 0; i < width && i < radius; i++)
        sum += columns[i];
    for (uint32_t i = 0; i < width; i++) {
        if (i + radius < width)
            sum += columns[i + radius];
        if (i > radius)
            sum -= columns[i - radius - 1];
        scratch[i] = (float)(sum / (2 * radius + 1));
    }
    memcpy(columns, scratch, width * sizeof *columns);
}

void activity_smooth(float *columns, float *scratch, uint32_t width)
{
    blur(columns, scratch, width, 3);
    blur(columns, scratch, width, 2);
    blur(columns, scratch, width, 2);
}

/* ---- order ---- */

/* By the colour of the category: the heaviest are at the bottom. */
static int gravity(const struct profile *profile, uint32_t category)
{
    static const struct {
        const char *color;
        int gravity;
    } known[] = {{"darkgrey", 11}, {"grey", 10},     {"lightgreen", 9}, {"magenta", 8},    {"brown", 7},
                 {"yellow", 6},    {"purple", 5},    {"green", 4},      {"blue", 3},       {"orange", 2},
                 {"red", 1},       {"lightblue", 1}, {"lightred", 1},   {"transparent", 0}};
    struct slice color = profile_text(profile, profile->categories.rows.items[category].color);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (slice_equal(color, slice_of(known[i].color)))
            return known[i].gravity;
    return 10;
}

bool activity_is_drawn(const struct profile *profile, uint32_t category)
{
    return gravity(profile, category) != 0;
}

int activity_compare_fills(const void *a, const void *b, void *data)
{
    const struct profile *profile = data;
    const struct activity_fill *x = a, *y = b;
    if (x->category != y->category) {
        int left = gravity(profile, x->category), right = gravity(profile, y->category);
        return left != right ? (left > right ? -1 : 1) : x->category < y->category ? -1 : 1;
    }
    if (x->resource != y->resource)
        return x->resource < y->resource ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

/* ---- the whole ---- */

int activity_begin(const struct activity_scale *scale, struct arena *arena, struct activity *activity)
{
    const struct profile *profile = scale->whole->profile;
    size_t categories = profile->categories.rows.count;
    size_t libraries = scale->by_library ? profile->resources.rows.count : 0;
    size_t places = (categories + libraries) * ACTIVITY_STATES;
    *activity = (struct activity){
        .total = arena_allocate(arena, scale->width * sizeof(float)),
        .fill_of = arena_allocate(arena, (places + 1) * sizeof *activity->fill_of),
    };
    activity->drawn = arena_allocate(arena, (categories + 1) * sizeof *activity->drawn);
    if (!activity->total || !activity->fill_of || !activity->drawn)
        return -ENOMEM;
    for (uint32_t category = 0; category < categories; category++)
        activity->drawn[category] = activity_is_drawn(profile, category);
    for (size_t i = 0; i < places; i++)
        activity->fill_of[i] = INDEX_NONE;
    memset(activity->total, 0, scale->width * sizeof(float));
    return 0;
}

static bool make_room(struct activity *activity, struct arena *arena)
{
    if (activity->fill_count < activity->fill_room)
        return true;
    size_t room = activity->fill_room > 0 ? 2 * activity->fill_room : 32;
    struct activity_fill *fills = arena_allocate(arena, room * sizeof *fills);
    if (!fills)
        return false;
    if (activity->fill_count > 0)
        memcpy(fills, activity->fills, activity->fill_count * sizeof *fills);
    activity->fills = fills;
    activity->fill_room = room;
    return true;
}

/* The library of the leaf, where it tells samples of the category apart. */
static uint32_t library_of(const struct activity_scale *scale, uint32_t category, uint32_t stack)
{
    bool tells = scale->by_library && scale->by_library[category];
    return tells ? scale->whole->funcs->resource[scale->whole->func[stack]] : INDEX_NONE;
}

/* The fill of a category or library and a state, made when it is first needed. */
static struct activity_fill *find_fill(const struct activity_scale *scale, struct activity *activity, struct activity_fill fill,
                                       struct arena *arena)
{
    size_t categories = scale->whole->profile->categories.rows.count;
    size_t kind = fill.resource == INDEX_NONE ? fill.category : categories + fill.resource;
    uint32_t *place = &activity->fill_of[kind * ACTIVITY_STATES + fill.state];
    if (*place == INDEX_NONE) {
        fill.columns = arena_allocate(arena, scale->width * sizeof *fill.columns);
        if (!fill.columns || !make_room(activity, arena))
            return NULL;
        memset(fill.columns, 0, scale->width * sizeof *fill.columns);
        *place = (uint32_t)activity->fill_count;
        activity->fills[activity->fill_count++] = fill;
    }
    return &activity->fills[*place];
}

bool activity_fill_of(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states, size_t i,
                      struct activity_fill *fill)
{
    bool inside = samples->times[i] >= scale->range.start && samples->times[i] < scale->range.end;
    if (samples->stacks[i] == INDEX_NONE || !inside)
        return false;
    uint32_t category = pair_category(scale->whole->pair[samples->stacks[i]]);
    if (category >= scale->whole->profile->categories.rows.count)
        return false;
    *fill = (struct activity_fill){
        .category = category,
        .resource = library_of(scale, category, samples->stacks[i]),
        .state = (enum activity_state)states[i],
    };
    return true;
}

int activity_add(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states,
                 struct arena *arena, struct activity *activity)
{
    for (size_t i = 0; i < samples->count; i++) {
        struct activity_fill kind;
        if (!activity_fill_of(scale, samples, states, i, &kind) || !activity->drawn[kind.category])
            continue;
        struct activity_fill *of = find_fill(scale, activity, kind, arena);
        if (!of)
            return -ENOMEM;
        struct activity_span spans[2];
        size_t count = activity_spans(scale, samples, i, spans);
        for (size_t k = 0; k < count; k++)
            fill(scale, of->columns, &spans[k]);
    }
    return 0;
}

int activity_finish(const struct activity_scale *scale, struct arena *arena, struct activity *activity)
{
    float *scratch = arena_allocate(arena, scale->width * sizeof *scratch);
    if (!scratch)
        return -ENOMEM;
    if (activity->fill_count > 1)
        qsort_r(activity->fills, activity->fill_count, sizeof *activity->fills, activity_compare_fills,
                (void *)scale->whole->profile);
    for (size_t i = 0; i < activity->fill_count; i++) {
        for (uint32_t x = 0; x < scale->width; x++)
            activity->total[x] += activity->fills[i].columns[x];
        activity_smooth(activity->fills[i].columns, scratch, scale->width);
    }
    return 0;
}
