#include "capture/masks.h"

#include "capture/handler_number.h"
#include "capture/registry.h"
#include "session/own_mask.h"

#include <string.h>
#include <ucontext.h>

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

static int ours_now(void)
{
    return atomic_load_explicit(&handler_signal, memory_order_relaxed);
}

/* --- what is withheld ---------------------------------------------------------------------------------------------------- */

/* Only the thread itself writes these, and its handler: with all signals blocked, or where nothing can come between. */

static bool includes(uint64_t mask, uint64_t other)
{
    return (mask & other) == other;
}

/* What the program wants blocked besides `mask`, which is the thread's. One that was not set here is that of a handler: the one
 * that was, and more. */
static uint64_t withheld_beside(const struct registration *thread, uint64_t mask)
{
    if (atomic_load_explicit(&thread->mask.withheld, memory_order_relaxed) == 0)
        return 0;
    for (size_t i = 0; i < MASKS_KEPT; i++)
        if (thread->mask.set[i].mask == mask)
            return thread->mask.set[i].withheld;
    for (size_t i = 0; i < MASKS_KEPT; i++)
        if (thread->mask.set[i].withheld && includes(mask, thread->mask.set[i].mask))
            return thread->mask.set[i].withheld;
    return 0;
}

/* But for signals that cannot be blocked: those of the kernel, and of the C library, below SIGRTMIN. */
static uint64_t as_found_later(uint64_t mask)
{
    uint64_t library = (signal_bit(SIGRTMIN) - 1) & ~(signal_bit(__SIGRTMIN) - 1);
    return mask & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP) | library);
}

static void remember(struct registration *thread, uint64_t mask, uint64_t withheld)
{
    mask = as_found_later(mask);
    if (withheld_beside(thread, mask) == withheld)
        return;
    size_t place = 0;
    while (place < MASKS_KEPT - 1 && thread->mask.set[place].mask != mask)
        place++;
    for (; place > 0; place--)
        thread->mask.set[place] = thread->mask.set[place - 1];
    thread->mask.set[0].mask = mask;
    thread->mask.set[0].withheld = withheld;
    uint64_t all = 0;
    for (size_t i = 0; i < MASKS_KEPT; i++)
        all |= thread->mask.set[i].withheld;
    atomic_store_explicit(&thread->mask.withheld, all, memory_order_relaxed);
}

/* --- settling ------------------------------------------------------------------------------------------------------------ */

/* The number that the thread is asked with, if it has not answered and it is not this one; 0 = none. */
static int asked_with_other(const struct registration *thread, int ours)
{
    uint32_t asked = atomic_load_explicit(&thread->slot.asked, memory_order_seq_cst);
    int number = atomic_load_explicit(&thread->slot.number, memory_order_relaxed);
    bool is_answered = asked == atomic_load_explicit(&thread->slot.answered, memory_order_relaxed);
    return is_answered || number == ours ? 0 : number;
}

/* The number to let through from now on: ours, but not before a question that was asked with another has come. All signals are
 * blocked meanwhile. What else waits with that number cannot be had by letting it through: it may be the program's, for the
 * whole process, which every thread in turn would take and put back, for ever. */
static int settle_for(struct registration *thread, int ours)
{
    int before = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    if (before == ours || ours == HANDLER_CHOOSES)
        return before;
    /* Sequentially consistent, as are those of who asks: one of the two sees the other, and gives way. */
    atomic_store_explicit(&thread->mask.number, ours, memory_order_seq_cst);
    int other = asked_with_other(thread, ours);
    bool timer_is_being_set = atomic_load_explicit(&thread->timer.is_being_set, memory_order_seq_cst);
    if (other || timer_is_being_set) {
        int meanwhile = other ? other : before;
        atomic_store_explicit(&thread->mask.number, meanwhile, memory_order_relaxed);
        return meanwhile;
    }
    int timers = own_timer_signal(&thread->timer);
    if (timers && timers != ours)
        own_timer_stop(&thread->timer);
    if (before)
        handler_drain(before);
    if (timers && timers != ours && timers != before)
        handler_drain(timers);
    return ours;
}

/* What the mask has to be, for the program to have this one. */
static uint64_t settled(struct registration *thread, uint64_t wanted, uint64_t withheld)
{
    uint64_t let_through = signal_bit(settle_for(thread, ours_now()));
    withheld |= wanted & let_through;
    uint64_t mask = (wanted | withheld) & ~let_through;
    remember(thread, mask, withheld);
    return mask;
}

bool masks_settle(struct registration *thread)
{
    if (!atomic_load_explicit(&kept, memory_order_relaxed))
        return true;
    /* No handler comes in between. */
    uint64_t mask = own_mask_block_all();
    uint64_t wanted = settled(thread, mask, withheld_beside(thread, mask));
    bool done = atomic_load_explicit(&thread->mask.number, memory_order_relaxed) == ours_now();
    own_mask_restore(wanted);
    return done;
}

void masks_follow(void)
{
    struct registration *thread = registration_mine();
    /* Where signals are closed they are somebody else's to open: in the handler, who settles itself. */
    if (thread && !own_mask_closed && atomic_load_explicit(&thread->mask.number, memory_order_relaxed) != ours_now())
        masks_settle(thread);
}

static uint64_t interrupted_mask(const void *context)
{
    return signal_bits(&((const ucontext_t *)context)->uc_sigmask);
}

bool masks_withhold_in_handler(const struct registration *thread, int number, const void *context)
{
    return withheld_beside(thread, interrupted_mask(context)) & signal_bit(number);
}

void masks_settle_in_handler(struct registration *thread, void *context)
{
    if (!atomic_load_explicit(&kept, memory_order_relaxed))
        return;
    uint64_t mask = interrupted_mask(context);
    mask = settled(thread, mask, withheld_beside(thread, mask));
    memcpy(&((ucontext_t *)context)->uc_sigmask, &mask, sizeof mask);
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
                                atomic_load_explicit(&thread->mask.withheld, memory_order_relaxed) == 0 &&
                                (!set || !(signal_bits(set) & signal_bit(ours))));
    if (ordinary || (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK))
        return real(how, set, old);
    /* Between these two neither a handler nor a question comes. */
    uint64_t mask = own_mask_block_all();
    uint64_t before = mask | withheld_beside(thread, mask);
    uint64_t after = set ? changed(before, how, signal_bits(set)) : before;
    uint64_t bits = settled(thread, after, after & atomic_load_explicit(&handler_numbers, memory_order_relaxed));
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
    if (!thread || atomic_load_explicit(&thread->mask.withheld, memory_order_relaxed) == 0)
        return 0;
    int number = atomic_load_explicit(&thread->mask.number, memory_order_relaxed);
    uint64_t shown = withheld_beside(thread, own_mask_get()) & signal_bit(number);
    if (shown && comes_back)
        atomic_store_explicit(&thread->mask.shown, true, memory_order_relaxed);
    if (shown)
        own_mask_change(SIG_BLOCK, shown);
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
