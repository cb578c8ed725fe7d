/* Which wait the waiting time of a window was spent in.
 *
 * `runs` counts how often the thread got a CPU. From one look to the next:
 *
 *     runs        found waiting                       found running
 *     the same    the same wait                       it was just woken: the wait before
 *     1 more      one wait ended, another began       the wait before has just ended
 *     2 more      or there was a third in between     the wait before, or one that nobody saw
 *     more        many waits, of which this is one    nobody knows: the next wait that is seen
 *
 * Where there were two waits and only the sum is known, each gets half. */
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

struct wait_parts wait_share_look(struct wait_share *share, const struct observed_look *look, uint64_t waiting_ns)
{
    bool waiting = look->state == LOOK_WAITING;
    uint32_t stack = look->stack;
    /* A look that could not read the stack knows it all the same, if it is still the same wait. */
    if (waiting && stack == OBSERVED_NO_STACK && knows_before(share) && look->runs == share->runs)
        stack = share->stack;
    uint64_t before = part_before(share, look, waiting_ns);
    struct wait_parts parts = {.before_ns = before, .before = share->stack, .here = stack};
    share->carry_ns += waiting_ns - before;
    if (waiting && stack != OBSERVED_NO_STACK) {
        parts.here_ns = share->carry_ns;
        share->carry_ns = 0;
        share->any = stack;
    }
    share->waiting = waiting;
    share->stack = waiting ? stack : OBSERVED_NO_STACK;
    share->runs = look->runs;
    return parts;
}

struct wait_parts wait_share_end(struct wait_share *share, uint64_t waiting_ns)
{
    struct wait_parts parts = {.here_ns = share->carry_ns + waiting_ns, .here = share->any};
    share->carry_ns = 0;
    share->waiting = false;
    share->stack = OBSERVED_NO_STACK;
    return parts;
}
