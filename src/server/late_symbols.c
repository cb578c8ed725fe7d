#include "server/late_symbols.h"

#include "common/clock.h"
#include "common/json_writer.h"
#include "common/memory.h"
#include "symbols/apply.h"
#include "symbols/symbol_notes.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

enum {
    SHORTEST_PAUSE_MS = 500, /* between two changes */
    PAUSE_FACTOR = 4,        /* … and so many times what the last one took */
};

struct late_symbols {
    struct late_symbols_options options;
    atomic_bool stop; /* relaxed: nothing else is read by it */
    pthread_t thread;
    uint64_t next_change; /* ns; the thread's own */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool ended;
};

/* ---- who looks is told ---- */

/* What is lost where the heap is empty is in the next reply. */
static struct json_writer *begin_event(struct late_symbols *late, struct byte_sink *sink, const char *event,
                                       struct error *error)
{
    struct json_writer *w = sink ? json_writer_open(sink, 0, error) : NULL;
    if (!w)
        return NULL;
    json_write_begin_object(w);
    json_write_key(w, "event");
    json_write_text(w, event);
    json_write_key(w, "file");
    json_write_integer(w, (int64_t)profile_number(late->options.served));
    return w;
}

static void end_event(struct late_symbols *late, struct byte_sink *sink, struct json_writer *w, struct error *error)
{
    if (w) {
        json_write_end_object(w);
        json_writer_close(w);
    }
    if (w && !error->code)
        profile_push(late->options.served, byte_sink_memory_bytes(sink));
    if (sink)
        byte_sink_close(sink, false, error);
}

static void tell_generation(struct late_symbols *late, uint32_t generation, bool done)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = begin_event(late, sink, "generation", &error);
    if (w) {
        json_write_key(w, "generation");
        json_write_integer(w, generation);
        json_write_key(w, "reason");
        json_write_text(w, "symbols");
        json_write_key(w, "done");
        json_write_boolean(w, done);
    }
    end_event(late, sink, w, &error);
}

static double share_done(const struct symbolicate_step *step)
{
    size_t done = 0, all = 0;
    for (size_t i = 0; i < step->report->modules.count; i++) {
        all += step->report->modules.items[i].samples;
        done += i < step->done ? step->report->modules.items[i].samples : 0;
    }
    return all > 0 ? (double)done / (double)all : 1;
}

static void tell_module(struct late_symbols *late, const struct symbolicate_step *step)
{
    const struct module_report *module = &step->report->modules.items[step->module];
    const struct profile *profile = late->options.profile;
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = begin_event(late, sink, "symbols", &error);
    if (w) {
        json_write_key(w, "module");
        json_write_string(w, profile_text(profile, profile->libs.rows.items[module->lib.i].name));
        json_write_key(w, "state");
        json_write_text(w, symbol_status_name(module->outcome.status));
        json_write_key(w, "done");
        json_write_integer(w, (int64_t)step->done);
        json_write_key(w, "total");
        json_write_integer(w, (int64_t)step->report->modules.count);
        json_write_key(w, "share");
        json_write_number(w, share_done(step));
    }
    end_event(late, sink, w, &error);
}

/* ---- in the api's thread ---- */

struct change {
    struct late_symbols *late;
    const struct symbolicate_step *step;
    struct error *error;
    int result;
};

static void change_profile(void *data)
{
    struct change *change = data;
    struct late_symbols *late = change->late;
    const struct symbolicate_step *step = change->step;
    struct symbol_report done = {.modules = {step->report->modules.items, step->done, step->done}};
    struct func_changes changes = {0};
    change->result = symbolication_update(step->symbolication, &changes, change->error);
    if (change->result == 0 && !symbol_notes_write(late->options.profile, &done))
        change->result = error_out_of_memory(change->error);
    /* Where that failed the profile may have changed nevertheless. */
    uint32_t generation = api_update(late->options.api, &changes, !step->is_last && change->result == 0);
    tell_generation(late, generation, step->is_last);
}

/* ---- in its own ---- */

static int take_step(void *context, const struct symbolicate_step *step, struct error *error)
{
    struct late_symbols *late = context;
    struct change change = {late, step, error, 0};
    if (atomic_load_explicit(&late->stop, memory_order_relaxed))
        return error_set(error, -ECANCELED, "the server ends");
    if (!step->is_last)
        tell_module(late, step);
    uint64_t begin = clock_read(CLOCK_MONOTONIC);
    if (!step->is_last && begin < late->next_change)
        return 0;
    if (!profile_run(late->options.served, change_profile, &change))
        return error_set(error, -ECANCELED, "the server ends");
    uint64_t end = clock_read(CLOCK_MONOTONIC), pause = PAUSE_FACTOR * (end - begin);
    late->next_change = end + (pause > SHORTEST_PAUSE_MS * UINT64_C(1000000) ? pause : SHORTEST_PAUSE_MS * UINT64_C(1000000));
    return change.result;
}

static void *run(void *data)
{
    struct late_symbols *late = data;
    struct symbolicate_options symbolicate = late->options.symbolicate;
    struct error error = {0};
    symbolicate.stop = &late->stop;
    symbolicate.step = take_step;
    symbolicate.step_context = late;
    symbolicate_profile(late->options.profile, &symbolicate, NULL, &error);
    pthread_mutex_lock(&late->lock);
    late->ended = true;
    pthread_cond_broadcast(&late->changed);
    pthread_mutex_unlock(&late->lock);
    return NULL;
}

/* ---- its life ---- */

static void free_all(struct late_symbols *late)
{
    pthread_cond_destroy(&late->changed);
    pthread_mutex_destroy(&late->lock);
    memory_release(late);
}

struct late_symbols *late_symbols_begin(const struct late_symbols_options *options, struct error *error)
{
    struct late_symbols *late = memory_zeroed(1, sizeof *late);
    if (!late) {
        error_out_of_memory(error);
        return NULL;
    }
    pthread_condattr_t attributes;
    late->options = *options;
    pthread_mutex_init(&late->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&late->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    api_expect_symbols(options->api);
    int code = pthread_create(&late->thread, NULL, run, late);
    if (code == 0)
        return late;
    free_all(late);
    error_set(error, -code, "cannot start a thread: %s", error_text(code));
    return NULL;
}

void late_symbols_wait(struct late_symbols *late)
{
    pthread_mutex_lock(&late->lock);
    while (!late->ended)
        pthread_cond_wait(&late->changed, &late->lock);
    pthread_mutex_unlock(&late->lock);
}

bool late_symbols_stop(struct late_symbols *late, unsigned milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    atomic_store_explicit(&late->stop, true, memory_order_relaxed);
    pthread_mutex_lock(&late->lock);
    while (!late->ended && pthread_cond_timedwait(&late->changed, &late->lock, &until) != ETIMEDOUT)
        ;
    bool ended = late->ended;
    pthread_mutex_unlock(&late->lock);
    return ended;
}

void late_symbols_free(struct late_symbols *late)
{
    if (!late)
        return;
    pthread_join(late->thread, NULL);
    free_all(late);
}
