/* Which wait the waiting time of a window was spent in, and which wait the ready time was behind that followed one.
 *
 * `runs` counts how often the thread got a CPU. From one look to the next:
 *
 *     runs        found waiting                       found running
 *     the same    the same wait                       it was just woken: the wait before
 *     1 more      one wait ended, another began       the wait before has just ended
 *     2 more      or there was a third in between     the wait before, or one that nobody saw
 *     more        many waits, of which this is one    nobody knows: the next wait that is seen
 *
 * Where there were two waits and only the sum is known, each gets half. Ready time follows a wait that has ended: the one that
 * is found at the end of the window has none yet, unless it stands for many. */
#include "rows/shares.h"

void wait_share_init(struct wait_share *share)
{
    *share = (struct wait_share){.stack = OBSERVED_NO_STACK, .any = OBSERVED_NO_STACK};
}

static bool knows_before(const struct wait_share *share)
{
    return share->waiting && share->stack != OBSERVED_NO_STACK;
}

/* How much of the time belongs to the wait that the look before saw. */
static uint64_t part_before(const struct wait_share *share, const struct observed_look *look, uint64_t waiting_ns)
{
    if (!knows_before(share) || look->runs < share->runs)
        return 0;
    uint64_t more = look->runs - share->runs;
    if (look->state == LOOK_WAITING)
        return more == 1 || more == 2 ? waiting_ns / 2 : 0;
    return more <= 1 ? waiting_ns : more == 2 ? waiting_ns / 2 : 0;
}

static uint64_t ready_behind(const struct wait_share *share, const struct observed_look *look, uint64_t ready_ns)
{
    if (!knows_before(share) || look->runs < share->runs)
        return 0;
    uint64_t more = look->runs - share->runs, part = more <= 1 ? ready_ns : more == 2 ? ready_ns / 2 : 0;
    return part >= LOOK_READY_LEAST_NS ? part : 0;
}

static uint64_t take(uint64_t *carry, uint64_t least)
{
    uint64_t taken = *carry >= least ? *carry : 0;
    *carry -= taken;
    return taken;
}

struct wait_parts wait_share_look(struct wait_share *share, const struct observed_look *look, uint64_t waiting_ns,
                                  uint64_t ready_ns)
{
    bool waiting = look->state == LOOK_WAITING;
    uint32_t stack = look->stack;
    /* A look that could not read the stack knows it all the same, if it is still the same wait. */
    if (waiting && stack == OBSERVED_NO_STACK && knows_before(share) && look->runs == share->runs)
        stack = share->stack;
    uint64_t before = part_before(share, look, waiting_ns);
    uint64_t behind = ready_behind(share, look, ready_ns);
    struct wait_parts parts = {.before_ns = before, .before_ready_ns = behind, .before = share->stack, .here = stack};
    share->carry_ns += waiting_ns - before;
    share->carry_ready_ns += ready_ns - behind;
    if (waiting && stack != OBSERVED_NO_STACK) {
        parts.here_ns = take(&share->carry_ns, 0);
        parts.here_ready_ns = take(&share->carry_ready_ns, LOOK_READY_LEAST_NS);
        share->any = stack;
    }
    share->waiting = waiting;
    share->stack = waiting ? stack : OBSERVED_NO_STACK;
    share->runs = look->runs;
    return parts;
}

struct wait_parts wait_share_end(struct wait_share *share, uint64_t waiting_ns)
{
    struct wait_parts parts = {.here_ns = take(&share->carry_ns, 0) + waiting_ns, .here = share->any};
    parts.here_ready_ns = take(&share->carry_ready_ns, 0);
    share->waiting = false;
    share->stack = OBSERVED_NO_STACK;
    return parts;
}
