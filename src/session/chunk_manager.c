#include "session/chunk_manager.h"

#include "session/begun_chunks.h"
#include "session/chunk_file.h"
#include "session/lock.h"
#include "session/own_memory.h"
#include "session/place.h"
#include "session/room.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    READY_CHUNKS = 4,
    SEGMENT_LEAST = 16, /* the file grows by a quarter, but at least by so many chunks … */
    SEGMENT_MOST = 256, /* … and at most by so many */

    /* Most processes end soon, and there may be many under one limit: then chunks have little disk space at first. */
    SHORT_BYTES = 16 << 10,
    SHORT_CHUNKS = 8,         /* the first ones of a file … */
    SHORT_BELOW = 1024 << 10, /* … and all of them where the limit is so low */

    LIMIT_LEAST = 4 * SHORT_BYTES,
    UNUSED_MOST = 128 << 10, /* is left to a file that is complete: to give it back can take milliseconds */
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Chunks that were added to the file, and mapped, at once. They never move. */
struct segment {
    struct segment *next;
    uint64_t offset;
    size_t count;
    struct chunk *chunks;
    struct place places[];
};

struct chunk_manager {
    struct chunk_file file;
    struct session_file_header *header;
    _Atomic uint64_t limit; /* of the disk space of chunks. Relaxed, both: what changes is seen a little later */
    _Atomic uint64_t held;  /* that they have; written with the lock */
    _Atomic uint64_t wished, changes;
    uint64_t limit_most; /* as the options say */

    /* Any thread takes, without the lock; whoever prepares puts. */
    _Atomic(struct place *) ready[READY_CHUNKS];
    struct begun_chunks begun; /* any thread puts and takes */
    _Atomic uint64_t last_sequence;
    _Atomic uint64_t last_of_kind[CHUNK_MARKERS + 1]; /* sequence numbers */
    _Atomic uint32_t full;                            /* relaxed: a flag that is seen a little later does no harm */

    /* Of the chunks that are done, by kind: the sequence number of the oldest, 0 = none. The sampler asks in every loop, and
     * the lock would cost it two system calls. Relaxed: it may as well have asked a little earlier. */
    _Atomic uint64_t oldest_done[CHUNK_MARKERS + 1];

    /* The chunk of samples that may go: named by the sampler, then let go when it prepares. */
    uint64_t named_victim; /* only that thread */
    _Atomic uint64_t free_victim;

    struct lock lock; /* for all below */
    _Atomic(struct segment *) segments;
    size_t count; /* chunks in the file */
    struct place_list free;
    struct place_list bare;             /* without disk space */
    struct place_list samples, markers; /* done, the longest done first */
    struct room *room;                  /* NULL = not open */
    uint64_t taken;                     /* from it */
};

/* Before the lock is let go, wherever the lists have changed. */
static void note_oldest(struct chunk_manager *manager)
{
    const struct place *samples = manager->samples.oldest, *markers = manager->markers.oldest;
    atomic_store_explicit(&manager->oldest_done[CHUNK_SAMPLES], samples ? samples->sequence : 0, memory_order_relaxed);
    atomic_store_explicit(&manager->oldest_done[CHUNK_MARKERS], markers ? markers->sequence : 0, memory_order_relaxed);
}

/* --- growing ------------------------------------------------------------------------------------------------------- */

static void say_full(struct chunk_manager *manager)
{
    atomic_store_explicit(&manager->full, 1, memory_order_relaxed);
    atomic_store_explicit(&manager->header->state, SESSION_DISK_FULL, memory_order_relaxed);
}

static bool is_full(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->full, memory_order_relaxed);
}

static size_t segment_bytes(size_t count)
{
    return sizeof(struct segment) + count * sizeof(struct place);
}

static uint64_t limit_of(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->limit, memory_order_relaxed);
}

static uint64_t held_by(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->held, memory_order_relaxed);
}

static size_t growth(const struct chunk_manager *manager)
{
    size_t count = manager->count / 4;
    return count < SEGMENT_LEAST ? SEGMENT_LEAST : count > SEGMENT_MOST ? SEGMENT_MOST : count;
}

/* Adds bare chunks to the file. 0 or a negative errno. */
static int grow(struct chunk_manager *manager)
{
    size_t count = growth(manager);
    if (manager->count + count > UINT32_MAX)
        return -EFBIG;
    uint64_t offset = SESSION_HEADER_BYTES + (uint64_t)manager->count * CHUNK_BYTES;
    int failed = chunk_file_extend(&manager->file, offset + (uint64_t)count * CHUNK_BYTES);
    if (failed)
        return failed;
    struct segment *segment = own_memory_map(segment_bytes(count));
    struct chunk *chunks = chunk_file_map(&manager->file, offset, count * CHUNK_BYTES);
    if (!segment || !chunks) {
        own_memory_unmap(segment, segment_bytes(count));
        if (chunks)
            chunk_file_unmap(chunks, count * CHUNK_BYTES);
        return -ENOMEM;
    }
    segment->offset = offset;
    segment->count = count;
    segment->chunks = chunks;
    for (size_t i = 0; i < count; i++) {
        segment->places[i].chunk = chunks + i;
        segment->places[i].offset = offset + i * CHUNK_BYTES;
        place_list_add(&manager->bare, &segment->places[i]);
    }
    segment->next = atomic_load_explicit(&manager->segments, memory_order_relaxed);
    /* Release: a child forked at this very moment finds the list whole. */
    atomic_store_explicit(&manager->segments, segment, memory_order_release);
    manager->count += count;
    /* Release: a reader that sees the new count sees a file that is that long, with zeros in the headers. */
    atomic_store_explicit(&manager->header->chunk_count, (uint32_t)manager->count, memory_order_release);
    return 0;
}

static void note_change(struct chunk_manager *manager)
{
    atomic_fetch_add_explicit(&manager->changes, 1, memory_order_relaxed);
}

static void note_wish(struct chunk_manager *manager, uint64_t bytes)
{
    atomic_fetch_add_explicit(&manager->wished, bytes, memory_order_relaxed);
}

static void note_disk(struct chunk_manager *manager, struct place *place, uint32_t bytes)
{
    atomic_fetch_add_explicit(&manager->held, bytes - (uint64_t)place->disk_bytes, memory_order_relaxed);
    note_change(manager);
    place->disk_bytes = bytes;
    /* Only where there is disk space the chunk may be touched. */
    if (bytes > 0)
        atomic_store_explicit(&place->chunk->header.missing, CHUNK_BYTES - bytes, memory_order_relaxed);
}

/* Reserves disk space for the chunk up to `bytes`. 0 or a negative errno. */
static int give_disk(struct chunk_manager *manager, struct place *place, uint32_t bytes)
{
    int failed = chunk_file_reserve(&manager->file, place->offset + place->disk_bytes, bytes - place->disk_bytes);
    if (!failed)
        note_disk(manager, place, bytes);
    else if (chunk_file_is_full(failed))
        say_full(manager);
    return failed;
}

/* More than the limit, of what the session has left. Large files take more at a time: it is said to the recorder each time.
 * With the lock. */
static bool take_room(struct chunk_manager *manager, uint64_t missing)
{
    const uint64_t most = 1 << 20;
    uint64_t limit = limit_of(manager), wanted = held_by(manager) / 8 / CHUNK_BYTES * CHUNK_BYTES;
    if (!manager->room || limit > manager->limit_most || missing > manager->limit_most - limit)
        return false;
    wanted = wanted > most ? most : wanted < CHUNK_BYTES ? CHUNK_BYTES : wanted;
    uint64_t allowed = manager->limit_most - limit;
    wanted = wanted < missing ? missing : wanted > allowed ? allowed : wanted;
    uint64_t taken = room_take(manager->room, missing, wanted);
    if (taken == 0)
        return false;
    manager->taken += taken;
    atomic_store_explicit(&manager->header->room_taken, manager->taken, memory_order_relaxed);
    atomic_store_explicit(&manager->limit, limit + taken, memory_order_relaxed);
    return true;
}

/* Whether so much more may be held. With the lock. */
static bool fits(struct chunk_manager *manager, uint64_t bytes)
{
    uint64_t held = held_by(manager) + bytes, limit = limit_of(manager);
    return held <= limit || take_room(manager, held - limit);
}

static uint32_t bytes_at_first(struct chunk_manager *manager)
{
    bool few = atomic_load_explicit(&manager->last_sequence, memory_order_relaxed) < SHORT_CHUNKS;
    return few || limit_of(manager) < SHORT_BELOW ? SHORT_BYTES : CHUNK_BYTES;
}

/* --- recycling ----------------------------------------------------------------------------------------------------- */

/* The chunk that is done for the longest time. One of samples that the sampler did not let go yet is spared where there are
 * others. */
static struct place *take_victim(struct chunk_manager *manager)
{
    struct place *samples = manager->samples.oldest, *markers = manager->markers.oldest;
    /* Acquire: what the sampler stated anew is in the file before the chunk goes. */
    bool free = samples && samples->sequence <= atomic_load_explicit(&manager->free_victim, memory_order_acquire);
    bool take_samples = samples && (!markers || (free && samples->done_ns <= markers->done_ns));
    return place_list_take_oldest(take_samples ? &manager->samples : &manager->markers);
}

/* From here on readers find nothing in it. See format.h. */
static void empty_chunk(struct chunk_manager *manager, struct place *place)
{
    struct chunk_header *header = &place->chunk->header;
    atomic_store_explicit(&header->sequence, 0, memory_order_relaxed);
    /* Release: whatever is stored from here on is seen only with the 0. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&header->kind, CHUNK_FREE, memory_order_relaxed);
    atomic_store_explicit(&header->used, 0, memory_order_relaxed);
    atomic_store_explicit(&header->done_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&place->kind, CHUNK_FREE, memory_order_relaxed);
    atomic_fetch_add_explicit(&manager->header->statistics[STATISTIC_CHUNKS_RECYCLED], 1, memory_order_relaxed);
}

/* One that has no disk space yet. NULL: none to be had. */
static struct place *make_new_chunk(struct chunk_manager *manager, uint32_t bytes)
{
    int failed = manager->bare.oldest ? 0 : grow(manager);
    if (chunk_file_is_full(failed))
        say_full(manager);
    if (failed || give_disk(manager, manager->bare.oldest, bytes) != 0)
        return NULL;
    return place_list_take_oldest(&manager->bare);
}

/* A chunk that nobody uses, with disk space; NULL: none to be had. With the lock. */
static struct place *make_chunk(struct chunk_manager *manager)
{
    if (is_full(manager))
        return NULL;
    if (!chunk_file_has_room(&manager->file)) {
        say_full(manager);
        return NULL;
    }
    struct place *place = place_list_take_oldest(&manager->free);
    if (place)
        return place;
    uint32_t bytes = bytes_at_first(manager);
    bool any_done = manager->samples.oldest || manager->markers.oldest;
    if (fits(manager, bytes) || !any_done)
        return make_new_chunk(manager, bytes);
    place = take_victim(manager);
    note_oldest(manager);
    note_change(manager);
    note_wish(manager, place->disk_bytes);
    empty_chunk(manager, place);
    return place;
}

/* --- taking and giving back ---------------------------------------------------------------------------------------- */

static struct chunk *begin_use(struct chunk_manager *manager, struct place *place, enum chunk_kind kind, uint64_t now_ns)
{
    place->sequence = atomic_fetch_add_explicit(&manager->last_sequence, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&place->start_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&place->kind, kind, memory_order_release);
    uint64_t previous = atomic_exchange_explicit(&manager->last_of_kind[kind], place->sequence, memory_order_relaxed);

    struct chunk_header *header = &place->chunk->header;
    /* Release: what this thread will write into the chunk is seen only with the 0 that another thread may have stored. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&header->kind, kind, memory_order_relaxed);
    atomic_store_explicit(&header->start_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&header->previous, previous, memory_order_relaxed);
    /* Release: a reader that sees the number sees the rest of the header. */
    atomic_store_explicit(&header->sequence, place->sequence, memory_order_release);
    return place->chunk;
}

struct chunk *chunk_manager_take_ready(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now_ns)
{
    if (is_full(manager))
        return NULL;
    for (size_t i = 0; i < READY_CHUNKS; i++) {
        /* A look first, so that empty slots cost no write. Acquire: the place is as whoever prepared it left it. */
        if (!atomic_load_explicit(&manager->ready[i], memory_order_relaxed))
            continue;
        struct place *place = atomic_exchange_explicit(&manager->ready[i], NULL, memory_order_acquire);
        if (place)
            return begin_use(manager, place, kind, now_ns);
    }
    return NULL;
}

struct chunk *chunk_manager_take(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now_ns)
{
    struct chunk *chunk = chunk_manager_take_ready(manager, kind, now_ns);
    if (chunk || is_full(manager))
        return chunk;
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    struct place *place = make_chunk(manager);
    if (place)
        chunk = begin_use(manager, place, kind, now_ns);
    lock_leave(&manager->lock, &hold);
    return chunk;
}

/* There are few segments: they grow with the file. */
static struct place *find_place(struct chunk_manager *manager, const struct chunk *chunk)
{
    struct segment *segment = atomic_load_explicit(&manager->segments, memory_order_relaxed);
    for (; segment; segment = segment->next)
        if (chunk >= segment->chunks && chunk < segment->chunks + segment->count)
            return &segment->places[chunk - segment->chunks];
    return NULL;
}

bool chunk_manager_extend(struct chunk_manager *manager, struct chunk *chunk)
{
    if (atomic_load_explicit(&chunk->header.missing, memory_order_relaxed) == 0 || is_full(manager))
        return false;
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    struct place *place = find_place(manager, chunk);
    bool done = false;
    if (place && place->disk_bytes < CHUNK_BYTES) {
        /* Near the limit it is better to recycle a short one. But an entry may need more. */
        bool empty = atomic_load_explicit(&chunk->header.used, memory_order_relaxed) == 0;
        uint64_t more = CHUNK_BYTES - place->disk_bytes;
        if (fits(manager, more) || empty)
            done = give_disk(manager, place, CHUNK_BYTES) == 0;
        else
            note_wish(manager, more);
    }
    lock_leave(&manager->lock, &hold);
    return done;
}

void chunk_manager_give_back(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    struct place *place = find_place(manager, chunk);
    if (place) {
        /* 0 would say that it is still being written. */
        place->done_ns = now_ns > 0 ? now_ns : 1;
        atomic_store_explicit(&chunk->header.done_ns, place->done_ns, memory_order_relaxed);
        uint32_t kind = atomic_load_explicit(&place->kind, memory_order_relaxed);
        if (kind == CHUNK_SAMPLES || kind == CHUNK_MARKERS)
            place_list_add_by_age(kind == CHUNK_SAMPLES ? &manager->samples : &manager->markers, place);
        note_oldest(manager);
        note_change(manager);
    }
    lock_leave(&manager->lock, &hold);
}

void chunk_manager_pass_on(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns)
{
    enum { WORTH_IT = sizeof chunk->bytes / 4 };
    size_t used = atomic_load_explicit(&chunk->header.used, memory_order_relaxed);
    if (sizeof chunk->bytes - used < WORTH_IT || !begun_chunks_put(&manager->begun, chunk))
        chunk_manager_give_back(manager, chunk, now_ns);
}

struct chunk *chunk_manager_take_begun(struct chunk_manager *manager)
{
    return begun_chunks_take(&manager->begun);
}

/* Lets the kernel make its pages writable now, so that whoever writes takes no page fault. Kernels before 5.14 cannot; there
 * the writer takes them. */
static bool touch_pages(const struct place *place)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)place->chunk & ~(page - 1);
    int saved = errno;
    bool possible = madvise((void *)start, (uintptr_t)place->chunk + place->disk_bytes - start, MADV_POPULATE_WRITE) == 0 ||
                    errno != EFAULT;
    errno = saved;
    return possible;
}

/* How many are to be ready: few as long as few are needed, and where the limit is low. */
static size_t ready_wanted(struct chunk_manager *manager)
{
    uint64_t taken = atomic_load_explicit(&manager->last_sequence, memory_order_relaxed) / SHORT_CHUNKS;
    uint64_t allowed = limit_of(manager) / (8 * CHUNK_BYTES);
    uint64_t wanted = taken < allowed ? taken : allowed;
    return wanted < 1 ? 1 : wanted < READY_CHUNKS ? (size_t)wanted : READY_CHUNKS;
}

void chunk_manager_prepare(struct chunk_manager *manager)
{
    /* Release: whoever recycles it has what was stated anew before. */
    atomic_store_explicit(&manager->free_victim, manager->named_victim, memory_order_release);
    size_t wanted = ready_wanted(manager);
    for (size_t i = 0; i < wanted; i++) {
        if (atomic_load_explicit(&manager->ready[i], memory_order_relaxed))
            continue;
        struct lock_hold hold;
        lock_enter(&manager->lock, &hold);
        struct place *place = make_chunk(manager);
        lock_leave(&manager->lock, &hold);
        if (!place)
            return;
        /* A page that the file system has no room for after all: writing to it would be the end of the program. */
        if (place->disk_bytes == CHUNK_BYTES && !touch_pages(place)) {
            say_full(manager);
            return;
        }
        /* Release: the taker sees the place as it is now. Nobody else fills an empty slot. */
        atomic_store_explicit(&manager->ready[i], place, memory_order_release);
    }
}

/* --- what is known about all of them ------------------------------------------------------------------------------- */

/* Of the chunks of samples that go when the limit is obeyed, the youngest; 0 = none. */
static uint64_t last_beyond_limit(struct chunk_manager *manager)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    /* One of them may become ready for use instead. */
    uint64_t held = held_by(manager) + CHUNK_BYTES, limit = limit_of(manager), sequence = 0;
    for (const struct place *place = manager->samples.oldest; place && (held > limit || sequence == 0); place = place->newer) {
        held -= place->disk_bytes;
        sequence = place->sequence;
    }
    lock_leave(&manager->lock, &hold);
    return sequence;
}

uint64_t chunk_manager_next_victim(struct chunk_manager *manager, enum chunk_kind kind)
{
    uint64_t sequence = atomic_load_explicit(&manager->oldest_done[kind], memory_order_relaxed);
    if (kind == CHUNK_SAMPLES && sequence > 0 && held_by(manager) > limit_of(manager))
        sequence = last_beyond_limit(manager);
    if (kind == CHUNK_SAMPLES && sequence > manager->named_victim)
        manager->named_victim = sequence;
    return sequence;
}

/* --- the limit ----------------------------------------------------------------------------------------------------- */

static uint64_t allowed_limit(const struct chunk_manager *manager, uint64_t bytes)
{
    return bytes < LIMIT_LEAST ? LIMIT_LEAST : bytes > manager->limit_most ? manager->limit_most : bytes;
}

void chunk_manager_set_limit(struct chunk_manager *manager, uint64_t bytes)
{
    chunk_manager_set_share(manager, bytes, UINT64_MAX);
}

void chunk_manager_set_share(struct chunk_manager *manager, uint64_t bytes, uint64_t taken)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    uint64_t since = manager->taken > taken ? manager->taken - taken : 0;
    bytes = bytes < UINT64_MAX - since ? bytes + since : UINT64_MAX;
    atomic_store_explicit(&manager->limit, allowed_limit(manager, bytes), memory_order_relaxed);
    lock_leave(&manager->lock, &hold);
}

void chunk_manager_share_room(struct chunk_manager *manager)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    if (!manager->room)
        manager->room = room_open_beside(manager->file.path);
    lock_leave(&manager->lock, &hold);
}

/* What goes next, out of its list and empty; NULL = nothing can. With the lock. */
static struct place *take_excess(struct chunk_manager *manager)
{
    struct place *place = place_list_take_oldest(&manager->free);
    for (size_t i = READY_CHUNKS - 1; !place && i > 0; i--)
        place = atomic_exchange_explicit(&manager->ready[i], NULL, memory_order_acquire);
    if (place)
        return place;
    /* Acquire: as in take_victim(), which would not wait for the sampler where there are samples only. */
    uint64_t free_victim = atomic_load_explicit(&manager->free_victim, memory_order_acquire);
    if (!manager->markers.oldest && !(manager->samples.oldest && manager->samples.oldest->sequence <= free_victim))
        return NULL;
    place = take_victim(manager);
    note_oldest(manager);
    empty_chunk(manager, place);
    return place;
}

/* Nobody else knows the chunk while its disk space is given back, which can take long. */
static bool throw_one_away(struct chunk_manager *manager)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    struct place *place = held_by(manager) > limit_of(manager) ? take_excess(manager) : NULL;
    lock_leave(&manager->lock, &hold);
    if (!place)
        return false;
    chunk_file_release(&manager->file, place->offset, place->disk_bytes);
    lock_enter(&manager->lock, &hold);
    note_disk(manager, place, 0);
    place_list_add(&manager->bare, place);
    lock_leave(&manager->lock, &hold);
    return true;
}

bool chunk_manager_obey(struct chunk_manager *manager)
{
    enum { AT_ONCE = 8 };
    if (held_by(manager) <= limit_of(manager))
        return true;
    int saved = errno;
    for (int i = 0; i < AT_ONCE && throw_one_away(manager); i++)
        continue;
    errno = saved;
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    bool more = manager->free.oldest || manager->samples.oldest || manager->markers.oldest;
    lock_leave(&manager->lock, &hold);
    return !more || held_by(manager) <= limit_of(manager);
}

uint64_t chunk_manager_changes(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->changes, memory_order_relaxed);
}

void chunk_manager_wish_told(struct chunk_manager *manager, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&manager->wished, bytes, memory_order_relaxed);
}

void chunk_manager_usage(struct chunk_manager *manager, struct chunk_manager_usage *usage)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    *usage = (struct chunk_manager_usage){.bytes_held = held_by(manager),
                                          .bytes_limit = limit_of(manager),
                                          .bytes_wished = atomic_load_explicit(&manager->wished, memory_order_relaxed),
                                          .bytes_taken = manager->taken,
                                          .oldest_start_ns = UINT64_MAX};
    for (const struct place *place = manager->samples.oldest; place; place = place->newer)
        usage->bytes_done += place->disk_bytes;
    for (const struct place *place = manager->markers.oldest; place; place = place->newer)
        usage->bytes_done += place->disk_bytes;
    const struct place *samples = manager->samples.oldest, *markers = manager->markers.oldest;
    if (samples)
        usage->oldest_done_ns = samples->done_ns;
    if (markers && (!samples || markers->done_ns < samples->done_ns))
        usage->oldest_done_ns = markers->done_ns;
    struct segment *segment = atomic_load_explicit(&manager->segments, memory_order_relaxed);
    for (; segment; segment = segment->next)
        for (size_t i = 0; i < segment->count; i++) {
            struct place *place = &segment->places[i];
            /* Acquire: start_ns is of this use. */
            uint32_t kind = atomic_load_explicit(&place->kind, memory_order_acquire);
            uint64_t start = atomic_load_explicit(&place->start_ns, memory_order_relaxed);
            if (kind != CHUNK_FREE)
                usage->bytes_in_use += place->disk_bytes;
            if ((kind == CHUNK_SAMPLES || kind == CHUNK_MARKERS) && start < usage->oldest_start_ns)
                usage->oldest_start_ns = start;
        }
    usage->bytes_in_use -= usage->bytes_done;
    lock_leave(&manager->lock, &hold);
}

const char *chunk_manager_path(const struct chunk_manager *manager)
{
    return manager->file.path;
}

unsigned chunk_manager_image(const struct chunk_manager *manager)
{
    return manager->file.image;
}

struct session_file_header *chunk_manager_header(const struct chunk_manager *manager)
{
    return manager->header;
}

/* --- beginning and end --------------------------------------------------------------------------------------------- */

static void unmap_all(struct chunk_manager *manager)
{
    struct segment *segment = atomic_load_explicit(&manager->segments, memory_order_acquire);
    while (segment) {
        struct segment *next = segment->next;
        chunk_file_unmap(segment->chunks, segment->count * CHUNK_BYTES);
        own_memory_unmap(segment, segment_bytes(segment->count));
        segment = next;
    }
    if (manager->header)
        chunk_file_unmap(manager->header, SESSION_HEADER_BYTES);
    room_close(manager->room);
    chunk_file_close(&manager->file);
    own_memory_unmap(manager, sizeof *manager);
}

static void header_fill(struct session_file_header *header, const struct chunk_manager_options *options)
{
    header->version = SESSION_VERSION;
    header->header_bytes = SESSION_HEADER_BYTES;
    header->chunk_bytes = CHUNK_BYTES;
    header->pid = options->pid;
    header->start_monotonic_ns = options->start_monotonic_ns;
    header->start_realtime_ns = options->start_realtime_ns;
    header->interval_ns = options->interval_ns;
    /* Release: a file that says it is a session is one. */
    atomic_thread_fence(memory_order_release);
    memcpy(header->magic, SESSION_MAGIC, sizeof header->magic);
}

/* The file with its header and one short chunk. 0 or a negative errno. */
static int make_first(struct chunk_manager *manager)
{
    int failed = chunk_file_extend(&manager->file, SESSION_HEADER_BYTES);
    if (!failed)
        failed = chunk_file_reserve(&manager->file, 0, SESSION_HEADER_BYTES + SHORT_BYTES);
    if (!failed && !(manager->header = chunk_file_map(&manager->file, 0, SESSION_HEADER_BYTES)))
        failed = -ENOMEM;
    if (!failed)
        failed = grow(manager);
    if (failed)
        return failed;
    struct place *first = place_list_take_oldest(&manager->bare);
    note_disk(manager, first, SHORT_BYTES);
    place_list_add(&manager->free, first);
    return 0;
}

struct chunk_manager *chunk_manager_create(const struct chunk_manager_options *options, struct error *error)
{
    struct chunk_manager *manager = own_memory_map(sizeof *manager);
    if (!manager) {
        error_out_of_memory(error);
        return NULL;
    }
    if (chunk_file_create(&manager->file, options->folder, options->pid, options->own_table, error) != 0) {
        own_memory_unmap(manager, sizeof *manager);
        return NULL;
    }
    const uint64_t most = (uint64_t)UINT32_MAX * CHUNK_BYTES;
    manager->limit_most = options->limit_bytes < LIMIT_LEAST ? LIMIT_LEAST
                          : options->limit_bytes > most      ? most
                                                             : options->limit_bytes;
    chunk_manager_set_limit(manager, manager->limit_most);
    int failed = make_first(manager);
    if (failed) {
        error_set(error, failed, "%.300s: no room for a recording: %s", manager->file.path, strerrordesc_np(-failed));
        unlink(manager->file.path);
        unmap_all(manager);
        return NULL;
    }
    header_fill(manager->header, options);
    return manager;
}

bool chunk_manager_has_much(struct chunk_manager *manager)
{
    return held_by(manager) > UNUSED_MOST;
}

void chunk_manager_free(struct chunk_manager *manager)
{
    if (!manager)
        return;
    struct place *place;
    for (size_t i = 0; i < READY_CHUNKS; i++)
        if ((place = atomic_exchange_explicit(&manager->ready[i], NULL, memory_order_acquire)))
            place_list_add(&manager->free, place);
    uint64_t unused = 0;
    for (place = manager->free.oldest; place; place = place->newer)
        unused += place->disk_bytes;
    while (unused > UNUSED_MOST && (place = place_list_take_oldest(&manager->free)))
        chunk_file_release(&manager->file, place->offset, place->disk_bytes);
    unmap_all(manager);
}

void chunk_manager_forget(struct chunk_manager *manager)
{
    if (manager)
        unmap_all(manager);
}
