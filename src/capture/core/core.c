#include "capture/core/core.h"

#include "capture/core/core_private.h"
#include "capture/core/internal_thread.h"
#include "session/own_mask.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* What every process needs of them is on one page. */
static struct {
    _Alignas(4096) struct active_state active;
    struct core_state core;
} states;
static bool is_active;

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

/* On a thread of our own, whose signals are blocked for good. */
static void lock_undisturbed(void)
{
    for (uint32_t as = HELD; !try_lock(as); as = WAITED_FOR)
        if (as == WAITED_FOR)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
    held = true;
}

const struct core_locked *core_lock(void)
{
    int saved_errno = errno;
    if (internal_thread_is_mine()) {
        lock_undisturbed();
        errno = saved_errno;
        return (const struct core_locked *)&proof;
    }
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    uint64_t before = own_mask_close();
    for (uint32_t as = HELD; !try_lock(as); as = WAITED_FOR) {
        /* Signals come through while we wait: others may wait for what the program does in their handlers. */
        own_mask_open(before);
        if (as == WAITED_FOR)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
        before = own_mask_close();
    }
    holder.cancel_state = cancel_state;
    holder.signals = before;
    held = true;
    errno = saved_errno;
    return (const struct core_locked *)&proof;
}

const struct core_locked *core_try_lock(void)
{
    int cancel_state, ignored;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    uint64_t before = own_mask_close();
    if (!try_lock(HELD)) {
        own_mask_open(before);
        pthread_setcancelstate(cancel_state, &ignored);
        return NULL;
    }
    holder.cancel_state = cancel_state;
    holder.signals = before;
    held = true;
    return (const struct core_locked *)&proof;
}

/* Gives the calling thread back what it had before it took the lock, which it has let go. */
static void restore_thread(int cancel_state, uint64_t signals)
{
    int ignored;
    own_mask_open(signals);
    pthread_setcancelstate(cancel_state, &ignored);
}

void core_unlock(const struct core_locked *locked)
{
    (void)locked;
    int saved_errno = errno;
    int cancel_state = holder.cancel_state;
    uint64_t signals = holder.signals;
    held = false;
    /* Release: the next holder sees what this one wrote. */
    if (atomic_exchange_explicit(&word, FREE, memory_order_release) == WAITED_FOR)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    if (!internal_thread_is_mine())
        restore_thread(cancel_state, signals);
    errno = saved_errno;
}

bool core_locked_by_me(void)
{
    return held;
}

const struct core_locked *core_lock_held(void)
{
    return held ? (const struct core_locked *)&proof : NULL;
}

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
