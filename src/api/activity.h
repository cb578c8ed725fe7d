/* The activity graph of a thread, or of several together: how much of each pixel column its samples fill, by category and by
 * where they stand to what is selected.
 *
 *     samples        i-1        i           i+1
 *     time        ────┼─────────┼────────────┼────
 *     sample i             [────┼──────)
 *     height                share i  share i+1       the CPU share of sample i+1 is about the time before it
 *
 * Sample i fills from half way to the sample before to half way to the next, in proportion to the columns it covers. Rows of
 * Sonde's own recordings stand for the time before them, which is their weight, and fill just that. */
#ifndef SONDE_API_ACTIVITY_H
#define SONDE_API_ACTIVITY_H

#include "api/track_samples.h"
#include "tree/view.h"

enum activity_state { ACTIVITY_BEFORE, ACTIVITY_SELECTED, ACTIVITY_AFTER, ACTIVITY_FILTERED, ACTIVITY_STATES };

/* What is drawn, apart from the thread. */
struct activity_scale {
    const struct view *whole;
    struct time_range range;
    uint32_t width;         /* columns */
    double reference;       /* of CPU deltas, tree/cpu.h; 0 = unknown: every sample fills all of its time */
    const bool *by_library; /* the categories whose samples are told apart by the library of their leaf; NULL = none */
};

struct activity_fill {
    uint32_t category;
    uint32_t resource; /* the library, INDEX_NONE = of any */
    enum activity_state state;
    float *columns; /* `width` of them, 0 … 1 */
};

struct activity {
    struct activity_fill *fills; /* in the order they are drawn, from the bottom up */
    size_t fill_count, fill_room;
    float *total;      /* before smoothing */
    uint32_t *fill_of; /* internal: by kind (category, or library) and state */
    bool *drawn;       /* internal: of each category, those that are not transparent */
};

/* Begin, add any number of threads, finish. `states` has an activity_state for each sample. The activity lives in the arena. 0
 * or -ENOMEM. */
int activity_begin(const struct activity_scale *scale, struct arena *arena, struct activity *activity);
int activity_add(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states,
                 struct arena *arena, struct activity *activity);
int activity_finish(const struct activity_scale *scale, struct arena *arena, struct activity *activity);

/* ---- of which it is made, for what is pointed at ---- */

/* The time that a part of a sample fills, and how high: 1 is a whole CPU. */
struct activity_span {
    double from, until, height;
};

/* The spans of a sample. Returns how many it has. */
size_t activity_spans(const struct activity_scale *scale, const struct track_samples *samples, size_t i,
                      struct activity_span spans[2]);

/* Where a span lies, in columns; false where nothing of it is seen. */
bool activity_span_columns(const struct activity_scale *scale, const struct activity_span *span, double *left, double *right);

/* The fill that a sample is part of, without columns; false where it has no stack or is outside of the range. */
bool activity_fill_of(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states, size_t i,
                      struct activity_fill *fill);

/* For qsort_r() with the profile: from the bottom up. */
int activity_compare_fills(const void *a, const void *b, void *profile);

/* Categories that are transparent are not drawn. */
bool activity_is_drawn(const struct profile *profile, uint32_t category);

/* How far a column is smoothed to both sides. */
enum { ACTIVITY_REACH = 7 };
void activity_smooth(float *columns, float *scratch, uint32_t width);

#endif
