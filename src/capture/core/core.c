#include "capture/core/core.h"

#include "capture/core/clock.h"
#include "session/lock.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- the lock ------------------------------------------------------------------------------------------------------------ */

static struct lock lock;
static struct lock_hold holder; /* guarded by the lock */
static __thread bool held __attribute__((tls_model("initial-exec")));

/* Something to point at. */
static const char proof;

static const struct core_locked *locked_by_me(struct lock_hold hold)
{
    holder = hold;
    held = true;
    return core_lock_held();
}

const struct core_locked *core_lock(void)
{
    struct lock_hold hold;
    lock_enter(&lock, &hold);
    return locked_by_me(hold);
}

const struct core_locked *core_try_lock(void)
{
    struct lock_hold hold;
    return lock_try(&lock, &hold) ? locked_by_me(hold) : NULL;
}

void core_unlock(const struct core_locked *locked)
{
    (void)locked;
    struct lock_hold hold = holder;
    hold.saved_errno = errno;
    held = false;
    lock_leave(&lock, &hold);
}

const struct core_locked *core_lock_held(void)
{
    return held ? (const struct core_locked *)&proof : NULL;
}

/* --- what it guards ------------------------------------------------------------------------------------------------------ */

/* What every process needs of them is on one page. */
static struct {
    _Alignas(4096) struct active_state active;
    struct core_state core;
} states;
static bool is_active;

bool core_is_own_process(void)
{
    return states.core.pid == getpid();
}

struct core_state *core_state(const struct core_locked *locked)
{
    (void)locked;
    return &states.core;
}

struct active_state *active_state(const struct core_locked *locked)
{
    (void)locked;
    return is_active ? &states.active : NULL;
}

struct active_state *active_state_begin(const struct core_locked *locked)
{
    (void)locked;
    memset(&states.active, 0, offsetof(struct active_state, after_sampling));
    is_active = true;
    return &states.active;
}

void active_state_end(const struct core_locked *locked)
{
    (void)locked;
    is_active = false;
}

/* --- entries that are written under the lock ------------------------------------------------------------------------------ */

static bool put(struct active_state *active, struct entry_place *place, enum chunk_kind kind, size_t max, entry_fill *fill,
                const void *entry)
{
    if (entry_append(active->chunks, place, kind, clock_now(), max, fill, entry))
        return true;
    struct session_file_header *header = chunk_manager_header(active->chunks);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_ENTRIES_LOST], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_BYTES_LOST], max, memory_order_relaxed);
    return false;
}

bool kept_put(const struct core_locked *locked, size_t max, entry_fill *fill, const void *entry)
{
    struct active_state *active = active_state(locked);
    return active && put(active, &active->kept, CHUNK_KEPT, max, fill, entry);
}

bool common_put(const struct core_locked *locked, size_t max, entry_fill *fill, const void *entry)
{
    struct active_state *active = active_state(locked);
    return active && put(active, &active->common, CHUNK_SAMPLES, max, fill, entry);
}

void entries_end(const struct core_locked *locked)
{
    struct active_state *active = active_state(locked);
    entry_place_end(active->chunks, &active->common, clock_now());
    entry_place_end(active->chunks, &active->kept, clock_now());
}

/* --- the state word ------------------------------------------------------------------------------------------------------- */

/* As large as the pages of any machine, and alone in them: all of it is wiped. */
#ifdef __x86_64__
enum { STATE_PAGE_BYTES = 4 << 10 };
#else
enum { STATE_PAGE_BYTES = 64 << 10 };
#endif

_Alignas(STATE_PAGE_BYTES) static union {
    _Atomic uint64_t word;
    char pages[STATE_PAGE_BYTES];
} state;

extern _Atomic uint64_t state_word __attribute__((alias("state")));

void state_init(void)
{
    madvise(&state, sizeof state, MADV_WIPEONFORK); /* a kernel before 4.14 does not: then only fork() turns it off */
}
