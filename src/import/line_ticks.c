#include "import/line_ticks.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

/* The sample of a node that comes `at` this share of the way through all of them. */
struct place {
    double at;
    uint32_t order;
    uint32_t stack;
};

struct placing {
    const struct line_ticks *ticks;
    struct profile *profile;
    VEC(struct place) places; /* of all nodes that have ticks, one node after the other */
    uint32_t *next;           /* of places, by node; INDEX_NONE = its samples are on no known line */
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool add_places(struct placing *placing, uint32_t stack, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct place place = {(i + 0.5) / count, (uint32_t)placing->places.count, stack};
        if (placing->places.count >= INDEX_NONE - 1 || !vec_push(&placing->places, place))
            return false;
    }
    return true;
}

/* The stack with another line on top. */
static uint32_t stack_on_line(struct profile *profile, uint32_t stack, uint32_t line)
{
    struct stack_index plain = stack_at(stack);
    struct frame frame = frame_table_get(&profile->frames, stack_frame(&profile->stacks, plain));
    if (frame.line == line)
        return stack;
    frame.line = line;
    frame.column = INDEX_NONE;
    return stack_table_append(&profile->stacks, stack_prefix(&profile->stacks, plain),
                              frame_table_append(&profile->frames, &frame))
        .i;
}

/* Shares `samples` of a node among its lines, and what is on no known one. */
static bool place_node(struct placing *placing, const struct node_ticks *node, uint32_t stack, uint32_t samples)
{
    const struct line_tick *ticks = placing->ticks->ticks.items + node->first;
    double sum = 0;
    for (uint32_t i = 0; i < node->count; i++)
        sum += ticks[i].ticks;
    if (sum == 0)
        return true;
    double unknown = fmax(node->hit_count - sum, 0), total = sum + unknown, so_far = unknown;
    size_t first = placing->places.count;
    uint32_t given = (uint32_t)floor(unknown * samples / total);
    bool ok = add_places(placing, stack, given);
    for (uint32_t i = 0; ok && i < node->count; i++) {
        so_far += ticks[i].ticks;
        uint32_t until = i + 1 == node->count ? samples : (uint32_t)floor(so_far * samples / total);
        if (until > given)
            ok = add_places(placing, stack_on_line(placing->profile, stack, ticks[i].line), until - given);
        given = until > given ? until : given;
    }
    if (ok)
        qsort(placing->places.items + first, samples, sizeof *placing->places.items, compare_places);
    placing->next[node->node] = (uint32_t)first;
    return ok;
}

bool line_ticks_place(const struct line_ticks *ticks, struct profile *profile, const uint32_t *stack_of, size_t node_count,
                      struct v8_samples *samples)
{
    struct placing placing = {.ticks = ticks, .profile = profile};
    uint32_t *sample_count = memory_zeroed(node_count + 1, sizeof *sample_count);
    placing.next = memory_array(node_count + 1, sizeof *placing.next);
    bool ok = sample_count && placing.next;
    for (size_t i = 0; ok && i < node_count; i++)
        placing.next[i] = INDEX_NONE;
    for (size_t i = 0; ok && i < samples->rows.count; i++)
        sample_count[samples->rows.items[i].stack]++;
    for (size_t i = 0; ok && i < ticks->nodes.count; i++) {
        const struct node_ticks *node = &ticks->nodes.items[i];
        if (sample_count[node->node] > 0)
            ok = place_node(&placing, node, stack_of[node->node], sample_count[node->node]);
    }
    for (size_t i = 0; ok && i < samples->rows.count; i++) {
        struct v8_sample *sample = &samples->rows.items[i];
        uint32_t *next = &placing.next[sample->stack];
        sample->stack = *next == INDEX_NONE ? stack_of[sample->stack] : placing.places.items[(*next)++].stack;
    }
    memory_release(sample_count);
    memory_release(placing.next);
    vec_free(&placing.places);
    return ok;
}

void line_ticks_free(struct line_ticks *ticks)
{
    vec_free(&ticks->ticks);
    vec_free(&ticks->nodes);
}
