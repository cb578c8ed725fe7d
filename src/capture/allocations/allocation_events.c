#include "capture/allocations/allocation_events.h"

#include "allocations/library.h"
#include "capture/allocations/allocation_visit.h"
#include "capture/core/pages.h"
#include "capture/core/sandbox.h"
#include "capture/sampler/handler.h"

#include <errno.h>
#include <string.h>

ENTRY_WRITER(caller)
ENTRY_WRITER(call_path)
ENTRY_WRITER(allocated)
ENTRY_WRITER(freed)

enum {
    PATHS_BITS = 11,
    PATHS_MOST = (1 << PATHS_BITS) / 4 * 3,
    WORDS_MOST = 48 << 10, /* of all paths together */
    EVENT_MAX = 48,
    TIMED_EVERY = 16, /* events: the cost of one stands for that of all of them */
};

struct known_path {
    uint64_t hash;
    uint32_t run; /* that it is of; of another one: the place is free */
    uint32_t number, first, count;
};

/* Of a thread. */
struct allocation_events {
    const struct chunk *chunk; /* that has its last CALLER: in this use of the chunk, of this session */
    uint64_t generation, sequence;
    uint32_t thread;
    uint32_t run;           /* counts the CALLERs */
    uint64_t time, address; /* of the last event; the address in units of ALLOCATED_ALIGNMENT */
    uint32_t path_count, word_count;
    uint32_t untimed;
    struct known_path paths[1 << PATHS_BITS];
    uint64_t words[WORDS_MOST]; /* of the paths */
};

static struct allocation_events *events_of(struct registration *mine)
{
    if (!mine->allocations.events && !sandbox_is_closed())
        mine->allocations.events = pages_map(sizeof *mine->allocations.events);
    return mine->allocations.events;
}

static void count_block(const struct visit *visit, uint64_t size)
{
    if (!visit->is_own) {
        live_statistic_add(visit->session, STATISTIC_ALLOCATED_BYTES, size);
        live_statistic_add(visit->session, STATISTIC_ALLOCATIONS, 1);
        return;
    }
    struct registration *mine = visit->mine;
    uint64_t bytes = atomic_load_explicit(&mine->allocations.bytes, memory_order_relaxed) + size;
    uint64_t count = atomic_load_explicit(&mine->allocations.count, memory_order_relaxed) + 1;
    atomic_store_explicit(&mine->allocations.bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&mine->allocations.count, count, memory_order_relaxed);
}

void events_count(const struct core_locked *locked)
{
    const struct active_state *active = active_state(locked);
    for (struct registration *thread = registry_first(locked); active && thread; thread = thread->next)
        registry_say_allocations(thread, chunk_manager_header(active->chunks));
}

/* --- a run: what stands behind one CALLER ------------------------------------------------------------------------------------
 */

static bool is_running(const struct allocation_events *events, const struct marker_place *place,
                       const struct live_session *session, uint32_t thread)
{
    return events->chunk && events->thread == thread && events->chunk == place->chunk &&
           events->generation == session->generation &&
           events->sequence == atomic_load_explicit(&place->chunk->header.sequence, memory_order_relaxed);
}

static bool put_caller(const struct marker_place *place, const struct live_session *session, uint32_t thread, uint64_t time)
{
    struct caller_entry entry = {.thread = thread, .time = time};
    return visit_put_here(place, session, ENTRY_NUMBERS_MAX, write_caller, &entry);
}

/* A chunk with a CALLER as the last thing in it: this one, or (`is_full`) another one. */
static bool begin_in_chunk(struct marker_place *place, const struct live_session *session, bool is_full, uint32_t thread,
                           uint64_t time)
{
    if (!is_full && marker_place_has_chunk(place, session) && put_caller(place, session, thread, time))
        return true;
    if (sandbox_is_closed())
        return false;
    uint64_t now = clock_now();
    if (!is_full && marker_place_take_begun(place, session, now) && put_caller(place, session, thread, time))
        return true;
    return marker_place_take_new(place, session, now) && put_caller(place, session, thread, time);
}

static bool begin_run(const struct visit *visit, struct allocation_events *events, bool is_full, uint64_t time)
{
    struct marker_place *place = &visit->mine->markers.place;
    registry_say_allocations(visit->mine, visit->session->header);
    events->chunk = NULL;
    if (!begin_in_chunk(place, visit->session, is_full, visit_thread(visit), time))
        return false;
    events->chunk = place->chunk;
    events->thread = visit_thread(visit);
    events->generation = visit->session->generation;
    events->sequence = atomic_load_explicit(&place->chunk->header.sequence, memory_order_relaxed);
    events->time = time;
    events->address = 0;
    events->run++;
    events->path_count = events->word_count = 0;
    return true;
}

/* --- paths -------------------------------------------------------------------------------------------------------------------
 */

/* What tells paths apart: the return addresses; of one with labels or frames of a runtime, the bytes of its entry. */
struct path_words {
    const uint8_t *first;
    size_t step;
    uint32_t count;
};

static uint64_t word_at(const struct path_words *words, uint32_t i)
{
    uint64_t word;
    memcpy(&word, words->first + i * words->step, sizeof word);
    return word;
}

static uint64_t hash_of(const struct path_words *words)
{
    uint64_t hash = words->count;
    for (uint32_t i = 0; i < words->count; i++)
        hash = (hash ^ word_at(words, i)) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return hash ^ hash >> 32;
}

static bool is_path(const struct allocation_events *events, const struct known_path *path, uint64_t hash,
                    const struct path_words *words)
{
    if (path->hash != hash || path->count != words->count)
        return false;
    for (uint32_t i = 0; i < path->count; i++)
        if (events->words[path->first + i] != word_at(words, i))
            return false;
    return true;
}

/* Where the path is, or would be. There are always free places. */
static struct known_path *find_path(struct allocation_events *events, uint64_t hash, const struct path_words *words)
{
    for (uint64_t at = hash;; at++) {
        struct known_path *path = &events->paths[at & ((1 << PATHS_BITS) - 1)];
        if (path->run != events->run || is_path(events, path, hash, words))
            return path;
    }
}

static void note_path(struct allocation_events *events, struct known_path *path, uint64_t hash, const struct path_words *words)
{
    *path = (struct known_path){hash, events->run, events->path_count++, events->word_count, words->count};
    for (uint32_t i = 0; i < words->count; i++)
        events->words[events->word_count++] = word_at(words, i);
}

/* `stack` is filled in where it has to be merged for that, and then has frames. */
static struct path_words words_of(struct marker_scratch *scratch, const struct registration *mine, struct marker_stack *stack)
{
    const struct raw_stack *raw = &scratch->raw;
    _Static_assert(offsetof(struct unwind_frame, pc) == 0, "a frame begins with its address");
    if (raw->label_count == 0 && raw->runtime_count == 0)
        return (struct path_words){(const uint8_t *)raw->native, sizeof *raw->native, raw->native_count};
    marker_stack_merge(scratch, mine, stack);
    size_t length = stack->frames.bytes.length, whole = (length + 7) / 8 * 8;
    if (whole > sizeof scratch->bytes)
        whole = length / 8 * 8;
    else
        memset(scratch->bytes + length, 0, whole - length);
    return (struct path_words){scratch->bytes, 8, (uint32_t)(whole / 8)};
}

static bool put_path(const struct marker_place *place, const struct live_session *session, const struct marker_stack *stack)
{
    struct call_path_entry entry = {.stack.truncated = true};
    if (stack)
        entry.stack = (struct stack_part){.truncated = stack->truncated, .frames = stack->frames};
    return visit_put_here(place, session, ENTRY_NUMBERS_MAX + entry.stack.frames.bytes.length, write_call_path, &entry);
}

/* --- events of a registered thread
 * --------------------------------------------------------------------------------------------- */

struct event {
    uint64_t time, address, size;
    bool is_free;
};

static bool put_event(const struct marker_place *place, const struct live_session *session, const struct event *event,
                      uint32_t path, uint64_t before, uint64_t address_before)
{
    uint64_t time = event->time - before;
    int64_t address = (int64_t)(event->address / ALLOCATED_ALIGNMENT - address_before);
    if (event->is_free) {
        struct freed_entry entry = {.time_delta = time, .address_delta = address};
        return visit_put_here(place, session, EVENT_MAX, write_freed, &entry);
    }
    struct allocated_entry entry = {.path = path, .time_delta = time, .address_delta = address, .size = event->size};
    return visit_put_here(place, session, EVENT_MAX, write_allocated, &entry);
}

enum put_result { PUT_DONE, PUT_CHUNK_IS_FULL, PUT_TABLE_IS_FULL };

/* The number of the stack in `scratch`, which is written where it has none. */
static enum put_result number_path(const struct visit *visit, struct allocation_events *events, struct marker_scratch *scratch,
                                   uint32_t *number)
{
    struct marker_stack stack = {0};
    struct path_words words = words_of(scratch, visit->mine, &stack);
    uint64_t hash = hash_of(&words);
    struct known_path *path = find_path(events, hash, &words);
    *number = path->run == events->run ? path->number : events->path_count;
    if (path->run == events->run)
        return PUT_DONE;
    if (events->path_count == PATHS_MOST || words.count > WORDS_MOST - events->word_count)
        return PUT_TABLE_IS_FULL;
    if (stack.frames.count == 0)
        marker_stack_merge(scratch, visit->mine, &stack);
    if (!put_path(&visit->mine->markers.place, visit->session, &stack))
        return PUT_CHUNK_IS_FULL;
    note_path(events, path, hash, &words);
    return PUT_DONE;
}

static enum put_result put_in_run(const struct visit *visit, struct allocation_events *events, const struct event *event)
{
    uint32_t path = 0;
    enum put_result result = event->is_free ? PUT_DONE : number_path(visit, events, visit->mine->markers.scratch, &path);
    if (result != PUT_DONE)
        return result;
    if (!put_event(&visit->mine->markers.place, visit->session, event, path, events->time, events->address))
        return PUT_CHUNK_IS_FULL;
    events->time = event->time;
    events->address = event->address / ALLOCATED_ALIGNMENT;
    return PUT_DONE;
}

static bool write_own(const struct visit *visit, struct allocation_events *events, const struct event *event)
{
    enum { TRIES = 3 }; /* the table is full, then the chunk */
    bool runs =
        is_running(events, &visit->mine->markers.place, visit->session, visit_thread(visit)) && event->time >= events->time;
    enum put_result result = PUT_TABLE_IS_FULL;
    for (int i = 0; i < TRIES && result != PUT_DONE; i++) {
        if (!runs && !begin_run(visit, events, result == PUT_CHUNK_IS_FULL, event->time))
            return false;
        runs = false;
        result = put_in_run(visit, events, event);
    }
    return result == PUT_DONE;
}

/* --- of all others
 * ------------------------------------------------------------------------------------------------------------ */

static bool write_alone_into(const struct visit *visit, struct marker_place *place, const struct marker_stack *stack,
                             const struct event *event)
{
    return put_caller(place, visit->session, visit_thread(visit), event->time) &&
           (event->is_free || put_path(place, visit->session, stack)) &&
           put_event(place, visit->session, event, 0, event->time, 0);
}

/* With a CALLER of its own, in a chunk that is nobody's. */
static bool write_alone(const struct visit *visit, const struct marker_stack *stack, const struct event *event)
{
    struct marker_place place = {0};
    if (sandbox_is_closed())
        return false;
    uint64_t now = clock_now();
    bool done = (marker_place_take_begun(&place, visit->session, now) && write_alone_into(visit, &place, stack, event)) ||
                (marker_place_take_new(&place, visit->session, now) && write_alone_into(visit, &place, stack, event));
    if (place.chunk)
        chunk_manager_pass_on(visit->session->chunks, place.chunk, now);
    return done;
}

/* --- what libsonde-allocations calls
 * ------------------------------------------------------------------------------------------- */

static bool write_allocated_block(const struct visit *visit, struct allocation_events *events, struct event *event)
{
    if (events) {
        struct marker_scratch *scratch = marker_stack_scratch(visit->mine);
        if (!scratch)
            return false;
        stack_of_myself(visit->mine, state_has_feature(FEATURE_STACKWALK), &scratch->raw);
        event->time = scratch->raw.time;
        return write_own(visit, events, event);
    }
    struct visit_stack taken;
    bool has_stack = visit_stack_take(visit, &taken);
    event->time = has_stack ? taken.stack.time : clock_now();
    bool done = write_alone(visit, has_stack ? &taken.stack : NULL, event);
    if (has_stack)
        visit_stack_done(&taken);
    return done;
}

static void write_event(const struct visit *visit, struct event *event)
{
    struct allocation_events *events = visit->is_own ? events_of(visit->mine) : NULL;
    bool is_timed = events && ++events->untimed % TIMED_EVERY == 0;
    uint64_t since = is_timed ? clock_now() : 0;
    if (!event->is_free)
        count_block(visit, event->size);
    bool done = !event->is_free ? write_allocated_block(visit, events, event)
                : events        ? write_own(visit, events, event)
                                : write_alone(visit, NULL, event);
    if (!done) {
        visit_count_lost(visit, EVENT_MAX);
        live_statistic_add(visit->session, STATISTIC_ALLOCATIONS_LOST, !event->is_free);
    }
    if (is_timed)
        live_statistic_add(visit->session, STATISTIC_ALLOCATIONS_NS, allocation_cost(clock_now() - since) * TIMED_EVERY);
}

void events_allocated(uint64_t address, uint64_t size)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    if (visit_is_recorded(&visit) && visit_is_wanted(&visit))
        write_event(&visit, &(struct event){.address = address, .size = size});
    visit_end(&visit);
    errno = saved_errno;
}

void events_freed(uint64_t address, uint64_t time)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    if (visit_is_recorded(&visit))
        write_event(&visit, &(struct event){.time = time, .address = address, .is_free = true});
    visit_end(&visit);
    errno = saved_errno;
}
