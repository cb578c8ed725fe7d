#include "looker/look_policy.h"

#include "common/vec.h"

enum {
    AVERAGED_NS = 1000000000, /* costs older than this count less than half */
    FIRST_SLOW_NS = 10000000, /* so much time is taken to have cost nothing at first, so that one round is not all there is */
    ROUND_MOST_NS = 20000000, /* rounds are no further apart because of the stretch */
};

/* --- chance -------------------------------------------------------------------------------------------------------------- */

/* SplitMix64; good enough to be in step with nobody. */
static uint64_t random_next(struct look_policy *policy)
{
    uint64_t word = policy->random += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

/* Uniform in from … from + range. */
static uint64_t random_between(struct look_policy *policy, uint64_t from, uint64_t range)
{
    return range ? from + random_next(policy) % (range + 1) : from;
}

/* --- the heap: the smallest due time is its root ------------------------------------------------------------------------- */

static void put(struct look_policy *policy, size_t at, struct look_turn *turn)
{
    policy->heap[at] = turn;
    turn->place_plus_1 = at + 1;
}

static void sift_up(struct look_policy *policy, size_t at, struct look_turn *turn)
{
    while (at > 0 && policy->heap[(at - 1) / 2]->due > turn->due) {
        put(policy, at, policy->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(policy, at, turn);
}

static void sift_down(struct look_policy *policy, size_t at, struct look_turn *turn)
{
    for (size_t child; (child = 2 * at + 1) < policy->count; at = child) {
        if (child + 1 < policy->count && policy->heap[child + 1]->due < policy->heap[child]->due)
            child++;
        if (policy->heap[child]->due >= turn->due)
            break;
        put(policy, at, policy->heap[child]);
    }
    put(policy, at, turn);
}

static void set_due(struct look_policy *policy, struct look_turn *turn, uint64_t due)
{
    size_t at = turn->place_plus_1 - 1;
    bool later = due > turn->due;
    turn->due = due;
    if (later)
        sift_down(policy, at, turn);
    else
        sift_up(policy, at, turn);
}

/* --- threads ------------------------------------------------------------------------------------------------------------- */

void look_policy_init(struct look_policy *policy, uint64_t mean_ns, uint64_t seed, uint64_t now_ns)
{
    *policy = (struct look_policy){.mean_ns = mean_ns ? mean_ns : LOOK_MEAN_NS,
                                   .random = seed,
                                   .now_ns = now_ns,
                                   .stretch = 1,
                                   .slow_spent_ns = FIRST_SLOW_NS,
                                   .credit_ns = LOOK_BURST_NS,
                                   .round_ns = now_ns};
}

void look_policy_free(struct look_policy *policy)
{
    memory_release(policy->heap);
    policy->heap = NULL;
    policy->count = policy->capacity = 0;
}

/* The slow clock goes on; but not while somebody is due and has to wait: then it would run ahead of the looks, and what they
 * cost would seem less than it is. */
static void advance(struct look_policy *policy, uint64_t now_ns)
{
    if (now_ns <= policy->now_ns)
        return;
    if (policy->count > 0 && policy->heap[0]->due <= policy->slow_ns) {
        policy->now_ns = now_ns;
        return;
    }
    double slow = (double)(now_ns - policy->now_ns) / policy->stretch + policy->slow_rest;
    uint64_t whole = (uint64_t)slow;
    policy->slow_ns += whole;
    policy->slow_rest = slow - (double)whole;
    policy->now_ns = now_ns;
}

bool look_policy_add(struct look_policy *policy, struct look_turn *turn, uint64_t now_ns)
{
    advance(policy, now_ns);
    if (policy->count == policy->capacity) {
        struct look_turn **grown = vec_grown(policy->heap, &policy->capacity, policy->count + 1, sizeof *policy->heap);
        if (!grown)
            return false;
        policy->heap = grown;
    }
    /* Not at once: threads that begin together are not to be looked at together. */
    *turn = (struct look_turn){.due = policy->slow_ns + random_between(policy, 0, policy->mean_ns)};
    sift_up(policy, policy->count++, turn);
    return true;
}

void look_policy_remove(struct look_policy *policy, struct look_turn *turn)
{
    if (turn->place_plus_1 == 0)
        return;
    size_t at = turn->place_plus_1 - 1;
    struct look_turn *last = policy->heap[--policy->count];
    turn->place_plus_1 = 0;
    if (last == turn)
        return;
    if (last->due > turn->due)
        sift_down(policy, at, last);
    else
        sift_up(policy, at, last);
}

bool look_policy_next(struct look_policy *policy, uint64_t now_ns, struct look_turn **turn)
{
    advance(policy, now_ns);
    if (policy->now_ns - policy->round_ns >= LOOK_ROUND_NS)
        policy->round_looks = 0;
    if (policy->count == 0 || policy->heap[0]->due > policy->slow_ns || policy->round_looks >= LOOK_ROUND_LOOKS)
        return false;
    if (policy->round_looks++ == 0)
        policy->round_ns = policy->now_ns;
    *turn = policy->heap[0];
    return true;
}

/* --- what a look found --------------------------------------------------------------------------------------------------- */

static uint64_t backoff(struct look_policy *policy, uint64_t waited_ns)
{
    uint64_t distance = waited_ns / LOOK_BACKOFF;
    if (distance < policy->mean_ns)
        distance = policy->mean_ns;
    if (distance > LOOK_BACKOFF_MOST_NS)
        distance = LOOK_BACKOFF_MOST_NS;
    return random_between(policy, distance / 4 * 3, distance / 4);
}

bool look_policy_taken(struct look_policy *policy, struct look_turn *turn, const struct look *look)
{
    bool ran = !turn->seen || look->runs != turn->runs || look->cpu_ns != turn->cpu_ns;
    bool waiting = look->state == LOOK_WAITING;
    bool same = waiting && turn->waiting && !ran;
    uint64_t waited = same && look->time_ns > turn->wait_start_ns ? look->time_ns - turn->wait_start_ns : 0;
    uint64_t since_row = waited - turn->row_waited_ns;
    bool row = same ? since_row >= LOOK_ROW_LEAST_NS && since_row >= turn->row_waited_ns / 4 : ran || waiting;
    if (!same)
        turn->wait_start_ns = look->time_ns;
    if (row)
        turn->row_waited_ns = waited;
    turn->seen = true;
    turn->waiting = waiting;
    turn->runs = look->runs;
    turn->cpu_ns = look->cpu_ns;
    uint64_t distance = same ? backoff(policy, waited) : random_between(policy, policy->mean_ns / 2, policy->mean_ns);
    set_due(policy, turn, policy->slow_ns + distance);
    return row;
}

uint64_t look_policy_wake(const struct look_policy *policy)
{
    if (policy->count == 0)
        return UINT64_MAX;
    uint64_t due = policy->heap[0]->due, wake = policy->now_ns;
    if (due > policy->slow_ns)
        wake += (uint64_t)((double)(due - policy->slow_ns) * policy->stretch) + 1;
    /* Those who were left over in the last round are not kept waiting for long. */
    double apart = due > policy->slow_ns ? LOOK_ROUND_NS * policy->stretch : LOOK_ROUND_NS;
    uint64_t next_round = policy->round_ns + (apart < ROUND_MOST_NS ? (uint64_t)apart : ROUND_MOST_NS);
    if (policy->credit_ns < 0 && policy->spent_at_ns + (uint64_t)(-policy->credit_ns * LOOK_BUDGET) > next_round)
        next_round = policy->spent_at_ns + (uint64_t)(-policy->credit_ns * LOOK_BUDGET);
    return wake > next_round ? wake : next_round;
}

/* --- the budget ---------------------------------------------------------------------------------------------------------- */

/* What the looks cost for each nanosecond of the slow clock is what they would cost without a stretch, however long that is
 * now. So the stretch that is needed follows from it at once, and does not swing. */
void look_policy_spent(struct look_policy *policy, uint64_t now_ns, uint64_t cpu_ns)
{
    advance(policy, now_ns);
    if (policy->has_spent && now_ns > policy->spent_at_ns && cpu_ns >= policy->cpu_at_ns) {
        double passed = (double)(now_ns - policy->spent_at_ns), kept = AVERAGED_NS / (AVERAGED_NS + passed);
        policy->spent_ns = policy->spent_ns * kept + (double)(cpu_ns - policy->cpu_at_ns);
        policy->slow_spent_ns = policy->slow_spent_ns * kept + (double)(policy->slow_ns - policy->slow_at_ns);
        double needed = policy->spent_ns * LOOK_BUDGET / policy->slow_spent_ns;
        double credit = policy->credit_ns + passed / LOOK_BUDGET;
        policy->credit_ns = (credit < LOOK_BURST_NS ? credit : LOOK_BURST_NS) - (double)(cpu_ns - policy->cpu_at_ns);
        policy->stretch = needed < 1 ? 1 : needed > LOOK_STRETCH_MOST ? LOOK_STRETCH_MOST : needed;
    }
    policy->has_spent = true;
    policy->round_looks = 0;
    policy->spent_at_ns = now_ns;
    policy->cpu_at_ns = cpu_ns;
    policy->slow_at_ns = policy->slow_ns;
}
