#include "capture/marker_write.h"

#include "capture/api_parts.h"
#include "capture/backtraces.h"
#include "capture/categories.h"
#include "capture/clock.h"
#include "capture/live.h"
#include "capture/marker_stack.h"
#include "capture/marker_types.h"
#include "capture/registry.h"
#include "capture/state.h"
#include "session/entry.h"

#include <string.h>
#include <unistd.h>

/* What a marker says, before it is known into which chunk it goes. */
struct marker {
    struct marker_entry entry; /* without its values … */
    const struct sonde_marker_type *type;
    const void *values; /* … which are here; NULL = none */
};

/* --- into a chunk ------------------------------------------------------------------------------------------------------ */

enum {
    SHORT_MAX = (1 << 14) - 1, /* what has a size of two bytes in front: nearly all markers */
    HEAD_MAX = 64,             /* no marker is smaller than a few bytes; below this a chunk counts as full */
};

/* At most `room` bytes; 0 where that is not enough. */
static inline size_t marker_write(const struct marker *marker, uint8_t *out, size_t room)
{
    size_t head = entry_write_marker(out, room, &marker->entry);
    if (head == 0 || !marker->values)
        return head;
    bool fits = true;
    size_t values = marker_values_write(marker->type, marker->values, out + head, room - head, &fits);
    return fits ? head + values : 0;
}

/* How long it will be is only known when it is written, so it is given all the room there is. */
static inline bool write_up_to(struct chunk *chunk, const struct marker *marker, size_t max)
{
    uint8_t *out = chunk_reserve(chunk, max);
    size_t length = out ? marker_write(marker, out, max) : 0;
    if (length > 0)
        chunk_commit(chunk, max, length);
    return length > 0;
}

static inline bool write_into(struct chunk *chunk, const struct marker *marker)
{
    size_t left = sizeof chunk->bytes - atomic_load_explicit(&chunk->header.used, memory_order_relaxed);
    if (left < HEAD_MAX)
        return false;
    if (left <= SHORT_MAX + 2)
        return write_up_to(chunk, marker, left - 2);
    return write_up_to(chunk, marker, SHORT_MAX) || write_up_to(chunk, marker, left - 3);
}

static __attribute__((noinline)) bool write_into_next(const struct live_session *session, struct marker_place *place,
                                                      const struct marker *marker)
{
    uint64_t now = clock_now();
    struct chunk *next = chunk_manager_take_ready(session->chunks, CHUNK_MARKERS, now);
    if (!next)
        next = chunk_manager_take(session->chunks, CHUNK_MARKERS, now);
    if (!next)
        return false;
    if (place->chunk && place->generation == session->generation)
        chunk_manager_give_back(session->chunks, place->chunk, now);
    *place = (struct marker_place){next, session->generation};
    return write_into(next, marker);
}

static void count_lost(const struct live_session *session, const struct marker *marker)
{
    live_statistic_add(session, STATISTIC_ENTRIES_LOST, 1);
    live_statistic_add(session, STATISTIC_BYTES_LOST, marker ? HEAD_MAX + marker->entry.name.length : HEAD_MAX);
}

/* A marker that is larger than what is left needs a new chunk; one that does not even fit an empty chunk would waste the rest
 * of this one for nothing, over and over. */
static __attribute__((noinline)) bool fits_a_chunk(const struct marker *marker)
{
    size_t bytes = HEAD_MAX + marker->entry.name.length + marker->entry.stack.bytes.length;
    for (size_t i = 0; marker->values && i < marker->type->field_count && bytes <= ENTRY_MAX; i++) {
        const struct sonde_field *field = &marker->type->fields[i];
        const char *const *text = (const void *)((const char *)marker->values + field->offset);
        bytes += field->input == SONDE_TEXT && *text ? strnlen(*text, ENTRY_MAX) + 3 : 10;
    }
    return bytes <= ENTRY_MAX;
}

static inline void put(const struct live_session *session, struct marker_place *place, const struct marker *marker)
{
    if (__builtin_expect(place->chunk && place->generation == session->generation && write_into(place->chunk, marker), 1))
        return;
    if (!fits_a_chunk(marker) || !write_into_next(session, place, marker))
        count_lost(session, marker);
}

/* --- what the call says ------------------------------------------------------------------------------------------------ */

static const struct sonde_marker_options instant_now = {.phase = SONDE_INSTANT};

_Static_assert((int)SONDE_INSTANT == MARKER_INSTANT && (int)SONDE_INTERVAL == MARKER_INTERVAL &&
                   (int)SONDE_START == MARKER_START && (int)SONDE_END == MARKER_END,
               "the phases of api.h are those of sessions");

static inline void marker_fill(struct marker *marker, uint32_t type_number, struct sonde_marker_type *type, struct slice name,
                               sonde_category category, const struct sonde_marker_options *options, const void *values)
{
    uint64_t start = options->start, end = options->end;
    if (options->phase == SONDE_INTERVAL && end == 0)
        end = clock_now();
    if (options->phase == SONDE_END)
        end = end ? end : clock_now();
    else if (start == 0)
        start = end ? end : clock_now();
    marker->entry.type = type_number;
    marker->entry.phase = (uint8_t)options->phase & 3;
    marker->entry.category = category_main(category);
    marker->entry.subcategory = category_sub(category);
    marker->entry.start = start;
    marker->entry.end = end;
    marker->entry.name = name;
    marker->entry.has_stack = false;
    marker->entry.stack = (struct frames_slice){{NULL, 0}, 0};
    marker->entry.values = (struct slice){NULL, 0};
    marker->type = type;
    marker->values = type && type->field_count > 0 ? values : NULL;
}

static void set_stack(struct marker *marker, const struct marker_stack *stack)
{
    marker->entry.has_stack = true;
    marker->entry.stack_thread = stack->thread;
    marker->entry.stack_time = stack->time;
    marker->entry.stack = stack->frames;
}

static __attribute__((noinline)) void add_stack(struct registration *mine, struct marker *marker,
                                                const struct sonde_marker_options *options)
{
    if (state_has_feature(FEATURE_NOMARKERSTACKS))
        return;
    struct marker_stack stack;
    if (options->backtrace)
        set_stack(marker, backtrace_stack(options->backtrace, &stack));
    else if (mine && marker_stack_take(mine, options->capture == SONDE_FULL_STACK, &stack))
        set_stack(marker, &stack);
}

static inline bool wants_stack(const struct sonde_marker_options *options)
{
    return options->backtrace || options->capture != SONDE_NO_STACK;
}

/* On whose track a marker for another thread stands, and whether it is wanted there. */
static __attribute__((noinline)) bool other_track(int tid, uint32_t *number)
{
    *number = 0;
    if (tid == -1)
        return true;
    if (core_locked_by_me())
        return false;
    const struct core_locked *locked = core_lock();
    const struct registration *thread = registry_find_tid(locked, tid);
    bool wanted = thread && (atomic_load_explicit(&thread->features, memory_order_relaxed) & THREAD_MARKERS);
    if (thread)
        *number = thread->info.number;
    core_unlock(locked);
    return wanted;
}

/* --- threads that nobody registered ------------------------------------------------------------------------------------ */

/* Guarded by the core lock. */
static struct marker_place shared;

static void put_shared(const struct core_locked *locked, const struct marker *marker)
{
    (void)locked;
    const struct live_session *session = live_session();
    if (session)
        put(session, &shared, marker);
}

static __attribute__((noinline)) void add_unregistered(struct sonde_marker_type *type, struct slice name,
                                                       sonde_category category, const struct sonde_marker_options *options,
                                                       const void *values)
{
    uint32_t track = 0;
    if (core_locked_by_me() || (options->thread != 0 && !other_track(options->thread, &track)))
        return;
    const struct core_locked *locked = core_lock();
    uint32_t number = marker_type_number(locked, type);
    if (number != MARKER_TYPE_UNUSABLE && state_collecting_markers()) {
        struct marker marker;
        marker_fill(&marker, number, type, name, category, options, values);
        marker.entry.thread = track;
        if (options->backtrace)
            add_stack(NULL, &marker, options);
        put_shared(locked, &marker);
    }
    core_unlock(locked);
}

void marker_add_own(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                    const struct sonde_marker_options *options, const void *values)
{
    if (!state_collecting_markers())
        return;
    const struct core_locked *held = core_locked_by_me() ? core_lock_held() : NULL;
    const struct core_locked *locked = held ? held : core_lock();
    uint32_t number = marker_type_number(locked, type);
    if (number != MARKER_TYPE_UNUSABLE) {
        struct marker marker;
        marker_fill(&marker, number, type, (struct slice){name, name_length}, category, options ? options : &instant_now,
                    values);
        marker.entry.thread = 0;
        put_shared(locked, &marker);
    }
    if (!held)
        core_unlock(locked);
}

/* --- registered threads ------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) void count_dropped(struct registration *mine)
{
    /* In a signal handler, inside of this thread's enter and leave; or not inside at all. */
    bool entered = live_enter(mine);
    const struct live_session *session = live_session();
    if (session)
        count_lost(session, NULL);
    if (entered)
        live_leave(mine);
}

void marker_add(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                const struct sonde_marker_options *options, const void *values)
{
    if (!state_collecting_markers())
        return;
    if (!options)
        options = &instant_now;
    struct slice text = {name, name_length};
    struct registration *mine = registration_mine();
    if (__builtin_expect(!mine, 0)) {
        add_unregistered(type, text, category, options, values);
        return;
    }
    uint32_t track = mine->info.number;
    if (__builtin_expect(options->thread == 0, 1)) {
        if (!(atomic_load_explicit(&mine->features, memory_order_relaxed) & THREAD_MARKERS))
            return;
    } else if (!other_track(options->thread, &track)) {
        return;
    }

    /* Before entering: it may take the core lock, and whoever holds that may wait for those who have entered. */
    uint32_t number = marker_type_number(NULL, type);
    if (__builtin_expect(number == MARKER_TYPE_UNUSABLE || !live_enter(mine), 0)) {
        count_dropped(mine);
        return;
    }
    const struct live_session *session = live_session();
    if (session) {
        struct marker marker;
        marker_fill(&marker, number, type, text, category, options, values);
        marker.entry.thread = track;
        if (__builtin_expect(wants_stack(options), 0))
            add_stack(mine, &marker, options);
        put(session, &mine->markers.place, &marker);
    }
    live_leave(mine);
}

/* --- flows ------------------------------------------------------------------------------------------------------------- */

/* A process is known by its id and the moment it started, for ids are used again. 0 = not known yet. */
static _Atomic uint64_t flow_key;

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t flow_of(const void *object)
{
    /* Relaxed: whoever computes it comes to the same. */
    uint64_t key = atomic_load_explicit(&flow_key, memory_order_relaxed);
    if (key == 0) {
        key = mix(clock_origin ^ (uint64_t)getpid() << 40) | 1;
        atomic_store_explicit(&flow_key, key, memory_order_relaxed);
    }
    return mix((uintptr_t)object + key);
}

void flow_forked(void)
{
    atomic_store_explicit(&flow_key, 0, memory_order_relaxed);
}
