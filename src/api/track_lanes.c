#include "api/track_lanes.h"

#include <errno.h>
#include <math.h>

static struct category_index find_category(const struct activity_scale *scale, struct slice name)
{
    const struct profile *profile = scale->whole->profile;
    return category_list_find(&profile->categories, &profile->strings, name);
}

/* ---- samples ---- */

/* In device pixels: bars of a sample an interval touch where they are wide, and overlap where they are not. */
static double bar_width(const struct activity_scale *scale)
{
    double width = scale->whole->profile->meta.interval * scale->width / (scale->range.end - scale->range.start);
    return fmin(10, fmax(0.8, width < 2 ? width * 1.2 : width));
}

void sample_strip_fill(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states,
                       bool has_selection, uint8_t *columns)
{
    static const uint8_t rank[] = {[STRIP_NOTHING] = 0, [STRIP_IDLE] = 1, [STRIP_SAMPLE] = 2, [STRIP_SELECTED] = 3};
    struct category_index idle = find_category(scale, SLICE("Idle"));
    double per_ms = scale->width / (scale->range.end - scale->range.start), half = bar_width(scale) / 2;
    memset(columns, STRIP_NOTHING, scale->width);
    for (size_t i = 0; i < samples->count; i++) {
        bool inside = samples->times[i] >= scale->range.start && samples->times[i] < scale->range.end;
        if (!inside || samples->stacks[i] == INDEX_NONE || states[i] == ACTIVITY_FILTERED)
            continue;
        bool is_idle = pair_category(scale->whole->pair[samples->stacks[i]]) == idle.i;
        uint8_t state = has_selection && states[i] == ACTIVITY_SELECTED ? STRIP_SELECTED : is_idle ? STRIP_IDLE : STRIP_SAMPLE;
        double middle = (samples->times[i] - scale->range.start) * per_ms;
        uint32_t first = (uint32_t)fmin(scale->width - 1, fmax(0, floor(middle - half + 0.5)));
        uint32_t end = (uint32_t)fmin(scale->width, floor(middle + half + 0.5));
        for (uint32_t x = first; x < end || x == first; x++)
            if (rank[state] > rank[columns[x]])
                columns[x] = state;
    }
}

/* ---- waits ---- */

struct wait_lane {
    const struct activity_scale *scale;
    struct category_index ready;
    float *shares;  /* of each column, so much of each wait_state */
    float *longest; /* of each column: the longest wait in it */
};

static bool is_unseen(const struct view *whole, uint32_t stack)
{
    return whole->prefix[stack] == INDEX_NONE && slice_is(func_list_name(whole->funcs, whole->func[stack]), "(waiting)");
}

static enum wait_state state_of(const struct wait_lane *lane, const struct track_samples *samples, size_t row)
{
    uint32_t stack = samples->stacks[row];
    if (samples->percent[row] > 0)
        return WAIT_CPU;
    if (stack == INDEX_NONE)
        return WAIT_UNSEEN;
    if (category_exists(lane->ready) && pair_category(lane->scale->whole->pair[stack]) == lane->ready.i)
        return WAIT_READY;
    return is_unseen(lane->scale->whole, stack) ? WAIT_UNSEEN : WAIT_WAITING;
}

static void add_row(struct wait_lane *lane, const struct track_samples *samples, size_t row, uint32_t *names)
{
    const struct activity_scale *scale = lane->scale;
    const struct func_list *funcs = scale->whole->funcs;
    double per_ms = scale->width / (scale->range.end - scale->range.start);
    double left = fmax(0, (samples->starts[row] - scale->range.start) * per_ms);
    double right = fmin(scale->width, (samples->times[row] - scale->range.start) * per_ms);
    if (!(left < right))
        return;
    enum wait_state state = state_of(lane, samples, row);
    for (uint32_t x = (uint32_t)left; x < scale->width && x < right; x++) {
        float covered = (float)(fmin(right, x + 1) - fmax(left, x));
        lane->shares[x * WAIT_STATES + state] += covered;
        if (state == WAIT_WAITING && covered > lane->longest[x]) {
            lane->longest[x] = covered;
            names[x] = funcs->name[scale->whole->func[samples->stacks[row]]];
        }
    }
}

static uint8_t most_of(const float *shares)
{
    uint8_t most = WAIT_UNKNOWN;
    for (uint8_t state = WAIT_CPU; state < WAIT_STATES; state++)
        if (shares[state] > shares[most])
            most = state;
    return most;
}

int wait_lane_fill(const struct activity_scale *scale, const struct track_samples *samples, uint8_t *columns, uint32_t *names)
{
    struct wait_lane lane = {
        .scale = scale,
        .ready = find_category(scale, SLICE("Waiting for CPU")),
        .shares = memory_zeroed(scale->width * (size_t)WAIT_STATES, sizeof(float)),
        .longest = memory_zeroed(scale->width, sizeof(float)),
    };
    bool fits = lane.shares && lane.longest;
    memset(names, 0xff, scale->width * sizeof *names);
    for (size_t row = 0; row < samples->count && samples->precede && fits; row++)
        add_row(&lane, samples, row, names);
    for (uint32_t x = 0; x < scale->width && fits; x++) {
        columns[x] = most_of(lane.shares + x * (size_t)WAIT_STATES);
        if (columns[x] != WAIT_WAITING)
            names[x] = INDEX_NONE;
    }
    memory_release(lane.shares);
    memory_release(lane.longest);
    return fits ? 0 : -ENOMEM;
}
