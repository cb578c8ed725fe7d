#include "cli/pprof_counts.h"

#include "cli/thread_weights.h"
#include "profile/quality.h"

#include <errno.h>
#include <math.h>

static void add(struct pprof_counted *counted, const char *name, const char *unit, struct pprof_type_counted type)
{
    size_t row = counted->counts.type_count++;
    counted->names[row] = (struct pprof_type_name){name, unit};
    counted->types[row] = type;
}

static bool is_available(const struct profile *profile, enum strategy strategy)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (strategy_is_of_thread(profile, &profile->threads.items[i], strategy))
            return true;
    return false;
}

/* That of the first thread that has samples. */
static enum weight_type weight_type_of(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (sample_count(&profile->threads.items[i].samples) > 0 && sample_table_has(&profile->threads.items[i].samples.weight))
            return profile->threads.items[i].samples.weight_type;
    return WEIGHT_SAMPLES;
}

/* What was read from a pprof profile is written as the same type again: its rows are no samples. */
static bool add_event(struct pprof_counted *counted, const struct profile *profile)
{
    struct quality quality = quality_of(profile);
    if (!slice_is(profile_text(profile, profile->meta.product), "pprof") || quality.event.length >= sizeof counted->event)
        return false;
    memcpy(counted->event, quality.event.text, quality.event.length);
    counted->event[quality.event.length] = '\0';
    char *unit = strrchr(counted->event, '/');
    if (!unit)
        return false;
    *unit++ = '\0';
    enum weight_type type = weight_type_of(profile);
    if (type == WEIGHT_TRACING_MS)
        unit = "nanoseconds";
    else if (type == WEIGHT_BYTES)
        unit = "bytes";
    add(counted, counted->event, unit, (struct pprof_type_counted){.factor = type == WEIGHT_TRACING_MS ? 1e6 : 1});
    return true;
}

static void add_samples(struct pprof_counted *counted, const struct profile *profile)
{
    enum weight_type type = weight_type_of(profile);
    if (type == WEIGHT_BYTES)
        add(counted, "space", "bytes", (struct pprof_type_counted){.factor = 1});
    else
        add(counted, "samples", "count", (struct pprof_type_counted){.rows = type == WEIGHT_TRACING_MS, .factor = 1});
    if (type == WEIGHT_TRACING_MS)
        add(counted, "wall", "nanoseconds", (struct pprof_type_counted){.factor = 1e6});
    if (!is_available(profile, STRATEGY_CPU))
        return;
    counted->counts.default_type = counted->counts.type_count;
    add(counted, "cpu", "nanoseconds", (struct pprof_type_counted){.strategy = STRATEGY_CPU, .factor = 1e6});
}

static void add_allocations(struct pprof_counted *counted, const struct profile *profile)
{
    bool is_native = is_available(profile, STRATEGY_NATIVE_ALLOCATIONS);
    enum strategy made = is_native ? STRATEGY_NATIVE_ALLOCATIONS : STRATEGY_JS_ALLOCATIONS;
    if (is_available(profile, made)) {
        add(counted, "alloc_objects", "count", (struct pprof_type_counted){.strategy = made, .blocks = true, .factor = 1});
        add(counted, "alloc_space", "bytes", (struct pprof_type_counted){.strategy = made, .factor = 1});
    }
    if (is_available(profile, STRATEGY_PAGE_FAULTS))
        add(counted, "page_faults", "count", (struct pprof_type_counted){.strategy = STRATEGY_PAGE_FAULTS, .factor = 1});
    struct pprof_type_counted kept = {.strategy = STRATEGY_NATIVE_RETAINED, .factor = 1};
    if (is_available(profile, kept.strategy)) {
        add(counted, "inuse_space", "bytes", kept);
        kept.blocks = true;
        add(counted, "inuse_objects", "count", kept);
    }
}

static int count(void *data, struct thread_index thread, size_t type, double *values, struct error *error)
{
    const struct pprof_counted *counted = data;
    const struct profile *profile = counted->whole.profile;
    const struct pprof_type_counted *counts = &counted->types[type];
    struct stack_weights weights;
    memset(values, 0, stack_count(&profile->stacks) * sizeof *values);
    int status = thread_weigh(&counted->whole, thread, counts->strategy, counts->blocks, &weights, error);
    for (size_t i = 0; i < weights.count; i++)
        values[i] = counts->rows ? weights.rows[i] : weights.weight[i] * counts->factor;
    stack_weights_free(&weights);
    return status;
}

int pprof_counted_init(struct pprof_counted *counted, const struct profile *profile, struct error *error)
{
    *counted = (struct pprof_counted){.counts = {.types = counted->names, .count = count, .data = counted}};
    if (!add_event(counted, profile)) {
        add_samples(counted, profile);
        add_allocations(counted, profile);
    }
    return view_open(profile, &counted->whole, error);
}

void pprof_counted_free(struct pprof_counted *counted)
{
    view_free(&counted->whole);
}
