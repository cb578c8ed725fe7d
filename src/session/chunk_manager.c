#include "session/chunk_manager_private.h"

#include "session/own_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* --- taking and giving back ---------------------------------------------------------------------------------------- */

struct chunk *chunk_manager_begin_use(struct chunk_manager *manager, struct place *place, enum chunk_kind kind, uint64_t now_ns)
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
            return chunk_manager_begin_use(manager, place, kind, now_ns);
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
    struct place *place = chunk_supply_make(manager);
    if (place)
        chunk = chunk_manager_begin_use(manager, place, kind, now_ns);
    lock_leave(&manager->lock, &hold);
    return chunk;
}

static struct place *find_place(struct chunk_manager *manager, const struct chunk *chunk)
{
    return chunk >= manager->chunks && chunk < manager->chunks + manager->most ? &manager->places[chunk - manager->chunks]
                                                                               : NULL;
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
        if (chunk_limit_fits(manager, more) || empty)
            done = chunk_supply_give_disk(manager, place, CHUNK_BYTES) == 0;
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
        note_change(manager);
    }
    lock_leave(&manager->lock, &hold);
}

void chunk_manager_pass_on(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns)
{
    enum { WORTH_IT = sizeof chunk->bytes / 4, MARKERS_BEGUN = 8 /* they are held, whatever the limit */ };
    size_t used = atomic_load_explicit(&chunk->header.used, memory_order_relaxed);
    if (sizeof chunk->bytes - used < WORTH_IT || !begun_chunks_put(&manager->begun, chunk, MARKERS_BEGUN))
        chunk_manager_give_back(manager, chunk, now_ns);
}

struct chunk *chunk_manager_take_begun(struct chunk_manager *manager)
{
    return begun_chunks_take(&manager->begun, NULL);
}

/* --- what is supplied ---------------------------------------------------------------------------------------------- */

static struct chunk *begin_supplied(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns)
{
    struct chunk_header *header = &chunk->header;
    uint64_t sequence = atomic_fetch_add_explicit(&manager->last_sequence, 1, memory_order_relaxed) + 1;
    /* As in chunk_manager_begin_use(). */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&header->kind, CHUNK_SAMPLES, memory_order_relaxed);
    atomic_store_explicit(&header->start_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&header->previous, 0, memory_order_relaxed);
    atomic_store_explicit(&header->sequence, sequence, memory_order_release);
    return chunk;
}

struct chunk *chunk_manager_take_supplied(struct chunk_manager *manager, const struct chunk *wanted, uint64_t now_ns)
{
    struct session_file_header *header = manager->header;
    struct chunk *begun = begun_chunks_take(&manager->begun_samples, wanted);
    if (begun)
        return begun;
    for (size_t i = 0; i < SUPPLIED; i++) {
        /* A look first, so that empty slots cost no write. Acquire: the chunk is as whoever supplied it left it. */
        if (!atomic_load_explicit(&header->supplied[i], memory_order_relaxed))
            continue;
        uint32_t number = atomic_exchange_explicit(&header->supplied[i], 0, memory_order_acquire);
        if (number > 0 && number <= manager->most)
            return begin_supplied(manager, manager->chunks + number - 1, now_ns);
    }
    return NULL;
}

void chunk_manager_give_supplied_back(struct chunk *chunk, uint64_t now_ns)
{
    /* Release: whoever finds it done finds all that was written. */
    atomic_store_explicit(&chunk->header.done_ns, now_ns > 0 ? now_ns : 1, memory_order_release);
}

void chunk_manager_pass_supplied_on(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns)
{
    if (!begun_chunks_put(&manager->begun_samples, chunk, BEGUN_CHUNKS))
        chunk_manager_give_supplied_back(chunk, now_ns);
}

static size_t count_ready(const struct chunk_manager *manager)
{
    size_t count = begun_chunks_count(&manager->begun_samples);
    for (size_t i = 0; i < SUPPLIED; i++)
        count += atomic_load_explicit(&manager->header->supplied[i], memory_order_relaxed) != 0;
    return count;
}

void chunk_manager_supply_one(struct chunk_manager *manager, size_t enough)
{
    struct session_file_header *header = manager->header;
    if (count_ready(manager) >= enough || is_full(manager))
        return;
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    struct place *place = chunk_supply_make(manager);
    if (place) {
        /* It leaves our books: disk space, too, is the supplier's business from now on. */
        atomic_fetch_sub_explicit(&manager->held, place->disk_bytes, memory_order_relaxed);
        note_change(manager);
        place->disk_bytes = 0;
        atomic_store_explicit(&place->chunk->header.supplied, 1, memory_order_relaxed);
        uint32_t none = 0, number = (uint32_t)(place - manager->places) + 1;
        /* Release: whoever takes it finds it ready. One that finds no slot free is adopted and used later. */
        for (size_t i = 0; i < SUPPLIED; i++, none = 0)
            if (atomic_compare_exchange_strong_explicit(&header->supplied[i], &none, number, memory_order_release,
                                                        memory_order_relaxed))
                break;
    }
    lock_leave(&manager->lock, &hold);
}

struct supply_view chunk_manager_supply_view(struct chunk_manager *manager)
{
    return (struct supply_view){manager->header, manager->chunks, manager->most, &manager->file};
}

/* --- ready for use ------------------------------------------------------------------------------------------------- */

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
    size_t wanted = ready_wanted(manager);
    for (size_t i = 0; i < wanted; i++) {
        if (atomic_load_explicit(&manager->ready[i], memory_order_relaxed))
            continue;
        struct lock_hold hold;
        lock_enter(&manager->lock, &hold);
        struct place *place = chunk_supply_make(manager);
        lock_leave(&manager->lock, &hold);
        if (!place)
            return;
        /* A page that the file system has no room for after all: writing to it would be the end of the program. */
        if (place->disk_bytes == CHUNK_BYTES && !touch_pages(place)) {
            chunk_supply_say_full(manager);
            return;
        }
        /* Release: the taker sees the place as it is now. Nobody else fills an empty slot. */
        atomic_store_explicit(&manager->ready[i], place, memory_order_release);
    }
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

/* The first one comes with the library, and is given out once: a mapping less. */
static struct {
    _Alignas(4096) atomic_flag is_given;
    struct chunk_manager manager;
} first;

static struct chunk_manager *memory_take(void)
{
    bool is_given = atomic_flag_test_and_set_explicit(&first.is_given, memory_order_relaxed);
    return is_given ? own_memory_map(sizeof first.manager) : &first.manager;
}

static void memory_give(struct chunk_manager *manager)
{
    if (manager != &first.manager)
        own_memory_unmap(manager, sizeof *manager);
}

static void unmap_all(struct chunk_manager *manager)
{
    chunk_rescue_end(manager);
    chunk_supply_end(manager);
    if (manager->quota_is_own)
        quota_close(manager->quota);
    chunk_file_close(&manager->file);
    memory_give(manager);
}

void session_header_fill(struct session_file_header *header, const struct chunk_manager_options *options)
{
    header->version = SESSION_VERSION;
    header->header_bytes = SESSION_HEADER_BYTES;
    header->chunk_bytes = CHUNK_BYTES;
    header->pid = options->pid;
    header->start_monotonic_ns = options->start_monotonic_ns;
    header->start_realtime_ns = options->start_realtime_ns;
    header->interval_ns = options->interval_ns;
    header->tick_ns = options->tick_ns;
    header->begin_cpu_ns = options->begin_cpu_ns;
    /* Release: a file that says it is a session is one. */
    atomic_thread_fence(memory_order_release);
    memcpy(header->magic, SESSION_MAGIC, sizeof header->magic);
}

struct chunk_manager *chunk_manager_create(const struct chunk_manager_options *options, struct error *error)
{
    struct chunk_manager *manager = memory_take();
    if (!manager) {
        error_out_of_memory(error);
        return NULL;
    }
    if (chunk_file_create(&manager->file, options->folder, options->name, options->pid, options->own_table, error) != 0) {
        memory_give(manager);
        return NULL;
    }
    const uint64_t most = (uint64_t)UINT32_MAX * CHUNK_BYTES;
    manager->limit_most = options->limit_bytes < LIMIT_LEAST ? LIMIT_LEAST
                          : options->limit_bytes > most      ? most
                                                             : options->limit_bytes;
    chunk_manager_set_limit(manager, manager->limit_most);
    int failed = chunk_supply_begin(manager);
    if (failed) {
        error_set(error, failed, "%.300s: no room for a recording: %s", manager->file.path, error_text(-failed));
        unlink(manager->file.path);
        unmap_all(manager);
        return NULL;
    }
    session_header_fill(manager->header, options);
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
