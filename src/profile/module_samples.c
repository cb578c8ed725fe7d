#include "profile/module_samples.h"

void module_owners_read(const struct frame_table *frames, uint32_t *owners)
{
    int64_t addresses[COLUMN_BLOCK_ROWS];
    size_t count = frame_count(frames);
    column_read_u32(&frames->lib, 0, count, owners);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read(&frames->address, first, piece, addresses);
        for (size_t i = 0; i < piece; i++)
            if (addresses[i] < 0)
                owners[first + i] = INDEX_NONE;
    }
}

/* Samples on each stack itself. */
static void count_samples(const struct profile *profile, size_t *samples)
{
    uint32_t stacks[COLUMN_BLOCK_ROWS];
    for (size_t t = 0; t < profile->threads.count; t++) {
        const struct column *column = &profile->threads.items[t].samples.stack;
        size_t count = column_count(column);
        for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
            size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
            column_read_u32(column, first, piece, stacks);
            for (size_t i = 0; i < piece; i++)
                if (stacks[i] != INDEX_NONE)
                    samples[stacks[i]]++;
        }
    }
}

struct sample_count {
    size_t stack_count;
    uint32_t *prefix, *owner; /* of each stack */
    size_t *samples;          /* on each stack and those called from it */
    uint64_t *above;          /* which of 64 modules the stack and its callers are in */
    size_t *sums;             /* of each module */
};

/* A sample counts once, at the outermost frame of the module. Modules are looked at 64 at a time, a bit each. */
static void count_modules(const struct sample_count *count, uint32_t first_module)
{
    for (size_t i = 0; i < count->stack_count; i++) {
        uint64_t callers = count->prefix[i] == INDEX_NONE ? 0 : count->above[count->prefix[i]];
        uint64_t own = count->owner[i] - first_module < 64 ? UINT64_C(1) << (count->owner[i] - first_module) : 0;
        count->above[i] = callers | own;
        if (own & ~callers)
            count->sums[count->owner[i]] += count->samples[i];
    }
}

/* The owner of each stack, the samples on it and below it. */
static void fill(const struct profile *profile, const uint32_t *frame_owners, size_t owner_count, struct sample_count *count)
{
    const struct stack_table *stacks = &profile->stacks;
    size_t n = count->stack_count;
    stack_table_read_prefixes(stacks, count->prefix);
    column_read_u32(&stacks->frame, 0, n, count->owner);
    for (size_t i = 0; i < n; i++) {
        uint32_t owner = frame_owners[count->owner[i]];
        count->owner[i] = owner < owner_count ? owner : INDEX_NONE;
    }
    count_samples(profile, count->samples);
    for (size_t i = n; i-- > 0;)
        if (count->prefix[i] != INDEX_NONE)
            count->samples[count->prefix[i]] += count->samples[i];
}

bool module_samples_count(const struct profile *profile, const uint32_t *owners, size_t owner_count, size_t *samples)
{
    size_t n = stack_count(&profile->stacks);
    struct sample_count count = {
        .stack_count = n,
        .prefix = memory_array(n + 1, sizeof *count.prefix),
        .owner = memory_array(n + 1, sizeof *count.owner),
        .samples = memory_zeroed(n + 1, sizeof *count.samples),
        .above = memory_array(n + 1, sizeof *count.above),
        .sums = samples,
    };
    bool done = count.prefix && count.owner && count.samples && count.above;
    for (size_t m = 0; m < owner_count; m++)
        samples[m] = 0;
    if (done) {
        fill(profile, owners, owner_count, &count);
        for (size_t m = 0; m < owner_count; m += 64)
            count_modules(&count, (uint32_t)m);
    }
    memory_release(count.prefix);
    memory_release(count.owner);
    memory_release(count.samples);
    memory_release(count.above);
    return done;
}
