#include "server/profiles.h"

#include "common/json_writer.h"
#include "common/memory.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

int profiles_init(struct profiles *profiles, const struct profile_listing *listings, size_t count, struct error *error)
{
    *profiles = (struct profiles){.lock = PTHREAD_MUTEX_INITIALIZER};
    profiles->items = memory_zeroed(count, sizeof *profiles->items);
    if (!profiles->items && count > 0)
        return error_out_of_memory(error);
    profiles->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct profile_listing *listing = &listings[i];
        profiles->items[i] = (struct served_profile){
            .listing = listing,
            .all = profiles,
            .opening = PTHREAD_MUTEX_INITIALIZER,
            .packing = PTHREAD_MUTEX_INITIALIZER,
            .opened = listing->opened ? *listing->opened : (struct opened_profile){NULL, NULL, NULL},
            .packed = -1,
            .state = listing->opened ? PROFILE_OPEN : PROFILE_LISTED,
        };
    }
    return 0;
}

static unsigned now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

bool profiles_end(struct profiles *profiles, unsigned milliseconds)
{
    unsigned began = now_ms();
    bool ended = true;
    pthread_mutex_lock(&profiles->lock);
    profiles->ends = true;
    pthread_mutex_unlock(&profiles->lock);
    for (size_t i = 0; i < profiles->count; i++) {
        unsigned passed = now_ms() - began;
        if (profiles->items[i].works)
            ended &= work_end(&profiles->items[i].work, passed < milliseconds ? milliseconds - passed : 0);
    }
    return ended;
}

void profiles_free(struct profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++) {
        struct served_profile *profile = &profiles->items[i];
        if (profile->works)
            work_free(&profile->work);
        if (profile->packed >= 0)
            close(profile->packed);
        pthread_mutex_destroy(&profile->opening);
        pthread_mutex_destroy(&profile->packing);
    }
    pthread_mutex_destroy(&profiles->lock);
    memory_release(profiles->items);
}

struct served_profile *profiles_at(struct profiles *profiles, size_t number)
{
    return number < profiles->count ? &profiles->items[number] : NULL;
}

struct work_queue *profile_queue(struct served_profile *profile)
{
    struct profiles *all = profile->all;
    struct error error = {0};
    pthread_mutex_lock(&all->lock);
    if (!profile->works && !all->ends)
        profile->works = work_start(&profile->work, 1, &error) == 0;
    bool works = profile->works && !all->ends;
    pthread_mutex_unlock(&all->lock);
    return works ? &profile->work : NULL;
}

/* ---- opening ---- */

static enum profile_state state_of(struct served_profile *profile, struct error *error)
{
    pthread_mutex_lock(&profile->all->lock);
    enum profile_state state = profile->state;
    if (state == PROFILE_FAILED)
        *error = profile->error;
    pthread_mutex_unlock(&profile->all->lock);
    return state;
}

const struct opened_profile *profile_open(struct served_profile *profile, struct error *error)
{
    pthread_mutex_lock(&profile->opening);
    enum profile_state state = state_of(profile, error);
    if (state == PROFILE_LISTED) {
        state = profile->listing->open(profile->listing->data, &profile->opened, error) == 0 ? PROFILE_OPEN : PROFILE_FAILED;
        pthread_mutex_lock(&profile->all->lock);
        profile->state = state;
        profile->error = *error;
        pthread_mutex_unlock(&profile->all->lock);
    }
    pthread_mutex_unlock(&profile->opening);
    return state == PROFILE_OPEN ? &profile->opened : NULL;
}

static void note_asked(void *data)
{
    struct served_profile *profile = data;
    if (!profile->asked && profile->listing->asked)
        profile->listing->asked(profile->listing->data, profile);
    profile->asked = true;
}

const struct opened_profile *profile_open_to_ask(struct served_profile *profile, struct error *error)
{
    const struct opened_profile *opened = profile_open(profile, error);
    if (opened)
        note_asked(profile);
    return opened;
}

int profile_ask(struct served_profile *profile, struct slice request, enum api_format format, struct text_buffer *reply)
{
    struct error error = {0};
    const struct opened_profile *opened = profile_open_to_ask(profile, &error);
    return opened ? api_ask(opened->api, request, format, reply) : api_refuse(request, error.message, format, reply);
}

void profile_look(struct served_profile *profile)
{
    struct error error = {0};
    const struct opened_profile *opened = profile_open(profile, &error);
    if (opened && opened->sources)
        source_store_look(opened->sources);
}

/* ---- between two requests ---- */

struct errand {
    struct work_item work; /* first: the queue knows it by this */
    void (*run)(void *data);
    void *data;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool done, cancelled;
};

static void run_errand(struct work_item *item, bool cancelled)
{
    struct errand *errand = (struct errand *)item;
    if (!cancelled)
        errand->run(errand->data);
    pthread_mutex_lock(&errand->lock);
    errand->cancelled = cancelled;
    errand->done = true;
    pthread_cond_signal(&errand->changed);
    pthread_mutex_unlock(&errand->lock);
}

bool profile_run(struct served_profile *profile, void (*run)(void *data), void *data)
{
    struct errand errand = {
        .work.run = run_errand,
        .run = run,
        .data = data,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    struct work_queue *queue = profile_queue(profile);
    if (!queue || !work_add(queue, &errand.work))
        return false;
    pthread_mutex_lock(&errand.lock);
    while (!errand.done)
        pthread_cond_wait(&errand.changed, &errand.lock);
    pthread_mutex_unlock(&errand.lock);
    pthread_cond_destroy(&errand.changed);
    pthread_mutex_destroy(&errand.lock);
    return !errand.cancelled;
}

void profile_push(struct served_profile *profile, struct slice json)
{
    sockets_push(profile->all->sockets, json);
}

size_t profile_number(const struct served_profile *profile)
{
    return (size_t)(profile - profile->all->items);
}

int profile_packed(struct served_profile *profile, struct error *error)
{
    if (!profile_open(profile, error))
        return error->code ? error->code : -EIO;
    if (!profile_run(profile, note_asked, profile))
        return error_set(error, -ECANCELED, "the server ends");
    pthread_mutex_lock(&profile->packing);
    if (profile->packed < 0)
        profile->packed = profile->listing->pack(profile->listing->data, error);
    int fd = profile->packed;
    pthread_mutex_unlock(&profile->packing);
    return fd;
}

/* ---- the list ---- */

static void write_profile(struct json_writer *w, struct served_profile *profile, size_t number)
{
    static const char *const states[] = {"listed", "open", "failed"};
    const struct profile_listing *listing = profile->listing;
    struct error error = {0};
    enum profile_state state = state_of(profile, &error);
    json_write_begin_object(w);
    json_write_key(w, "id");
    json_write_integer(w, (int64_t)number);
    json_write_key(w, "name");
    json_write_text(w, listing->name);
    json_write_key(w, "path");
    json_write_text(w, listing->path);
    json_write_key(w, "bytes");
    json_write_integer(w, (int64_t)listing->bytes);
    json_write_key(w, "modified");
    json_write_integer(w, listing->modified_ms);
    json_write_key(w, "state");
    json_write_text(w, states[state]);
    json_write_key(w, "error");
    json_write_text(w, state == PROFILE_FAILED ? error.message : NULL);
    json_write_end_object(w);
}

bool profiles_list(struct profiles *profiles, struct text_buffer *json)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = sink ? json_writer_open(sink, 0, &error) : NULL;
    if (w) {
        json_write_begin_array(w);
        for (size_t i = 0; i < profiles->count; i++)
            write_profile(w, &profiles->items[i], i);
        json_write_end_array(w);
        json_writer_close(w);
    }
    if (!error.code) {
        text_add(json, byte_sink_memory_bytes(sink));
        text_add_char(json, '\n');
    }
    if (sink)
        byte_sink_close(sink, false, &error);
    return !error.code && !json->failed;
}
