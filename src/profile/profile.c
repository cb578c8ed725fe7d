#include "profile/profile.h"

#include "common/count.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

void profile_init(struct profile *profile)
{
    *profile = (struct profile){
        .meta = {.interval = 1, .profiling_start_time = NAN, .profiling_end_time = NAN, .product = STRING_NONE},
    };
    struct arena *arena = &profile->arena;
    columns_init(profile->native_symbols.columns, COUNT(profile->native_symbols.columns), COLUMN_INTEGERS, arena);
    columns_init(profile->funcs.columns, COUNT(profile->funcs.columns), COLUMN_INTEGERS, arena);
    columns_init(profile->frames.columns, COUNT(profile->frames.columns), COLUMN_INTEGERS, arena);
    columns_init(profile->stacks.columns, COUNT(profile->stacks.columns), COLUMN_INTEGERS, arena);
}

void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        thread_free(&profile->threads.items[i]);
    vec_free(&profile->threads);
    counter_list_free(&profile->counters);
    columns_free(profile->stacks.columns, COUNT(profile->stacks.columns));
    columns_free(profile->frames.columns, COUNT(profile->frames.columns));
    columns_free(profile->funcs.columns, COUNT(profile->funcs.columns));
    map_free(&profile->funcs.by_key);
    columns_free(profile->native_symbols.columns, COUNT(profile->native_symbols.columns));
    vec_free(&profile->locations.rows);
    source_table_free(&profile->sources);
    resource_table_free(&profile->resources);
    lib_table_free(&profile->libs);
    marker_schema_list_free(&profile->schemas);
    category_list_free(&profile->categories);
    value_bytes_free(&profile->meta.whole);
    value_bytes_free(&profile->pages);
    value_bytes_free(&profile->other);
    string_table_free(&profile->strings);
    arena_free(&profile->reference_arena);
    arena_free(&profile->shared_arena);
    arena_free(&profile->arena);
}

struct thread *profile_add_thread(struct profile *profile)
{
    if (!vec_reserve(&profile->threads, profile->threads.count + 1))
        return NULL;
    struct thread *thread = &profile->threads.items[profile->threads.count++];
    thread_init(thread, &profile->arena);
    return thread;
}

/* ---- checks ---- */

/* Every row of `column` is absent or below `limit`. */
static int check_indices(const struct column *column, size_t limit, bool may_be_absent, const char *table, const char *name,
                         struct error *error)
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    size_t count = column_count(column);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read(column, first, piece, rows);
        for (size_t i = 0; i < piece; i++) {
            if (rows[i] == COLUMN_ABSENT ? may_be_absent : rows[i] >= 0 && (uint64_t)rows[i] < limit)
                continue;
            if (rows[i] == COLUMN_ABSENT)
                return error_set(error, -EINVAL, "%s row %zu has no %s", table, first + i, name);
            return error_set(error, -EINVAL, "%s row %zu: %s %lld is not one of %zu", table, first + i, name,
                             (long long)rows[i], limit);
        }
    }
    return 0;
}

static int check_stacks(const struct profile *profile, struct error *error)
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    size_t count = stack_count(&profile->stacks);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read(&profile->stacks.up, first, piece, rows);
        for (size_t i = 0; i < piece; i++)
            if (rows[i] < 0 || (uint64_t)rows[i] > first + i)
                return error_set(error, -EINVAL, "stack %zu does not stand after the stack it was called from", first + i);
    }
    return check_indices(&profile->stacks.frame, frame_count(&profile->frames), false, "stack", "frame", error);
}

static int check_length(const struct column *column, size_t count, bool optional, const char *table, const char *name,
                        struct error *error)
{
    size_t length = column_count(column);
    if (length == count || (optional && length == 0))
        return 0;
    return error_set(error, -EINVAL, "%s column %s has %zu rows instead of %zu", table, name, length, count);
}

static int check_shared(const struct profile *profile, struct error *error)
{
    const struct func_table *funcs = &profile->funcs;
    const struct frame_table *frames = &profile->frames;
    const struct native_symbol_table *symbols = &profile->native_symbols;
    const struct {
        const struct column *column;
        size_t limit;
        bool may_be_absent;
        const char *table, *name;
    } checks[] = {
        {&funcs->name, string_table_count(&profile->strings), false, "func", "name"},
        {&funcs->resource, profile->resources.rows.count, true, "func", "resource"},
        {&funcs->source, profile->sources.rows.count, true, "func", "source"},
        {&funcs->original_location, profile->locations.rows.count, true, "func", "original location"},
        {&frames->func, func_count(funcs), false, "frame", "func"},
        {&frames->lib, profile->libs.rows.count, true, "frame", "lib"},
        {&frames->category, profile->categories.rows.count, true, "frame", "category"},
        {&frames->native_symbol, native_symbol_count(symbols), true, "frame", "native symbol"},
        {&frames->original_location, profile->locations.rows.count, true, "frame", "original location"},
        {&symbols->lib, profile->libs.rows.count, true, "native symbol", "lib"},
        {&symbols->name, string_table_count(&profile->strings), false, "native symbol", "name"},
    };
    for (size_t i = 0; i < COUNT(checks); i++)
        if (check_indices(checks[i].column, checks[i].limit, checks[i].may_be_absent, checks[i].table, checks[i].name, error))
            return error->code;
    for (size_t i = 0; i < COUNT(frames->columns); i++)
        if (check_length(&frames->columns[i], frame_count(frames), false, "frame", "", error))
            return error->code;
    for (size_t i = 0; i < COUNT(funcs->columns); i++)
        if (check_length(&funcs->columns[i], func_count(funcs), false, "func", "", error))
            return error->code;
    if (check_length(&profile->stacks.up, stack_count(&profile->stacks), false, "stack", "prefix", error))
        return error->code;
    return check_stacks(profile, error);
}

static int check_samples(const struct profile *profile, const struct thread *thread, const char *name, struct error *error)
{
    const struct sample_table *samples = &thread->samples;
    size_t count = sample_count(samples);
    const struct {
        const struct column *column;
        bool optional;
        const char *name;
    } lengths[] = {
        {&samples->time, false, "time"},
        {&samples->weight, true, "weight"},
        {&samples->cpu_delta, true, "threadCPUDelta"},
        {&samples->event_delay, true, "eventDelay"},
        {&samples->argument_values, true, "argumentValues"},
    };
    for (size_t i = 0; i < COUNT(lengths); i++)
        if (check_length(lengths[i].column, count, lengths[i].optional, name, lengths[i].name, error))
            return error->code;
    return check_indices(&samples->stack, stack_count(&profile->stacks), true, name, "stack", error);
}

static int check_allocations(const struct profile *profile, const struct allocation_table *table, const char *name,
                             struct error *error)
{
    size_t count = allocation_count(table);
    if (check_length(&table->time, count, false, name, "time", error) ||
        check_length(&table->weight, count, false, name, "weight", error) ||
        check_length(&table->memory_address, count, true, name, "memoryAddress", error) ||
        check_length(&table->size, count, true, name, "size", error))
        return error->code;
    return check_indices(&table->stack, stack_count(&profile->stacks), true, name, "stack", error);
}

static int check_thread(const struct profile *profile, size_t index, struct error *error)
{
    const struct thread *thread = &profile->threads.items[index];
    const struct marker_table *markers = &thread->markers;
    char name[64];
    snprintf(name, sizeof name, "thread %zu, sample", index);
    if (check_samples(profile, thread, name, error))
        return error->code;
    snprintf(name, sizeof name, "thread %zu, marker", index);
    if (check_indices(&markers->name, string_table_count(&profile->strings), false, name, "name", error) ||
        check_indices(&markers->phase, MARKER_END + 1, false, name, "phase", error) ||
        check_indices(&markers->category, profile->categories.rows.count, true, name, "category", error) ||
        check_indices(&markers->cause_stack, stack_count(&profile->stacks), true, name, "stack", error))
        return error->code;
    snprintf(name, sizeof name, "thread %zu, JS allocation", index);
    if (check_allocations(profile, &thread->js_allocations, name, error))
        return error->code;
    snprintf(name, sizeof name, "thread %zu, native allocation", index);
    if (check_allocations(profile, &thread->native_allocations, name, error))
        return error->code;
    snprintf(name, sizeof name, "thread %zu, page fault", index);
    return check_allocations(profile, &thread->page_faults, name, error);
}

static bool profile_seal(struct profile *profile)
{
    bool sealed = columns_seal(profile->native_symbols.columns, COUNT(profile->native_symbols.columns));
    sealed &= columns_seal(profile->funcs.columns, COUNT(profile->funcs.columns));
    sealed &= columns_seal(profile->frames.columns, COUNT(profile->frames.columns));
    sealed &= columns_seal(profile->stacks.columns, COUNT(profile->stacks.columns));
    sealed &= counter_list_seal(&profile->counters);
    for (size_t i = 0; i < profile->threads.count; i++)
        sealed &= thread_seal(&profile->threads.items[i]);
    string_table_trim(&profile->strings);
    return sealed;
}

int profile_finish(struct profile *profile, struct error *error)
{
    if (!profile_seal(profile))
        return error_out_of_memory(error);
    if (check_shared(profile, error))
        return error->code;
    for (size_t i = 0; i < profile->threads.count; i++)
        if (check_thread(profile, i, error))
            return error->code;
    return 0;
}

size_t profile_bytes(const struct profile *profile)
{
    size_t bytes = columns_bytes(profile->native_symbols.columns, COUNT(profile->native_symbols.columns));
    bytes += columns_bytes(profile->funcs.columns, COUNT(profile->funcs.columns));
    bytes += columns_bytes(profile->frames.columns, COUNT(profile->frames.columns));
    bytes += columns_bytes(profile->stacks.columns, COUNT(profile->stacks.columns));
    bytes += counter_list_bytes(&profile->counters);
    for (size_t i = 0; i < profile->threads.count; i++)
        bytes += thread_bytes(&profile->threads.items[i]);
    return bytes + profile->meta.whole.bytes.capacity + profile->pages.bytes.capacity + profile->other.bytes.capacity;
}

bool profile_start_is_date(const struct profile *profile)
{
    static const double year_2000 = 946684800000;
    return isfinite(profile->meta.start_time) && profile->meta.start_time >= year_2000;
}
