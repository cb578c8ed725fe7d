/* How the two libraries in a program whose allocations are recorded know each other: libsonde-allocations, which stands in
 * front of malloc() and its relatives and decides what is sampled, and libsonde-preload, which writes it down.
 *
 *     libsonde-allocations                       libsonde-preload
 *     malloc() … free()                          capture/allocations/
 *        │ a block is sampled, or freed
 *        └────────── struct allocation_recorder ────▶ ALLOCATION, FREE, … in the thread's chunk
 *        ◀────────── struct allocation_library ────── a session begins; which blocks are live
 *
 * libsonde-preload looks for SONDE_ALLOCATION_LIBRARY when it begins, before any code of the program. */
#ifndef SONDE_ALLOCATIONS_LIBRARY_H
#define SONDE_ALLOCATIONS_LIBRARY_H

#include "allocations/live_blocks.h"
#include "allocations/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SONDE_ALLOCATION_LIBRARY "sonde_allocations_1"

struct sampled_block {
    uint64_t time, address, size, mean;
    uint64_t bytes; /* that the thread has allocated since its last one, this one with them */
    bool is_mapped;
    bool is_repeated; /* it was live already: its free was missed */
};

/* A sample or a free that took longer was interrupted: the kernel gave the CPU to somebody else. */
enum { ALLOCATION_LONGEST_NS = 50000 };
static inline uint64_t allocation_cost(uint64_t ns)
{
    return ns < ALLOCATION_LONGEST_NS ? ns : ALLOCATION_LONGEST_NS;
}

/* Of a heap that a runtime manages itself, by sampling of its own. Nobody is told when it is gone. */
struct sampled_object {
    uint64_t time, size, mean;
    const char *class_name; /* empty = not known */
};

enum allocation_outcome {
    ALLOCATION_WRITTEN,
    ALLOCATION_LOST,     /* there was no room for it */
    ALLOCATION_UNWANTED, /* nothing is recorded at the moment, or not of this thread */
};

/* Offered by libsonde-preload. Each may be called at any time on any thread, also in a signal handler of the program or where
 * the program holds locks; none allocates, or waits for who does, and all leave errno alone. */
struct allocation_recorder {
    size_t size;
    const char *start, *end; /* where libsonde-preload is: what it maps is not the program's */
    /* Nanoseconds: those of sessions. */
    uint64_t (*now)(void);
    /* CPU time of the calling thread, or of the process, in nanoseconds; 0: not to be had. */
    uint64_t (*thread_cpu)(void);
    uint64_t (*process_cpu)(void);
    /* A block has been allocated, with the stack of the calling thread. */
    enum allocation_outcome (*sampled)(const struct sampled_block *block);
    /* … was freed at this time. False: nothing is recorded. */
    bool (*freed)(uint64_t address, uint64_t time);
    /* Of every block, for who wants all. */
    void (*allocated)(uint64_t address, uint64_t size);
    void (*freed_any)(uint64_t address, uint64_t time);
    /* An object of Java has been allocated. */
    enum allocation_outcome (*object)(const struct sampled_object *object);
    /* Pages are no more mapped. */
    void (*unmapped)(uint64_t address, uint64_t size, uint64_t time);
    /* One that was sampled found no place among those that are live. */
    void (*lost)(void);
};

/* Where blocks come from. */
struct allocator_facts {
    char path[512];  /* of the module whose malloc is called; empty = not known */
    bool is_unseen;  /* the program has an allocator in its own file, or one that checks memory */
    bool is_checked; /* … the latter, which is left alone with all that it does */
};

/* Offered by libsonde-allocations. */
struct allocation_library {
    size_t size;
    const char *start, *end; /* where it is: its frames are not the program's */
    struct live_blocks *live;
    void (*describe)(struct allocator_facts *facts);
    /* A session begins, or (NULL) is over. */
    void (*begin)(const struct allocation_recorder *recorder, const struct allocation_plan *plan);
    /* This is a forked child: nothing is live that was sampled here. */
    void (*forked)(void);
};

#endif
