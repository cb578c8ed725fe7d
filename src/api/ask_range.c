/* range: what the sidebar says where nothing is selected: what there is in the range. */
#include "api/ask.h"

#include "api/counter_values.h"
#include "markers/statistics.h"
#include "profile/thread_times.h"

#include <errno.h>

enum { RANGE_MOST_NAMES = 20 };

struct range_ask {
    struct asking *asking;
    struct time_range range;
    const struct thread_index *threads;
    size_t thread_count;
    const uint32_t *counters;
    size_t counter_count;
};

/* ---- threads ---- */

static int put_threads(const struct range_ask *of)
{
    struct asking *asking = of->asking;
    size_t count = of->thread_count;
    uint32_t *thread = asking_array(asking, count, sizeof *thread), *samples = asking_array(asking, count, sizeof *samples);
    double *cpu = asking_array(asking, count, sizeof *cpu), *share = asking_array(asking, count, sizeof *share);
    double *waiting = asking_array(asking, count, sizeof *waiting), *ready = asking_array(asking, count, sizeof *ready);
    if (!thread || !samples || !cpu || !share || !waiting || !ready)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct thread *at = &asking->profile->threads.items[of->threads[i].i];
        struct range_times times = thread_range_times(asking->profile, at, of->range.start, of->range.end);
        thread[i] = of->threads[i].i;
        samples[i] = (uint32_t)times.rows;
        cpu[i] = times.cpu_ms;
        share[i] = times.cpu_ms / (of->range.end - of->range.start);
        waiting[i] = times.waiting_ms;
        ready[i] = times.ready_ms;
    }
    reply_column(asking->reply, "thread", REPLY_U32, thread, count);
    reply_column(asking->reply, "samples", REPLY_U32, samples, count);
    reply_column(asking->reply, "cpu", REPLY_F64, cpu, count);
    reply_column(asking->reply, "cpu_share", REPLY_F64, share, count);
    reply_column(asking->reply, "waiting", REPLY_F64, waiting, count);
    reply_column(asking->reply, "ready", REPLY_F64, ready, count);
    return 0;
}

/* ---- counters ---- */

static int put_counters(const struct range_ask *of)
{
    struct asking *asking = of->asking;
    size_t count = of->counter_count;
    uint8_t *accumulated = asking_array(asking, count, 1);
    double *least = asking_array(asking, count, sizeof *least), *most = asking_array(asking, count, sizeof *most);
    double *mean = asking_array(asking, count, sizeof *mean), *change = asking_array(asking, count, sizeof *change);
    int status = accumulated && least && most && mean && change ? 0 : -ENOMEM;
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct counter *counter = &asking->profile->counters.rows.items[of->counters[i]];
        struct counter_values values;
        status = counter_values_read(asking->profile, counter, &values);
        accumulated[i] = counter_is_accumulated(asking->profile, counter);
        if (status == 0) {
            struct counter_summary summary = counter_summary_of(&values, accumulated[i], of->range);
            least[i] = summary.least;
            most[i] = summary.most;
            mean[i] = summary.mean;
            change[i] = summary.change;
        }
        counter_values_free(&values);
    }
    if (status != 0)
        return status;
    reply_column(asking->reply, "counter", REPLY_U32, of->counters, count);
    reply_column(asking->reply, "accumulated", REPLY_U8, accumulated, count);
    reply_column(asking->reply, "least", REPLY_F64, least, count);
    reply_column(asking->reply, "most", REPLY_F64, most, count);
    reply_column(asking->reply, "mean", REPLY_F64, mean, count);
    reply_column(asking->reply, "change", REPLY_F64, change, count);
    return 0;
}

/* ---- markers ---- */

static int add_markers(const struct range_ask *of, const struct marker_catalog *catalog, struct thread_index thread,
                       struct marker_statistics *statistics, size_t *count)
{
    struct marker_list list;
    struct error error = {0};
    int status = marker_list_collect(&list, catalog, thread, true, &error);
    for (size_t i = 0; i < list.items.count && status == 0; i++) {
        if (!marker_touches(&list.items.items[i], of->range.start, of->range.end))
            continue;
        ++*count;
        if (!marker_statistics_add(statistics, &list.items.items[i]))
            status = -ENOMEM;
    }
    marker_list_free(&list);
    return status;
}

static void put_names(struct reply *reply, const struct marker_catalog *catalog, const struct marker_statistics *statistics)
{
    json_write_key(reply->json, "markers");
    json_write_begin_array(reply->json);
    for (size_t i = 0; i < statistics->rows.count && i < RANGE_MOST_NAMES; i++) {
        const struct name_statistics *row = &statistics->rows.items[i];
        json_write_begin_object(reply->json);
        reply_put_slice(reply, "name", marker_text(&catalog->texts, row->name));
        reply_put_count(reply, "count", row->count);
        reply_put_number(reply, "total", row->total);
        json_write_end_object(reply->json);
    }
    json_write_end_array(reply->json);
}

static int put_markers(const struct range_ask *of)
{
    struct marker_catalog catalog;
    struct marker_statistics statistics = {0};
    struct error error = {0};
    size_t count = 0;
    int status = marker_catalog_init(&catalog, of->asking->profile, &error);
    for (size_t i = 0; i < of->thread_count && status == 0; i++)
        status = add_markers(of, &catalog, of->threads[i], &statistics, &count);
    if (status == 0 && !marker_statistics_finish(&statistics))
        status = -ENOMEM;
    if (status == 0) {
        reply_put_count(of->asking->reply, "marker_count", count);
        put_names(of->asking->reply, &catalog, &statistics);
    }
    marker_statistics_free(&statistics);
    marker_catalog_free(&catalog);
    return status;
}

/* ---- the whole ---- */

/* Those that are asked for, else those of the state, and all counters. */
static int choose(struct range_ask *of, const struct ask *ask)
{
    struct asking *asking = of->asking;
    const struct profile *profile = asking->profile;
    size_t threads = ask->tracks.count, counters = ask->has_counters ? ask->counters.count : profile->counters.rows.count;
    struct thread_index *thread = asking_array(asking, threads, sizeof *thread);
    uint32_t *counter = asking_array(asking, counters, sizeof *counter);
    if (!thread || !counter)
        return -ENOMEM;
    for (size_t i = 0; i < threads; i++) {
        thread[i] = thread_at(ask->tracks.items[i]);
        if (thread[i].i >= profile->threads.count)
            return asking_refuse(asking, "threads", "there is no thread %u", thread[i].i);
    }
    for (size_t i = 0; i < counters; i++) {
        counter[i] = ask->has_counters ? ask->counters.items[i] : (uint32_t)i;
        if (counter[i] >= profile->counters.rows.count)
            return asking_refuse(asking, "counters", "there is no counter %u", counter[i]);
    }
    of->threads = ask->has_tracks ? thread : asking->state.query.threads;
    of->thread_count = ask->has_tracks ? threads : asking->state.query.thread_count;
    of->counters = counter;
    of->counter_count = counters;
    return 0;
}

int ask_range(struct asking *asking, const struct ask *ask)
{
    struct range_ask of = {.asking = asking, .range = asking_range(asking, !ask->without_preview)};
    if (range_is_empty(of.range))
        return asking_refuse(asking, NULL, "the range is empty, there is nothing in it");
    int status = choose(&of, ask);
    if (status != 0)
        return status;
    asking_put_range(asking, of.range);
    status = put_markers(&of);
    if (status != 0)
        return status;
    reply_begin_columns(asking->reply);
    status = put_threads(&of);
    if (status == 0)
        status = put_counters(&of);
    reply_end_columns(asking->reply);
    return status;
}
