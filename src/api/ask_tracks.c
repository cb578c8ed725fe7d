/* tracks: the graphs of the timeline, in device pixels; sample_at: the sample that is pointed at. */
#include "api/ask.h"

#include "api/activity.h"
#include "api/counter_columns.h"
#include "api/frames.h"
#include "api/node_places.h"
#include "tree/cpu.h"
#include "tree/sample_stacks.h"

#include <errno.h>
#include <math.h>

enum {
    TRACKS_MOST_COLUMNS = 4 << 20, /* of all tracks and fills together */
    SAMPLE_MOST_FRAMES = 20,
};

/* ---- threads ---- */

/* The state of each sample: whether it is filtered out, and where its call node stands to the selected one. */
static int read_states(struct asking *asking, struct arena *arena, struct thread_index thread, const uint8_t *places,
                       uint8_t **states)
{
    static const uint8_t state_of[] = {
        [NODE_BEFORE] = ACTIVITY_BEFORE, [NODE_SELECTED] = ACTIVITY_SELECTED, [NODE_AFTER] = ACTIVITY_AFTER};
    size_t count = sample_count(&asking->profile->threads.items[thread.i].samples);
    const struct answer *answer = &asking->kept->answer;
    uint32_t *stacks = arena_allocate(arena, (count + 1) * sizeof *stacks);
    *states = arena_allocate(arena, count + 1);
    struct error error = {0};
    if (!stacks || !*states)
        return -ENOMEM;
    if (count == 0)
        return 0;
    if (sample_stacks_read(asking->whole, &answer->view, thread, asking->state.query.exclude_idle, stacks, &error) != 0)
        return asking_failed(asking, &error);
    for (size_t i = 0; i < count; i++)
        (*states)[i] = stacks[i] == INDEX_NONE ? ACTIVITY_FILTERED : state_of[places[answer->nodes.of_stack[stacks[i]]]];
    return 0;
}

struct fill_columns {
    VEC(uint16_t) track, category;
    VEC(uint8_t) state, heights, totals;
};

static void fill_columns_free(struct fill_columns *columns)
{
    vec_free(&columns->track);
    vec_free(&columns->category);
    vec_free(&columns->state);
    vec_free(&columns->heights);
    vec_free(&columns->totals);
}

static uint8_t height_of(float share)
{
    return (uint8_t)fminf(255, fmaxf(0, share * 255 + 0.5f));
}

static bool add_activity(struct fill_columns *columns, size_t track, uint32_t width, const struct activity *activity)
{
    bool fits = true;
    for (size_t i = 0; i < activity->fill_count && fits; i++) {
        const struct activity_fill *fill = &activity->fills[i];
        fits = vec_push(&columns->track, (uint16_t)track) && vec_push(&columns->category, (uint16_t)fill->category) &&
               vec_push(&columns->state, (uint8_t)fill->state);
        for (uint32_t x = 0; x < width && fits; x++)
            fits = vec_push(&columns->heights, height_of(fill->columns[x]));
    }
    for (uint32_t x = 0; x < width && fits; x++)
        fits = vec_push(&columns->totals, height_of(activity->total[x]));
    return fits;
}

static int draw_thread(struct asking *asking, const struct ask *ask, size_t track, const struct activity_scale *scale,
                       const uint8_t *places, struct fill_columns *columns)
{
    struct arena arena = {0};
    struct activity activity;
    uint8_t *states;
    struct thread_index thread = thread_at(ask->tracks.items[track]);
    int status = read_states(asking, &arena, thread, places, &states);
    if (status == 0)
        status = activity_draw(scale, thread, states, &arena, &activity);
    if (status == 0 && !add_activity(columns, track, ask->width, &activity))
        status = -ENOMEM;
    if (status == 0 && columns->heights.count + columns->totals.count > TRACKS_MOST_COLUMNS)
        status = asking_refuse(asking, "width", "the tracks have more than %d columns together", TRACKS_MOST_COLUMNS);
    arena_free(&arena);
    return status;
}

static int draw_threads(struct asking *asking, const struct ask *ask, struct time_range range, struct fill_columns *columns)
{
    struct activity_scale scale = {.whole = asking->whole, .range = range, .width = ask->width};
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    uint8_t *places = asking_array(asking, nodes->count, 1);
    struct error error = {0};
    if (!places || cpu_reference_per_ms(asking->profile, &scale.reference, &error) != 0)
        return -ENOMEM;
    node_places_find(nodes, &ask->path, asking->state.inverted, places);
    int status = 0;
    for (size_t i = 0; i < ask->tracks.count && status == 0; i++)
        status = draw_thread(asking, ask, i, &scale, places, columns);
    return status;
}

/* ---- counters ---- */

static int put_counters(struct asking *asking, const struct ask *ask, struct time_range range)
{
    size_t count = ask->counters.count * ask->width;
    float *least = asking_array(asking, count, sizeof *least), *most = asking_array(asking, count, sizeof *most);
    uint8_t *accumulated = asking_array(asking, ask->counters.count, 1);
    int status = least && most && accumulated ? 0 : -ENOMEM;
    for (size_t i = 0; i < ask->counters.count && status == 0; i++) {
        const struct counter *counter = &asking->profile->counters.rows.items[ask->counters.items[i]];
        accumulated[i] = counter_is_accumulated(asking->profile, counter);
        status =
            counter_columns_fill(asking->profile, counter, range, ask->width, least + i * ask->width, most + i * ask->width);
    }
    if (status == 0) {
        reply_column(asking->reply, "accumulated", REPLY_U8, accumulated, ask->counters.count);
        reply_column(asking->reply, "least", REPLY_F32, least, count);
        reply_column(asking->reply, "most", REPLY_F32, most, count);
    }
    return status;
}

/* ---- tracks ---- */

static int check_tracks(struct asking *asking, const struct ask *ask)
{
    for (size_t i = 0; i < ask->tracks.count; i++)
        if (ask->tracks.items[i] >= asking->profile->threads.count)
            return asking_refuse(asking, "threads", "there is no thread %u", ask->tracks.items[i]);
    for (size_t i = 0; i < ask->counters.count; i++)
        if (ask->counters.items[i] >= asking->profile->counters.rows.count)
            return asking_refuse(asking, "counters", "there is no counter %u", ask->counters.items[i]);
    if ((ask->tracks.count + 2 * ask->counters.count) * ask->width > TRACKS_MOST_COLUMNS)
        return asking_refuse(asking, "width", "the tracks have more than %d columns together", TRACKS_MOST_COLUMNS);
    return 0;
}

static int put_tracks(struct asking *asking, const struct ask *ask, struct fill_columns *columns)
{
    struct reply *reply = asking->reply;
    struct time_range range = asking_range(asking, false);
    if (range_is_empty(range))
        return asking_refuse(asking, NULL, "the range is empty, there is nothing to be drawn");
    int status = draw_threads(asking, ask, range, columns);
    if (status != 0)
        return status;
    asking_put_range(asking, range);
    reply_put_count(reply, "width", ask->width);
    reply_begin_columns(reply);
    reply_column(reply, "track", REPLY_U16, columns->track.items, columns->track.count);
    reply_column(reply, "category", REPLY_U16, columns->category.items, columns->category.count);
    reply_column(reply, "state", REPLY_U8, columns->state.items, columns->state.count);
    reply_column(reply, "heights", REPLY_U8, columns->heights.items, columns->heights.count);
    reply_column(reply, "totals", REPLY_U8, columns->totals.items, columns->totals.count);
    status = put_counters(asking, ask, range);
    reply_end_columns(reply);
    return status;
}

int ask_tracks(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status == 0)
        status = check_tracks(asking, ask);
    if (status != 0)
        return status;
    struct fill_columns columns = {0};
    status = put_tracks(asking, ask, &columns);
    fill_columns_free(&columns);
    return status;
}

/* ---- sample_at ---- */

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

int ask_sample_at(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    if (ask->thread >= asking->profile->threads.count)
        return asking_refuse(asking, "thread", "there is no thread %u", ask->thread);
    const struct sample_table *samples = &asking->profile->threads.items[ask->thread].samples;
    size_t count = sample_count(samples);
    double *times = asking_array(asking, count, sizeof *times);
    uint32_t *stacks = asking_array(asking, count, sizeof *stacks);
    struct error error = {0};
    if (!times || !stacks)
        return -ENOMEM;
    if (count > 0)
        sample_table_read_times(samples, times);
    size_t sample = nearest_sample(samples, times, ask->at + asking->start);
    reply_put_id(asking->reply, "sample", sample == SIZE_MAX ? INDEX_NONE : (uint32_t)sample);
    if (sample == SIZE_MAX)
        return 0;
    if (sample_stacks_read(asking->whole, &asking->kept->answer.view, thread_at(ask->thread), asking->state.query.exclude_idle,
                           stacks, &error) != 0)
        return asking_failed(asking, &error);
    reply_put_number(asking->reply, "time", times[sample] - asking->start);
    status = put_cpu(asking, samples, times, sample);
    if (status == 0)
        status = put_path(asking, stacks[sample]);
    if (status != 0)
        return status;
    return frames_put(asking, column_get_index(&samples->stack, sample), SAMPLE_MOST_FRAMES);
}
