#include "capture/markers/marker_write.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/markers/categories.h"
#include "capture/markers/marker_place.h"
#include "capture/markers/marker_stack.h"
#include "capture/markers/marker_types.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "session/marker_head.h"

#include <string.h>
#include <unistd.h>

/* What a marker says, before it is known into which chunk it goes. */
struct marker {
    struct marker_head head;
    const struct marker_stack *stack; /* NULL = none */
    const struct sonde_marker_type *type;
    const void *values; /* of the type's fields; NULL = none */
};

/* --- into a chunk ------------------------------------------------------------------------------------------------------ */

enum {
    SHORT_MAX = (1 << 14) - 1, /* what has a size of two bytes in front: nearly all markers */
};

static inline size_t chunk_left(const struct chunk *chunk)
{
    size_t used = atomic_load_explicit(&chunk->header.used, memory_order_relaxed), room = chunk_room(chunk);
    return used < room ? room - used : 0;
}

/* The usual one: without a stack, with a size of two bytes, where there is certainly room for its head. False: not so. */
__attribute__((always_inline)) static inline bool write_usual(struct chunk *chunk, const struct marker *marker)
{
    size_t left = chunk_left(chunk);
    size_t head_room = ENTRY_NUMBERS_MAX + marker->head.name.length;
    if (__builtin_expect(marker->stack || marker->head.name.length > SHORT_MAX / 2 || left < head_room + 2, 0))
        return false;
    size_t max = left - 2 < SHORT_MAX ? left - 2 : SHORT_MAX;
    uint8_t *out = chunk_reserve(chunk, max);
    size_t length = (size_t)(marker_head_write(out, &marker->head) - out);
    if (marker->values) {
        bool fits = true;
        length += marker_values_write(marker->type, marker->values, out + length, max - length, &fits);
        if (!fits)
            return false;
    }
    chunk_commit(chunk, max, length);
    return true;
}

/* Any other; 0 where `room` is not enough. */
static size_t marker_write(const struct marker *marker, uint8_t *out, size_t room)
{
    const struct marker_head *head = &marker->head;
    struct marker_entry entry = {
        .thread = head->thread,
        .type = head->type,
        .phase = head->phase,
        .category = head->category,
        .subcategory = head->subcategory,
        .start = head->start,
        .end = head->end,
        .name = head->name,
    };
    if (marker->stack) {
        entry.has_stack = true;
        entry.stack_thread = marker->stack->thread;
        entry.stack_time = marker->stack->time;
        entry.stack = marker->stack->frames;
    }
    size_t length = entry_write_marker(out, room, &entry);
    if (length == 0 || !marker->values)
        return length;
    bool fits = true;
    size_t values = marker_values_write(marker->type, marker->values, out + length, room - length, &fits);
    return fits ? length + values : 0;
}

/* How long it will be is only known when it is written, so it is given all the room there is. */
static bool write_unusual(struct chunk *chunk, const struct marker *marker)
{
    size_t left = chunk_left(chunk);
    if (left <= 3)
        return false;
    size_t max = left - 3;
    uint8_t *out = chunk_reserve(chunk, max);
    size_t length = out ? marker_write(marker, out, max) : 0;
    if (length > 0)
        chunk_commit(chunk, max, length);
    return length > 0;
}

/* The same, after the chunk got all its disk space if need be. */
static bool write_extending(const struct live_session *session, const struct marker_place *place, const struct marker *marker)
{
    return write_unusual(place->chunk, marker) || (marker_place_extend(place, session) && write_unusual(place->chunk, marker));
}

static __attribute__((noinline)) bool write_into_next(const struct live_session *session, struct marker_place *place,
                                                      const struct marker *marker)
{
    uint64_t now = clock_now();
    return (marker_place_take_begun(place, session, now) && write_extending(session, place, marker)) ||
           (marker_place_take_new(place, session, now) && write_extending(session, place, marker));
}

static void count_lost(const struct live_session *session, size_t bytes)
{
    live_statistic_add(session, STATISTIC_ENTRIES_LOST, 1);
    live_statistic_add(session, STATISTIC_BYTES_LOST, bytes);
}

/* At least, and not much more than, what it takes. */
static size_t marker_bytes(const struct marker *marker)
{
    size_t bytes = ENTRY_NUMBERS_MAX + marker->head.name.length;
    if (marker->stack)
        bytes += marker->stack->frames.bytes.length;
    for (size_t i = 0; marker->values && i < marker->type->field_count; i++) {
        const struct sonde_field *field = &marker->type->fields[i];
        const char *text = NULL;
        if (field->input == SONDE_TEXT)
            memcpy(&text, (const char *)marker->values + field->offset, sizeof text);
        bytes += LEB128_MAX_BYTES + (text ? strlen(text) : 0);
    }
    return bytes;
}

static __attribute__((noinline)) void put_unusual(const struct live_session *session, struct marker_place *place,
                                                  const struct marker *marker)
{
    if (marker_place_has_chunk(place, session) && write_extending(session, place, marker))
        return;
    /* One that does not fit a whole chunk would waste the rest of this one for nothing, over and over. */
    size_t bytes = marker_bytes(marker);
    if (bytes > ENTRY_MAX || sandbox_is_closed() || !write_into_next(session, place, marker))
        count_lost(session, bytes);
}

/* Inline in its one caller that is in a hurry: then the marker is never in memory before it is in the chunk. */
__attribute__((always_inline)) static inline void put(const struct live_session *session, struct marker_place *place,
                                                      const struct marker *marker)
{
    if (__builtin_expect(!marker_place_has_chunk(place, session) || !write_usual(place->chunk, marker), 0)) {
        struct marker in_memory = *marker;
        put_unusual(session, place, &in_memory);
    }
}

/* --- what the call says ------------------------------------------------------------------------------------------------ */

static const struct sonde_marker_options instant_now = {.phase = SONDE_INSTANT};

_Static_assert((int)SONDE_INSTANT == MARKER_INSTANT && (int)SONDE_INTERVAL == MARKER_INTERVAL &&
                   (int)SONDE_START == MARKER_START && (int)SONDE_END == MARKER_END,
               "the phases of api.h are those of sessions");

__attribute__((always_inline)) static inline void marker_fill(struct marker *marker, uint32_t type_number,
                                                              struct sonde_marker_type *type, struct slice name,
                                                              sonde_category category,
                                                              const struct sonde_marker_options *options, const void *values)
{
    uint64_t start = options->start, end = options->end;
    if (options->phase == SONDE_INTERVAL && end == 0)
        end = clock_now();
    if (options->phase == SONDE_END)
        end = end ? end : clock_now();
    else if (start == 0)
        start = end ? end : clock_now();
    marker->head.type = type_number;
    marker->head.phase = (uint8_t)options->phase & 3;
    marker->head.has_stack = false;
    marker->head.category = category_main(category);
    marker->head.subcategory = category_sub(category);
    marker->head.start = start;
    marker->head.end = end;
    marker->head.name = name;
    marker->stack = NULL;
    marker->type = type;
    marker->values = type && type->field_count > 0 ? values : NULL;
}

/* In *stack; NULL = none. */
static __attribute__((noinline)) const struct marker_stack *find_stack(struct registration *mine,
                                                                       const struct sonde_marker_options *options,
                                                                       struct marker_stack *stack)
{
    if (state_has_feature(FEATURE_NOMARKERSTACKS))
        return NULL;
    if (options->backtrace)
        return backtrace_stack(options->backtrace);
    return mine && marker_stack_take(mine, options->capture == SONDE_FULL_STACK, stack) ? stack : NULL;
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
    if (!core_may_lock())
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

static void add_shared(const struct core_locked *locked, uint32_t track, struct sonde_marker_type *type, struct slice name,
                       sonde_category category, const struct sonde_marker_options *options, const void *values)
{
    uint32_t number = marker_type_number(locked, type);
    const struct live_session *session = live_session();
    if (number == MARKER_TYPE_UNUSABLE || !session || !state_collecting_markers())
        return;
    struct marker marker;
    marker_fill(&marker, number, type, name, category, options, values);
    marker.head.thread = track;
    struct marker_stack stack;
    if (options->backtrace)
        marker.stack = find_stack(NULL, options, &stack);
    put_unusual(session, &shared, &marker);
}

static __attribute__((noinline)) void add_unregistered(struct sonde_marker_type *type, struct slice name,
                                                       sonde_category category, const struct sonde_marker_options *options,
                                                       const void *values)
{
    uint32_t track = 0;
    if (!core_may_lock() || (options->thread != 0 && !other_track(options->thread, &track)))
        return;
    const struct core_locked *locked = core_lock();
    add_shared(locked, track, type, name, category, options, values);
    core_unlock(locked);
}

void marker_add_own(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                    const struct sonde_marker_options *options, const void *values)
{
    if (!state_collecting_markers())
        return;
    const struct core_locked *held = core_lock_held(), *locked = held ? held : core_lock();
    add_shared(locked, 0, type, (struct slice){name, name_length}, category, options ? options : &instant_now, values);
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
        count_lost(session, ENTRY_NUMBERS_MAX);
    if (entered)
        live_leave(mine);
}

void marker_add(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                const struct sonde_marker_options *options, const void *values)
{
    if (!state_collecting_markers())
        return;
    if (__builtin_expect(live_is_paused(), 0)) {
        live_stop_if_over();
        return;
    }
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
    uint32_t number = type ? marker_type_number(NULL, type) : 0;
    if (__builtin_expect(wants_stack(options), 0))
        marker_stack_expect();
    if (__builtin_expect(number == MARKER_TYPE_UNUSABLE || !live_enter(mine), 0)) {
        count_dropped(mine);
        return;
    }
    const struct live_session *session = live_session();
    if (session) {
        struct marker marker;
        marker_fill(&marker, number, type, text, category, options, values);
        marker.head.thread = track;
        struct marker_stack stack;
        if (__builtin_expect(wants_stack(options), 0))
            marker.stack = find_stack(mine, options, &stack);
        put(session, &mine->markers.place, &marker);
    }
    live_leave(mine);
    marker_place_housekeep();
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

uint64_t flow_of(uintptr_t object)
{
    /* Relaxed: whoever computes it comes to the same. */
    uint64_t key = atomic_load_explicit(&flow_key, memory_order_relaxed);
    if (key == 0) {
        key = mix(clock_origin ^ (uint64_t)getpid() << 40) | 1;
        atomic_store_explicit(&flow_key, key, memory_order_relaxed);
    }
    return mix(object + key);
}

void flow_forked(void)
{
    atomic_store_explicit(&flow_key, 0, memory_order_relaxed);
}
