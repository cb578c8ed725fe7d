#include "session/supply.h"

#include "session/own_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNKNOWN, OTHERS, GIVEN, DONE, BARE }; /* the last three are ours */
enum {
    SUPPLY_NONE = UINT32_MAX,
    SHORT_BYTES = 16 << 10, /* of disk space: most processes end soon … */
    SHORT_FILLS = 8,        /* … and so many chunks are enough for them */
    SLOTS_AT_FIRST = 1,
};

/* --- lists ----------------------------------------------------------------------------------------------------------- */

static void list_add(struct supply *supply, struct supplied_list *list, uint32_t number)
{
    supply->chunks[number].next = SUPPLY_NONE;
    if (list->first == SUPPLY_NONE)
        list->first = number;
    else
        supply->chunks[list->last].next = number;
    list->last = number;
}

static uint32_t list_take(struct supply *supply, struct supplied_list *list)
{
    uint32_t number = list->first;
    if (number != SUPPLY_NONE)
        list->first = supply->chunks[number].next;
    return number;
}

/* --- beginning and end --------------------------------------------------------------------------------------------------- */

int supply_begin(struct supply *supply, const struct supply_view *view)
{
    static const struct supplied_list empty = {SUPPLY_NONE, SUPPLY_NONE};
    *supply = (struct supply){.view = *view, .given = empty, .done = empty, .bare = empty, .limit = UINT64_MAX};
    supply->chunks = own_memory_map(view->most * sizeof *supply->chunks);
    return supply->chunks ? 0 : -ENOMEM;
}

/* The header says how many chunks the process has mapped; the file must be as long. */
static int map_view(int fd, struct supply_view *view)
{
    struct session_file_header header;
    struct stat status;
    if (fstat(fd, &status) != 0 || pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return -EINVAL;
    uint64_t bytes = SESSION_HEADER_BYTES + (uint64_t)header.chunks_most * CHUNK_BYTES;
    if (memcmp(header.magic, SESSION_MAGIC, sizeof header.magic) != 0 || header.version != SESSION_VERSION ||
        header.chunks_most == 0 || header.chunks_most > CHUNKS_MOST || status.st_size < 0 || (uint64_t)status.st_size < bytes)
        return -EINVAL;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    /* Of most chunks only the header is touched from here: around it file systems of disks would take many pages, and clear
     * them all. */
    (void)madvise(map, bytes, MADV_RANDOM);
    view->header = map;
    view->chunks = (struct chunk *)(void *)((char *)map + SESSION_HEADER_BYTES);
    view->most = header.chunks_most;
    return 0;
}

static void unmap_view(const struct supply_view *view)
{
    munmap(view->header, SESSION_HEADER_BYTES + view->most * CHUNK_BYTES);
}

int supply_open(struct supply *supply, int fd)
{
    struct supply_view view = {0};
    int failed = map_view(fd, &view);
    if (!failed && (failed = supply_begin(supply, &view)) != 0)
        unmap_view(&view);
    if (failed) {
        close(fd);
        return failed;
    }
    chunk_file_attach(&supply->own_file, fd);
    supply->view.file = &supply->own_file;
    return 0;
}

void supply_end(struct supply *supply)
{
    own_memory_unmap(supply->chunks, supply->view.most * sizeof *supply->chunks);
    if (supply->view.file == &supply->own_file) {
        unmap_view(&supply->view);
        chunk_file_close(&supply->own_file);
    }
    supply->chunks = NULL;
}

/* --- what happened meanwhile --------------------------------------------------------------------------------------------- */

static struct chunk *chunk_of(const struct supply *supply, uint32_t number)
{
    return supply->view.chunks + number;
}

static uint64_t offset_of(uint32_t number)
{
    return SESSION_HEADER_BYTES + (uint64_t)number * CHUNK_BYTES;
}

static void adopt(struct supply *supply, uint32_t number, uint32_t missing)
{
    struct supplied *known = &supply->chunks[number];
    known->state = GIVEN;
    known->disk_bytes = CHUNK_BYTES - (missing < CHUNK_BYTES ? missing : 0);
    supply->held += known->disk_bytes;
    supply->fills++;
    list_add(supply, &supply->given, number);
}

/* Chunks that came without us: the process's own, and those that it has supplied itself. They may have no disk space. */
static void look_for_others(struct supply *supply)
{
    uint32_t count = atomic_load_explicit(&supply->view.header->chunk_count, memory_order_acquire);
    uint32_t end = count < supply->view.most ? count : (uint32_t)supply->view.most, unknown = end;
    for (uint32_t i = supply->first_unknown; i < end; i++) {
        if (supply->chunks[i].state != UNKNOWN)
            continue;
        struct chunk_header header = {0};
        bool is_read = chunk_file_read(supply->view.file, offset_of(i), &header, sizeof header);
        if (is_read && header.supplied)
            adopt(supply, i, header.missing);
        else if (is_read && header.kind != CHUNK_FREE)
            supply->chunks[i].state = OTHERS;
        else if (i < unknown)
            unknown = i;
    }
    supply->first_unknown = unknown;
}

bool supply_has(const struct supply *supply, uint32_t number)
{
    return number < supply->view.most && supply->chunks[number].state >= GIVEN;
}

static void look_for_done(struct supply *supply)
{
    uint32_t number = supply->given.first;
    supply->given.first = SUPPLY_NONE;
    while (number != SUPPLY_NONE) {
        struct supplied *known = &supply->chunks[number];
        uint32_t next = known->next;
        /* Acquire: with it comes what was written. */
        known->done_ns = atomic_load_explicit(&chunk_of(supply, number)->header.done_ns, memory_order_acquire);
        known->state = known->done_ns ? DONE : GIVEN;
        supply->done_bytes += known->done_ns ? known->disk_bytes : 0;
        list_add(supply, known->done_ns ? &supply->done : &supply->given, number);
        number = next;
    }
}

/* --- supplying ----------------------------------------------------------------------------------------------------------- */

/* The oldest that is done, emptied; SUPPLY_NONE = there is none. */
static uint32_t take_done(struct supply *supply)
{
    uint32_t number = list_take(supply, &supply->done);
    if (number == SUPPLY_NONE)
        return number;
    supply->done_bytes -= supply->chunks[number].disk_bytes;
    chunk_empty(chunk_of(supply, number));
    atomic_fetch_add_explicit(&supply->view.header->statistics[STATISTIC_CHUNKS_RECYCLED], 1, memory_order_relaxed);
    return number;
}

static uint32_t make_new(struct supply *supply, uint32_t bytes)
{
    uint32_t number = list_take(supply, &supply->bare);
    if (number == SUPPLY_NONE) {
        size_t fresh = chunk_count_take(supply->view.header, supply->view.most);
        /* The process can set the count back: a chunk that is known is in a list already. */
        if (fresh == supply->view.most || supply->chunks[fresh].state != UNKNOWN)
            return SUPPLY_NONE;
        number = (uint32_t)fresh;
    }
    struct supplied *known = &supply->chunks[number];
    int failed = chunk_file_reserve(supply->view.file, offset_of(number), bytes);
    known->state = BARE;
    if (failed) {
        supply->is_full |= chunk_file_is_full(failed);
        list_add(supply, &supply->bare, number);
        return SUPPLY_NONE;
    }
    known->disk_bytes = bytes;
    supply->held += bytes;
    struct chunk_header *header = &chunk_of(supply, number)->header;
    atomic_store_explicit(&header->missing, CHUNK_BYTES - bytes, memory_order_relaxed);
    atomic_store_explicit(&header->supplied, 1, memory_order_relaxed);
    return number;
}

static uint32_t make_ready(struct supply *supply, bool starving)
{
    uint32_t bytes = supply->fills < SHORT_FILLS ? SHORT_BYTES : CHUNK_BYTES, number = SUPPLY_NONE;
    bool fits = supply->held + bytes <= supply->limit && !supply->is_full;
    if (fits)
        number = make_new(supply, bytes);
    if (number == SUPPLY_NONE) {
        supply->wanted += bytes;
        number = take_done(supply);
    }
    /* What is being written never goes: then the limit is exceeded, as every writing thread may. */
    if (number == SUPPLY_NONE && starving && !fits && !supply->is_full)
        number = make_new(supply, SHORT_BYTES);
    return number;
}

/* One for a process that has hardly begun; more for one whose threads take them, and all for one that had too few. */
static size_t slots_wanted(struct supply *supply)
{
    const _Atomic uint64_t *statistics = supply->view.header->statistics;
    uint64_t lost = atomic_load_explicit(&statistics[STATISTIC_SAMPLES_LOST], memory_order_relaxed);
    size_t wanted = SLOTS_AT_FIRST + supply->fills / SHORT_FILLS;
    if (lost != supply->lost)
        wanted = SUPPLIED;
    supply->lost = lost;
    return wanted < SUPPLIED ? wanted : SUPPLIED;
}

/* Release: whoever takes it finds it ready. The process may fill slots, too. */
static bool put_into_slot(struct session_file_header *header, uint32_t number)
{
    for (size_t i = 0; i < SUPPLIED; i++) {
        uint32_t none = 0;
        if (atomic_compare_exchange_strong_explicit(&header->supplied[i], &none, number + 1, memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}

static void fill_slots(struct supply *supply)
{
    struct session_file_header *header = supply->view.header;
    size_t wanted = slots_wanted(supply), filled = 0;
    for (size_t i = 0; i < SUPPLIED; i++)
        filled += atomic_load_explicit(&header->supplied[i], memory_order_relaxed) != 0;
    for (; filled < wanted; filled++) {
        uint32_t number = make_ready(supply, filled == 0);
        if (number == SUPPLY_NONE)
            return;
        supply->chunks[number].state = GIVEN;
        supply->fills++;
        list_add(supply, &supply->given, number);
        if (!put_into_slot(header, number)) {
            /* To be recycled: nobody has it. */
            chunk_manager_give_supplied_back(chunk_of(supply, number), 1);
            return;
        }
    }
}

static void obey_limit(struct supply *supply)
{
    enum { AT_ONCE = 8 };
    for (int i = 0; i < AT_ONCE && supply->held > supply->limit; i++) {
        uint32_t number = take_done(supply);
        if (number == SUPPLY_NONE)
            return;
        struct supplied *known = &supply->chunks[number];
        chunk_file_release(supply->view.file, offset_of(number), known->disk_bytes);
        supply->held -= known->disk_bytes;
        known->disk_bytes = 0;
        known->state = BARE;
        list_add(supply, &supply->bare, number);
    }
}

void supply_turn(struct supply *supply)
{
    int saved_errno = errno;
    look_for_others(supply);
    look_for_done(supply);
    fill_slots(supply);
    obey_limit(supply);
    supply->oldest_ns = supply->done.first != SUPPLY_NONE ? supply->chunks[supply->done.first].done_ns : 0;
    errno = saved_errno;
}
