#include "ipc/starts.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SLOT_FREE, SLOT_CLAIMED, SLOT_TOLD, SLOT_WHAT = 3, SLOT_ONE_USE = 4 };

static bool change(_Atomic uint64_t *state, uint64_t from, uint64_t to, memory_order order)
{
    return atomic_compare_exchange_strong_explicit(state, &from, to, order, memory_order_relaxed);
}

/* --- processes ------------------------------------------------------------------------------------------------------- */

/* The slot, with its state as it is while it is ours; START_SLOTS = all are taken. */
static size_t claim(struct starts *starts, uint64_t *claimed)
{
    uint64_t teller = (uint32_t)getpid();
    size_t first = atomic_fetch_add_explicit(&starts->next, 1, memory_order_relaxed);
    for (size_t i = 0; i < START_SLOTS; i++) {
        size_t at = (first + i) % START_SLOTS;
        uint64_t state = atomic_load_explicit(&starts->states[at], memory_order_relaxed);
        *claimed = teller << 32 | (uint32_t)state | SLOT_CLAIMED;
        /* Acquire: the recorder has read what was in it. */
        if ((state & SLOT_WHAT) == SLOT_FREE && change(&starts->states[at], state, *claimed, memory_order_acquire))
            return at;
    }
    return START_SLOTS;
}

bool starts_tell(struct starts *starts, const struct start_notice *start)
{
    uint64_t claimed;
    size_t length = strnlen(start->path, START_PATH);
    size_t at = length < START_PATH ? claim(starts, &claimed) : START_SLOTS;
    if (at == START_SLOTS)
        return false;
    struct start_slot *slot = &starts->slots[at];
    slot->pid = start->pid;
    slot->image = start->image;
    slot->reason = start->reason;
    memcpy(slot->path, start->path, length + 1);
    /* Release: it is all there. Not so where it was given up meanwhile. */
    return change(&starts->states[at], claimed, claimed - SLOT_CLAIMED + SLOT_TOLD, memory_order_release);
}

/* --- the recorder ---------------------------------------------------------------------------------------------------- */

/* From a copy, which nobody changes while it is looked at. */
static void take_slot(const struct start_slot *shared, void (*take)(void *data, const struct start_notice *start), void *data)
{
    struct start_slot slot;
    memcpy(&slot, shared, sizeof slot);
    slot.path[START_PATH - 1] = '\0';
    take(data, &(struct start_notice){.pid = slot.pid, .image = slot.image, .reason = slot.reason, .path = slot.path});
}

static bool is_given_up(uint64_t state, uint8_t *looks)
{
    if (++*looks < START_LOOKS)
        return false;
    *looks = 0;
    int teller = (int)(state >> 32);
    return teller <= 0 || (kill(teller, 0) != 0 && errno == ESRCH);
}

/* Free, for the next use. */
static uint64_t next_use(uint64_t state)
{
    return (uint32_t)((uint32_t)state - state % SLOT_ONE_USE + SLOT_ONE_USE);
}

size_t starts_take(struct starts *starts, void (*take)(void *data, const struct start_notice *start), void *data)
{
    size_t taken = 0;
    for (size_t i = 0; i < START_SLOTS; i++) {
        /* Acquire: what its process wrote. */
        uint64_t state = atomic_load_explicit(&starts->states[i], memory_order_acquire), what = state & SLOT_WHAT;
        if (what == SLOT_FREE || (what == SLOT_CLAIMED && !is_given_up(state, &starts->looks[i])))
            continue;
        if (what == SLOT_TOLD) {
            take_slot(&starts->slots[i], take, data);
            taken++;
        }
        /* Release: we have read it. Where it was told in this moment it is taken next time. */
        starts->looks[i] = 0;
        (void)change(&starts->states[i], state, next_use(state), memory_order_release);
    }
    return taken;
}
