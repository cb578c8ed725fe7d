/* The samples of V8's CPU profiles on their way into a profile. V8 takes them at odd distances, and each stands for the time
 * until the next: that is its weight, in ms. */
#ifndef SONDE_IMPORT_V8_SAMPLES_H
#define SONDE_IMPORT_V8_SAMPLES_H

#include "common/vec.h"
#include "profile/sample_table.h"

/* ms. The Firefox Profiler leaves out samples closer than this to the last one it kept, and counts the others alike. */
#define V8_THIN_INTERVAL 0.5

struct v8_sample {
    double time;    /* ms */
    uint32_t index; /* in the file */
    uint32_t stack;
};

struct v8_samples {
    VEC(struct v8_sample) rows;
};

/* False when the heap is empty; `stack` is to be set later, or is already known. */
static inline bool v8_samples_add(struct v8_samples *samples, double time, uint32_t index, uint32_t stack)
{
    struct v8_sample sample = {time, index, stack};
    return vec_push(&samples->rows, sample);
}

/* Puts them in the order of time, as some of V8's go back a little; those of one time stay in the order of the file. */
void v8_samples_sort(struct v8_samples *samples);

/* Leaves out those that come less than V8_THIN_INTERVAL after the last one kept, the first of which was at `last`. */
void v8_samples_thin(struct v8_samples *samples, double last);

/* The usual distance of sorted samples, in ms; NaN where no two have different times. False when the heap is empty. */
bool v8_samples_interval(const struct v8_samples *samples, double *interval);

/* Appends times and stacks; with `weighted` also weights, which only samples in the order of time have. A single sample
 * stands for `alone` ms. */
void v8_samples_append(const struct v8_samples *samples, bool weighted, double alone, struct sample_table *table);

static inline void v8_samples_free(struct v8_samples *samples)
{
    vec_free(&samples->rows);
}

#endif
