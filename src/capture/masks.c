#include "capture/masks.h"

#include "capture/handler.h"
#include "capture/registry.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { KERNEL_SIGSET_BYTES = 8 };

static _Atomic bool kept;

void masks_keep(void)
{
    atomic_store_explicit(&kept, true, memory_order_relaxed);
}

uint64_t signal_bits(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

/* Not through the functions that libsonde-preload stands in front of. */
static void set_mask(int how, uint64_t bits, uint64_t *old)
{
    int saved_errno = errno;
    syscall(SYS_rt_sigprocmask, how, &bits, old, KERNEL_SIGSET_BYTES);
    errno = saved_errno;
}

static int ours_now(void)
{
    return atomic_load_explicit(&handler_signal, memory_order_relaxed);
}

/* The thread's own: only it and its handler write them. The sampler reads `number`. */
static uint64_t withheld_by(const struct registration *thread)
{
    return atomic_load_explicit(&thread->mask.withheld, memory_order_relaxed);
}

static void withhold(struct registration *thread, uint64_t bits)
{
    atomic_store_explicit(&thread->mask.withheld, bits, memory_order_relaxed);
}

/* --- settling ------------------------------------------------------------------------------------------------------------ */

/* The number to let through from now on: ours, but not before a question that was asked with another has come. */
static int settle_for(struct registration *thread, int ours)
{
    int before = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    if (before == 0 || before == ours) {
        atomic_store_explicit(&thread->mask.number, ours, memory_order_relaxed);
        return ours;
    }
    /* Sequentially consistent, as are those of who asks: one of the two sees the other, and gives way. */
    atomic_store_explicit(&thread->mask.number, ours, memory_order_seq_cst);
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_seq_cst);
    if (asked == atomic_load_explicit(&thread->slot.answered, memory_order_relaxed) ||
        atomic_load_explicit(&thread->slot.number, memory_order_relaxed) != before)
        return ours;
    atomic_store_explicit(&thread->mask.number, before, memory_order_relaxed);
    return before;
}

/* What the mask has to be now. Doing it twice changes nothing. */
static uint64_t settled(struct registration *thread, uint64_t mask)
{
    uint64_t let_through = signal_bit(settle_for(thread, ours_now()));
    withhold(thread, withheld_by(thread) | (mask & let_through));
    return (mask | withheld_by(thread)) & ~let_through;
}

bool masks_settle(struct registration *thread)
{
    if (!atomic_load_explicit(&kept, memory_order_relaxed))
        return true;
    /* No handler comes in between. */
    uint64_t mask;
    set_mask(SIG_SETMASK, UINT64_MAX, &mask);
    uint64_t wanted = settled(thread, mask);
    bool done = atomic_load_explicit(&thread->mask.number, memory_order_relaxed) == ours_now();
    set_mask(SIG_SETMASK, wanted, NULL);
    return done;
}

void masks_settle_in_handler(struct registration *thread, void *context)
{
    if (!atomic_load_explicit(&kept, memory_order_relaxed))
        return;
    sigset_t *set = &((ucontext_t *)context)->uc_sigmask;
    uint64_t mask = settled(thread, signal_bits(set));
    memcpy(set, &mask, sizeof mask);
}

/* --- what the program does ----------------------------------------------------------------------------------------------- */

/* Of a thread whose masks are kept; NULL = others are left alone. */
static struct registration *kept_thread(void)
{
    return atomic_load_explicit(&kept, memory_order_relaxed) ? registration_mine() : NULL;
}

static uint64_t changed(uint64_t mask, int how, uint64_t set)
{
    switch (how) {
    case SIG_BLOCK:
        return mask | set;
    case SIG_UNBLOCK:
        return mask & ~set;
    default:
        return set;
    }
}

int masks_change(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    struct registration *thread = kept_thread();
    int ours = ours_now();
    bool ordinary = !thread || (atomic_load_explicit(&thread->mask.number, memory_order_relaxed) == ours &&
                                withheld_by(thread) == 0 && (!set || !(signal_bits(set) & signal_bit(ours))));
    if (ordinary || (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK))
        return real(how, set, old);
    /* Between these two neither a handler nor a question comes. */
    uint64_t mask;
    set_mask(SIG_SETMASK, UINT64_MAX, &mask);
    uint64_t before = mask | withheld_by(thread);
    uint64_t after = set ? changed(before, how, signal_bits(set)) : before;
    withhold(thread, after & atomic_load_explicit(&handler_numbers, memory_order_relaxed));
    uint64_t bits = settled(thread, after);
    sigset_t wanted;
    sigemptyset(&wanted);
    memcpy(&wanted, &bits, sizeof bits);
    int result = real(SIG_SETMASK, &wanted, NULL);
    if (old) {
        sigemptyset(old);
        memcpy(old, &before, sizeof before);
    }
    return result;
}

uint64_t masks_show(bool comes_back)
{
    struct registration *thread = kept_thread();
    if (!thread || !withheld_by(thread))
        return 0;
    uint64_t shown = withheld_by(thread) & signal_bit(atomic_load_explicit(&thread->mask.number, memory_order_relaxed));
    if (comes_back)
        atomic_store_explicit(&thread->mask.shown, true, memory_order_relaxed);
    set_mask(SIG_BLOCK, shown, NULL);
    return shown;
}

void masks_hide(uint64_t shown)
{
    if (!shown)
        return;
    struct registration *thread = registration_mine();
    atomic_store_explicit(&thread->mask.shown, false, memory_order_relaxed);
    masks_settle(thread);
}
