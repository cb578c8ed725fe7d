#include "capture/core/core.h"

#include "capture/core/clock.h"
#include "session/own_mask.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- the lock ------------------------------------------------------------------------------------------------------------ */

enum { FREE, HELD, WAITED_FOR };

/* Not a pthread mutex: programs and tools replace its functions. */
static _Atomic uint32_t word;

/* What the holder was before. While a thread holds the lock it cannot be cancelled, and no handler of the program runs on it,
 * which could ask for the lock again. Guarded by the lock. */
static struct {
    int cancel_state;
    uint64_t signals;
} holder;

static __thread bool held __attribute__((tls_model("initial-exec")));

/* Something to point at. */
static const char proof;

/* Acquire: what the last holder wrote is seen. */
static bool try_lock(uint32_t as)
{
    if (as == WAITED_FOR)
        return atomic_exchange_explicit(&word, WAITED_FOR, memory_order_acquire) == FREE;
    uint32_t expected = FREE;
    return atomic_compare_exchange_strong_explicit(&word, &expected, as, memory_order_acquire, memory_order_relaxed);
}

/* The calling thread has taken it; this is what it was before. */
static const struct core_locked *locked_by_me(int cancel_state, uint64_t signals)
{
    holder.cancel_state = cancel_state;
    holder.signals = signals;
    held = true;
    return (const struct core_locked *)&proof;
}

/* Gives the calling thread back what it was before. */
static void restore_thread(int cancel_state, uint64_t signals)
{
    int ignored;
    own_mask_open(signals);
    pthread_setcancelstate(cancel_state, &ignored);
}

const struct core_locked *core_lock(void)
{
    int saved_errno = errno, cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    uint64_t signals = own_mask_close();
    for (uint32_t as = HELD; !try_lock(as); as = WAITED_FOR) {
        /* Signals come through while we wait: others may wait for what the program does in their handlers. */
        own_mask_open(signals);
        if (as == WAITED_FOR)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
        signals = own_mask_close();
    }
    errno = saved_errno;
    return locked_by_me(cancel_state, signals);
}

const struct core_locked *core_try_lock(void)
{
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    uint64_t signals = own_mask_close();
    if (try_lock(HELD))
        return locked_by_me(cancel_state, signals);
    restore_thread(cancel_state, signals);
    return NULL;
}

void core_unlock(const struct core_locked *locked)
{
    (void)locked;
    int saved_errno = errno, cancel_state = holder.cancel_state;
    uint64_t signals = holder.signals;
    held = false;
    /* Release: the next holder sees what this one wrote. */
    if (atomic_exchange_explicit(&word, FREE, memory_order_release) == WAITED_FOR)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    restore_thread(cancel_state, signals);
    errno = saved_errno;
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
    states.active.filters[0] = '\0';
    states.active.folder = "";
    is_active = true;
    return &states.active;
}

void active_state_end(const struct core_locked *locked)
{
    (void)locked;
    is_active = false;
}

/* --- entries that are written under the lock ------------------------------------------------------------------------------ */

static uint8_t *reserve(struct chunk_manager *chunks, struct chunk *chunk, size_t max)
{
    uint8_t *out = chunk ? chunk_reserve(chunk, max) : NULL;
    if (!out && chunk && chunk_manager_extend(chunks, chunk))
        out = chunk_reserve(chunk, max);
    return out;
}

static void give_back(struct active_state *active, struct chunk **chunk)
{
    if (*chunk)
        chunk_manager_give_back(active->chunks, *chunk, clock_now());
    *chunk = NULL;
}

static bool put(struct active_state *active, struct chunk **chunk, enum chunk_kind kind, size_t max, entry_fill *fill,
                const void *entry)
{
    uint8_t *out = max <= ENTRY_MAX ? reserve(active->chunks, *chunk, max) : NULL;
    if (!out && max <= ENTRY_MAX) {
        give_back(active, chunk);
        *chunk = chunk_manager_take(active->chunks, kind, clock_now());
        out = reserve(active->chunks, *chunk, max);
    }
    size_t length = out ? fill(out, max, entry) : 0;
    if (length > 0) {
        chunk_commit(*chunk, max, length);
        return true;
    }
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
    give_back(active, &active->common);
    give_back(active, &active->kept);
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
