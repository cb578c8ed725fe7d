/* Which blocks are sampled: a thread counts bytes down, and where its next sample is reached the slow path begins.
 *
 *     malloc(size)    size - 1 < spare?  spare -= size, and on to the real one         nearly always
 *                     else ─▶ take_begin() · the real one · take_end(): written down, and the next gap drawn
 *     free(block)     filter says 0?  on to the real one                               nearly always
 *                     else ─▶ note_free(): taken out of the live ones and written down · the real one
 *
 * What is freed is taken out before the real free, since another thread can get the address at once; what is allocated is put
 * in behind the real malloc, before anybody knows the address.
 *
 * A signal handler of the program that comes in between and allocates, too, is not sampled (the thread is inside); what it
 * frees is. errno is what the real function left. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_SAMPLER_H
#define SONDE_PRELOAD_ALLOCATIONS_SAMPLER_H

#include "preload_allocations/state.h"

#pragma GCC visibility push(hidden)

/* Around what must not be interrupted by itself. False: it is, and this is a signal handler that came in between. */
bool slow_path_enter(void);
void slow_path_leave(void);

/* The block is not sampled, so neither are there zero bytes, which count as one: those take the slow path. */
static inline bool take_is_passed(size_t size)
{
    if (__builtin_expect(size - 1 >= own.spare, 0))
        return false;
    own.spare -= size;
    return true;
}

/* One of so many bytes is about to be allocated. False: it is not to be sampled after all; else take_end() is called. */
bool take_begin(size_t size);
/* `block`: NULL where it could not be allocated. */
void take_end(void *block, size_t size);

/* Whether anything was taken, or passed, since then. */
struct take_state {
    uint64_t spare, taken;
};
static inline struct take_state take_state_now(void)
{
    return (struct take_state){own.spare, own.taken};
}
static inline bool take_is_unchanged(struct take_state before)
{
    return own.spare == before.spare && own.taken == before.taken;
}

/* It is certainly not a sampled one. */
static inline bool free_is_passed(const void *block)
{
    return __builtin_expect(!live_blocks_may_have(&live, (uintptr_t)block), 1);
}

/* The block (not NULL) is about to be freed. */
void note_free(void *block);

/* It is about to be reallocated, which may fail: it is taken out now, and written down or put back then. */
struct moved_block {
    uint64_t address, value, time;
    bool was_sampled;
};
struct moved_block move_begin(void *block);
void move_end(const struct moved_block *moved, bool is_freed);

/* From now on nobody will ask for anything: all that is left is the fast path. */
void sampler_rest(void);

#pragma GCC visibility pop

#endif
