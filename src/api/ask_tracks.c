/* tracks: the graphs of the timeline, in device pixels. */
#include "api/ask.h"

#include "api/counter_columns.h"
#include "api/first_view.h"
#include "api/machine.h"
#include "api/track_fills.h"
#include "api/track_lanes.h"
#include "api/track_reader.h"

#include <errno.h>
#include <math.h>

enum { TRACKS_MOST_COLUMNS = 4 << 20 /* of all tracks and fills together */ };

struct drawing {
    struct asking *asking;
    const struct ask *ask;
    struct track_reader reader;
    struct track_fills threads, processes;
    uint8_t *strip, *waits; /* `width` for each thread; NULL = nobody wants to know */
    uint32_t *wait_names;
    VEC(uint16_t) process; /* those whose sums are drawn: places in the first view */
    double cpus;           /* what a process can use at most */
};

static void drawing_free(struct drawing *of)
{
    track_fills_free(&of->threads);
    track_fills_free(&of->processes);
    vec_free(&of->process);
}

/* ---- threads ---- */

static int check_columns(const struct drawing *of)
{
    if (track_fills_columns(&of->threads) + track_fills_columns(&of->processes) <= TRACKS_MOST_COLUMNS)
        return 0;
    return asking_refuse(of->asking, "width", "the tracks have more than %d columns together", TRACKS_MOST_COLUMNS);
}

static int draw_lanes(const struct drawing *of, size_t track, const struct track_samples *samples, const uint8_t *states)
{
    size_t at = track * of->reader.scale.width;
    if (of->strip)
        sample_strip_fill(&of->reader.scale, samples, states, of->ask->path.funcs.count > 0, of->strip + at);
    if (!of->waits)
        return 0;
    int status = wait_lane_fill(&of->reader.scale, samples, of->waits + at, of->wait_names + at);
    for (uint32_t x = 0; x < of->reader.scale.width && status == 0; x++)
        reply_use_string(of->asking->reply, string_at(of->wait_names[at + x]));
    return status;
}

static int draw_thread(struct drawing *of, size_t track)
{
    struct arena arena = {0};
    struct activity activity;
    struct read_track read;
    int status = track_reader_read(&of->reader, thread_at(of->ask->tracks.items[track]), &arena, &read);
    if (status == 0)
        status = activity_begin(&of->reader.scale, &arena, &activity);
    if (status == 0)
        status = activity_add(&of->reader.scale, &read.samples, read.states, &arena, &activity);
    if (status == 0)
        status = activity_finish(&of->reader.scale, &arena, &activity);
    if (status == 0)
        status = draw_lanes(of, track, &read.samples, read.states);
    if (status == 0 && !track_fills_add(&of->threads, track, of->reader.scale.width, &activity, 1))
        status = -ENOMEM;
    arena_free(&arena);
    return status == 0 ? check_columns(of) : status;
}

static int draw_threads(struct drawing *of)
{
    struct asking *asking = of->asking;
    size_t columns = of->ask->tracks.count * of->reader.scale.width;
    if (of->ask->strip && !(of->strip = asking_array(asking, columns, 1)))
        return -ENOMEM;
    if (of->ask->waits) {
        of->waits = asking_array(asking, columns, 1);
        of->wait_names = asking_array(asking, columns, sizeof *of->wait_names);
        if (!of->waits || !of->wait_names)
            return -ENOMEM;
    }
    int status = 0;
    for (size_t i = 0; i < of->ask->tracks.count && status == 0; i++)
        status = draw_thread(of, i);
    return status;
}

/* ---- processes ---- */

static bool is_asked_for(const struct ask *ask, const struct first_view *first, const struct process_track *process)
{
    for (size_t i = process->first; i < process->end; i++)
        for (size_t k = 0; k < ask->tracks.count; k++)
            if (ask->tracks.items[k] == first->threads.items[i].thread.i)
                return true;
    return false;
}

/* All threads of a process in one graph. */
static int draw_process(struct drawing *of, const struct process_track *process, struct activity *activity)
{
    struct asking *asking = of->asking;
    int status = activity_begin(&of->reader.scale, asking->arena, activity);
    for (size_t i = process->first; i < process->end && status == 0; i++) {
        struct arena arena = {0};
        struct read_track read;
        status = track_reader_read(&of->reader, asking->first->threads.items[i].thread, &arena, &read);
        if (status == 0)
            status = activity_add(&of->reader.scale, &read.samples, read.states, asking->arena, activity);
        arena_free(&arena);
    }
    return status == 0 ? activity_finish(&of->reader.scale, asking->arena, activity) : status;
}

/* The most that was in use at once. */
static double most_used(const struct activity *activities, size_t count, uint32_t width)
{
    double most = 1;
    for (uint32_t x = 0; x < width; x++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += (double)activities[i].total[x];
        most = fmax(most, ceil(sum - 0.01));
    }
    return most;
}

static int draw_processes(struct drawing *of)
{
    const struct first_view *first = of->asking->first;
    struct activity *activities = asking_array(of->asking, first->processes.count, sizeof *activities);
    int status = activities ? 0 : -ENOMEM;
    for (size_t i = 0; i < first->processes.count && status == 0; i++) {
        const struct process_track *process = &first->processes.items[i];
        if (!is_asked_for(of->ask, first, process))
            continue;
        status = draw_process(of, process, &activities[of->process.count]);
        if (status == 0 && !vec_push(&of->process, (uint16_t)i))
            status = -ENOMEM;
    }
    size_t count = of->process.count;
    uint32_t cpus = machine_cpus(of->asking->profile);
    of->cpus = status != 0 ? 1 : cpus > 0 ? cpus : most_used(activities, count, of->reader.scale.width);
    for (size_t i = 0; i < count && status == 0; i++) {
        bool fits = track_fills_add(&of->processes, i, of->reader.scale.width, &activities[i], (float)of->cpus);
        status = fits ? check_columns(of) : -ENOMEM;
    }
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

static void put_thread_columns(struct drawing *of)
{
    const char *const names[6] = {"track",   "category", "state",
                                  "heights", "totals",   of->reader.scale.by_library ? "library" : NULL};
    struct reply *reply = of->asking->reply;
    size_t columns = of->ask->tracks.count * of->reader.scale.width;
    track_fills_put(reply, names, &of->threads);
    if (of->strip)
        reply_column(reply, "strip", REPLY_U8, of->strip, columns);
    if (of->waits) {
        reply_column(reply, "waits", REPLY_U8, of->waits, columns);
        reply_column(reply, "wait_name", REPLY_ID, of->wait_names, columns);
    }
}

static void put_process_columns(struct drawing *of)
{
    const char *const names[6] = {"process_track",  "process_category",
                                  "process_state",  "process_heights",
                                  "process_totals", of->reader.scale.by_library ? "process_library" : NULL};
    reply_column(of->asking->reply, "process", REPLY_U16, of->process.items, of->process.count);
    track_fills_put(of->asking->reply, names, &of->processes);
}

static int put_tracks(struct drawing *of)
{
    struct reply *reply = of->asking->reply;
    int status = draw_threads(of);
    if (status == 0 && of->ask->sum_processes)
        status = draw_processes(of);
    if (status != 0)
        return status;
    asking_put_range(of->asking, of->reader.scale.range);
    reply_put_count(reply, "width", of->reader.scale.width);
    if (of->ask->sum_processes) {
        reply_put_number(reply, "cpus", of->cpus);
        reply_put_boolean(reply, "cpus_known", machine_cpus(of->asking->profile) > 0);
    }
    reply_begin_columns(reply);
    put_thread_columns(of);
    if (of->ask->sum_processes)
        put_process_columns(of);
    status = put_counters(of->asking, of->ask, of->reader.scale.range);
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
    struct drawing of = {
        .asking = asking,
        .ask = ask,
    };
    status = track_reader_begin(asking, ask, &of.reader);
    if (status == 0)
        status = put_tracks(&of);
    drawing_free(&of);
    return status;
}
