#include "capture/sampler/live.h"

#include "capture/core/sandbox.h"
#include "common/memory.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

struct live_session *_Atomic live_current;
_Atomic bool live_strict = true;
_Atomic uint32_t live_strangers;
const struct quota *_Atomic live_quota;
void (*live_stop_if_over)(void);

/* Guarded by the core lock. */
static struct live_session *retired;

/* ThreadSanitizer knows nothing of barriers of the kernel. */
#ifdef __has_feature
#define THREAD_SANITIZER __has_feature(thread_sanitizer)
#elif defined __SANITIZE_THREAD__
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

void live_init(void)
{
    if (!THREAD_SANITIZER && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
        atomic_store_explicit(&live_strict, false, memory_order_relaxed);
}

int live_publish(const struct core_locked *locked, struct chunk_manager *chunks, uint64_t generation)
{
    (void)locked;
    struct live_session *session = memory_array(1, sizeof *session);
    if (!session)
        return -ENOMEM;
    *session = (struct live_session){generation, chunks, chunk_manager_header(chunks), NULL};
    atomic_store_explicit(&live_current, session, memory_order_seq_cst);
    return 0;
}

static bool within(const struct registration *thread, uintptr_t address)
{
    return address >= thread->info.stack_start && address < thread->info.stack_end;
}

bool live_was_left(const struct registration *mine, uintptr_t busy, uintptr_t here)
{
    /* A handler runs below what it interrupted, or on a stack of its own, of which nothing can be said. */
    if (here < busy || !within(mine, busy) || !within(mine, here))
        return false;
    stack_t stack;
    return sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_ONSTACK);
}

void live_note_filter(struct registration *mine)
{
    if (!mine || !live_enter(mine))
        return;
    const struct live_session *session = live_session();
    if (session && atomic_load_explicit(&session->header->filtered, memory_order_relaxed))
        sandbox_close(false);
    live_leave(mine);
}

static bool any_thread_inside(const struct registration *first)
{
    if (atomic_load_explicit(&live_strangers, memory_order_seq_cst))
        return true;
    for (const struct registration *thread = first; thread; thread = thread->next)
        /* Sequentially consistent, against the exchange in live_enter: either we see it, or it sees no session. And acquire:
         * what the thread wrote is written. */
        if (atomic_load_explicit(&thread->markers.busy, memory_order_seq_cst) ||
            atomic_load_explicit(&thread->sampling, memory_order_seq_cst))
            return true;
    return false;
}

void live_retire(const struct core_locked *locked, const struct registration *first, bool for_good)
{
    struct live_session *session = atomic_exchange_explicit(&live_current, NULL, memory_order_seq_cst);
    if (session && for_good && !chunk_manager_has_much(session->chunks))
        return;
    if (session) {
        session->next = retired;
        retired = session;
    }
    live_collect(locked, first);
}

bool live_collect(const struct core_locked *locked, const struct registration *first)
{
    (void)locked;
    if (!retired)
        return true;
    if (!atomic_load_explicit(&live_strict, memory_order_relaxed))
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    if (any_thread_inside(first))
        return false;
    while (retired) {
        struct live_session *session = retired;
        retired = session->next;
        chunk_manager_free(session->chunks);
        memory_release(session);
    }
    return true;
}

void live_forget(void)
{
    atomic_store_explicit(&live_strangers, 0, memory_order_relaxed);
    atomic_store_explicit(&live_current, NULL, memory_order_relaxed);
}

void live_forked(void)
{
    /* Those that are inside are the parent's. */
    atomic_store_explicit(&live_strangers, 0, memory_order_relaxed);
    struct live_session *session = atomic_exchange_explicit(&live_current, NULL, memory_order_relaxed);
    if (session)
        chunk_manager_forget(session->chunks);
    for (; retired; retired = retired->next)
        chunk_manager_forget(retired->chunks);
}
