/* sample_at: the sample that is pointed at. */
#include "api/activity_pick.h"
#include "api/ask.h"
#include "api/frames.h"
#include "api/track_reader.h"

#include "tree/cpu.h"
#include "tree/sample_stacks.h"

#include <errno.h>
#include <math.h>

enum { SAMPLE_MOST_FRAMES = 20 };

/* The sample with a stack that is nearest in time; SIZE_MAX where there is none. */
static size_t nearest_sample(const struct sample_table *samples, const double *times, double at)
{
    size_t nearest = SIZE_MAX;
    for (size_t i = 0; i < sample_count(samples); i++)
        if (column_get_index(&samples->stack, i) != INDEX_NONE &&
            (nearest == SIZE_MAX || fabs(times[i] - at) < fabs(times[nearest] - at)))
            nearest = i;
    return nearest;
}

/* The path to the node of the sample in the tree, for a click; null where it is filtered out. */
static int put_path(struct asking *asking, uint32_t stack)
{
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    if (stack == INDEX_NONE) {
        reply_put_text(asking->reply, "path", NULL);
        return 0;
    }
    uint32_t node = nodes->of_stack[stack];
    size_t count = nodes->depth[node] + (size_t)1;
    uint32_t *funcs = asking_array(asking, count, sizeof *funcs);
    if (!funcs)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++, node = nodes->parent[node])
        funcs[asking->state.inverted ? i : count - 1 - i] = nodes->func[node];
    reply_put_funcs(asking->reply, "path", funcs, count);
    return 0;
}

static int put_cpu(struct asking *asking, const struct sample_table *samples, const double *times, size_t sample)
{
    size_t count = sample_count(samples);
    double reference, percent = NAN;
    struct error error = {0};
    if (cpu_reference_per_ms(asking->profile, &reference, &error) != 0)
        return -ENOMEM;
    if (reference > 0 && sample_table_has(&samples->cpu_delta) && sample > 0 && sample < count) {
        double delta = column_get_number(&samples->cpu_delta, sample);
        uint8_t shares[3];
        cpu_percents((const double[]){0, delta}, times + sample - 1, 2, reference, shares);
        percent = shares[1];
    }
    reply_put_number(asking->reply, "cpu", percent);
    reply_put_number(asking->reply, "over", sample > 0 ? times[sample] - times[sample - 1] : NAN);
    return 0;
}

/* The one whose part of the hills is at the place, SIZE_MAX above them; and its stack in the view. */
static int pick_sample(struct asking *asking, const struct ask *ask, struct arena *arena, size_t *sample, uint32_t *stack)
{
    struct track_reader reader;
    struct read_track track = {0};
    int status = track_reader_begin(asking, ask, &reader);
    if (status == 0)
        status = track_reader_read(&reader, thread_at(ask->thread), arena, &track);
    if (status != 0)
        return status;
    struct time_range range = reader.scale.range;
    double column = floor((ask->at + asking->start - range.start) / (range.end - range.start) * ask->width);
    uint32_t *order = arena_allocate(arena, (track.samples.count + 1) * sizeof *order);
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < track.samples.count; i++)
        order[i] = track.stacks[i] == INDEX_NONE ? 0 : asking->kept->answer.nodes.of_stack[track.stacks[i]];
    *sample = SIZE_MAX;
    if (column >= 0 && column < ask->width)
        status = activity_pick(&reader.scale, &track.samples, track.states, order, (uint32_t)column, ask->share, sample);
    *stack = *sample == SIZE_MAX ? INDEX_NONE : track.stacks[*sample];
    return status;
}

/* The nearest one in time, and its stack in the view. */
static int find_sample(struct asking *asking, const struct ask *ask, struct arena *arena, size_t *sample, uint32_t *stack)
{
    const struct sample_table *samples = &asking->profile->threads.items[ask->thread].samples;
    size_t count = sample_count(samples);
    double *times = arena_allocate(arena, (count + 1) * sizeof *times);
    uint32_t *stacks = arena_allocate(arena, (count + 1) * sizeof *stacks);
    struct error error = {0};
    if (!times || !stacks)
        return -ENOMEM;
    if (count > 0)
        sample_table_read_times(samples, times);
    *sample = nearest_sample(samples, times, ask->at + asking->start);
    if (*sample == SIZE_MAX)
        return 0;
    if (sample_stacks_read(asking->whole, &asking->kept->answer.view, thread_at(ask->thread), asking->state.query.exclude_idle,
                           stacks, &error) != 0)
        return asking_failed(asking, &error);
    *stack = stacks[*sample];
    return 0;
}

static int put_sample(struct asking *asking, const struct sample_table *samples, size_t sample, uint32_t stack,
                      struct arena *arena)
{
    double *times = arena_allocate(arena, (sample_count(samples) + 1) * sizeof *times);
    if (!times)
        return -ENOMEM;
    sample_table_read_times(samples, times);
    reply_put_number(asking->reply, "time", times[sample] - asking->start);
    int status = put_cpu(asking, samples, times, sample);
    if (status == 0)
        status = put_path(asking, stack);
    return status == 0 ? frames_put(asking, column_get_index(&samples->stack, sample), SAMPLE_MOST_FRAMES) : status;
}

int ask_sample_at(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    if (ask->thread >= asking->profile->threads.count)
        return asking_refuse(asking, "thread", "there is no thread %u", ask->thread);
    struct arena arena = {0};
    size_t sample = SIZE_MAX;
    uint32_t stack = INDEX_NONE;
    status = (ask->has_share ? pick_sample : find_sample)(asking, ask, &arena, &sample, &stack);
    if (status == 0)
        reply_put_id(asking->reply, "sample", sample == SIZE_MAX ? INDEX_NONE : (uint32_t)sample);
    if (status == 0 && sample != SIZE_MAX)
        status = put_sample(asking, &asking->profile->threads.items[ask->thread].samples, sample, stack, &arena);
    arena_free(&arena);
    return status;
}
