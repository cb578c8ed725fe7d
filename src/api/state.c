#include "api/state.h"

#include "tree/carry.h"
#include "tree/transform_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_threads(const void *a, const void *b)
{
    const struct thread_index *x = a, *y = b;
    return (x->i > y->i) - (x->i < y->i);
}

/* In the order of the profile, each once. */
static int choose_threads(const struct view_state *read, const struct profile *profile, const struct thread_index *initial,
                          size_t initial_count, struct state *state, struct fault *fault)
{
    const struct thread_index *chosen = read->has_threads ? read->threads.items : initial;
    size_t count = read->has_threads ? read->threads.count : initial_count;
    for (size_t i = 0; i < count; i++) {
        if (chosen[i].i >= profile->threads.count)
            return fault_set(fault, "unavailable", "state.threads", "state.threads: there is no thread %u", chosen[i].i);
        if (!vec_push(&state->threads, chosen[i]))
            return -ENOMEM;
    }
    struct thread_index *items = state->threads.items;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_threads);
    for (size_t i = 1; i < count; i++)
        if (items[i].i == items[i - 1].i)
            return fault_set(fault, "invalid", "state.threads", "state.threads: thread %u is there twice", items[i].i);
    return 0;
}

static int parse_transform(const struct view_state *read, size_t number, const struct view *whole,
                           const struct carrying *carrying, struct transform *transform, struct error *error)
{
    size_t changes = carrying ? carrying->count : 0;
    const struct func_list *funcs = changes > 0 ? carrying->before : whole->funcs;
    int status = transform_parse(funcs, read->transforms.items[number], read->implementation, transform, error);
    for (size_t i = 0; i < changes && status == 0; i++)
        if (!transform_carry(transform, &carrying->changes[i])) {
            transform_free(transform);
            status = -ENOMEM;
        }
    return status;
}

static int parse_transforms(const struct view_state *read, const struct view *whole, const struct carrying *carrying,
                            struct state *state, struct fault *fault)
{
    for (size_t i = 0; i < read->transforms.count; i++) {
        struct transform transform;
        struct error error = {0};
        int status = parse_transform(read, i, whole, carrying, &transform, &error);
        if (status == -ENOMEM)
            return status;
        if (status != 0) {
            char field[80];
            snprintf(field, sizeof field, "state.transforms[%zu]", i);
            return fault_set(fault, carrying && carrying->count > 0 ? "stale" : "unavailable", field, "%s: %s", field,
                             error.message);
        }
        if (!vec_push(&state->transforms.items, transform)) {
            transform_free(&transform);
            return -ENOMEM;
        }
    }
    return 0;
}

static struct time_range moved(struct time_range range, double start)
{
    return (struct time_range){range.start + start, range.end + start};
}

/* ---- the key ---- */

/* The bits of a time: NaN is the same NaN every time. */
static void add_time(struct text_buffer *key, double time)
{
    text_add(key, (struct slice){(const char *)&time, sizeof time});
}

static void add_length(struct text_buffer *key, size_t length)
{
    text_add(key, (struct slice){(const char *)&length, sizeof length});
}

void state_add_key(const struct query *query, const struct view *whole, bool with_ranges, struct text_buffer *key)
{
    add_length(key, query->thread_count);
    for (size_t i = 0; i < query->thread_count; i++)
        add_length(key, query->threads[i].i);
    const double times[] = {query->range.start, query->range.end, query->preview.start, query->preview.end};
    for (size_t i = 0; i < 4 && with_ranges; i++)
        add_time(key, isnan(times[i]) ? (double)NAN : times[i]);
    text_add_char(key, (char)query->implementation);
    text_add_char(key, (char)query->strategy);
    text_add_char(key, (char)query->exclude_idle);
    add_length(key, query->search.length);
    text_add(key, query->search);
    for (size_t i = 0; i < query->transform_count; i++) {
        size_t start = key->bytes.count;
        transform_print(&query->transforms[i], whole->funcs, query->implementation, key);
        /* One after the other, whatever bytes are in them. */
        add_length(key, key->bytes.count - start);
    }
}

int state_read(const struct view_state *read, const struct view *whole, const struct thread_index *initial,
               size_t initial_count, double start, const struct carrying *carrying, struct state *state, struct fault *fault)
{
    *state = (struct state){.query = query_default(), .inverted = read->inverted, .marker_search = read->marker_search};
    int status = choose_threads(read, whole->profile, initial, initial_count, state, fault);
    if (status == 0)
        status = parse_transforms(read, whole, carrying, state, fault);
    if (status != 0)
        return status;
    struct query *query = &state->query;
    query->threads = state->threads.items;
    query->thread_count = state->threads.count;
    query->range = moved(read->range, start);
    query->preview = moved(read->preview, start);
    query->implementation = read->implementation;
    query->search = read->search;
    query->transforms = state->transforms.items.items;
    query->transform_count = state->transforms.items.count;
    query->exclude_idle = read->exclude_idle;
    query->strategy = read->strategy;
    state_add_key(query, whole, true, &state->key);
    return state->key.failed ? -ENOMEM : 0;
}

void state_free(struct state *state)
{
    vec_free(&state->threads);
    transform_list_free(&state->transforms);
    text_free(&state->key);
}
