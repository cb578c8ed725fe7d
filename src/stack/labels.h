/* The label stack of a thread: what the program says it is doing.
 *
 * The thread pushes and pops; its own signal handler reads, so plain program order is enough for the handler, and a signal
 * fence keeps the compiler from reordering: a frame is filled in before `depth` counts it. */
#ifndef SONDE_STACK_LABELS_H
#define SONDE_STACK_LABELS_H

#include "sonde/api.h"

#include <stdatomic.h>
#include <stdint.h>

enum { LABEL_STACK_ROOM = 256 };

struct label_frame {
    const char *label;   /* static, never NULL */
    const char *dynamic; /* may be NULL; lives as long as the frame */
    const void *stack_address;
    sonde_category category;
    uint32_t flags; /* SONDE_LABEL_… */
};

struct label_stack {
    _Atomic uint32_t depth; /* may be above LABEL_STACK_ROOM: deeper labels are counted but not kept */
    struct label_frame frames[LABEL_STACK_ROOM];
};

/* Right behind the labels of a thread stands the address of the interpreter that its V8 has for itself (struct v8_interpreter),
 * for who looks from outside and knows the address of the labels alone; 0 = none. */
static inline uint64_t label_stack_interpreter_at(uint64_t labels)
{
    return labels + sizeof(struct label_stack);
}

/* The sampler reads the labels of a thread that is blocked, and finds out afterwards whether it was all the time. So what it
 * reads may be half written, and is thrown away then; relaxed, field by field, it is no race. */
static inline void label_frame_store(struct label_frame *frame, struct label_frame value)
{
    __atomic_store_n(&frame->label, value.label, __ATOMIC_RELAXED);
    __atomic_store_n(&frame->dynamic, value.dynamic, __ATOMIC_RELAXED);
    __atomic_store_n(&frame->stack_address, value.stack_address, __ATOMIC_RELAXED);
    __atomic_store_n(&frame->category, value.category, __ATOMIC_RELAXED);
    __atomic_store_n(&frame->flags, value.flags, __ATOMIC_RELAXED);
}

#endif
