/* What a look at a thread finds, before it is merged into one stack (merge.h).
 *
 * The thread itself fills it in, in the signal handler or when a marker asks for its stack: everything is copied, because
 * labels may be popped and strings freed as soon as the thread runs on. A handler has no room and no allocator, so each part
 * has its limit; what does not fit is cut and said so. */
#ifndef SONDE_STACK_RAW_STACK_H
#define SONDE_STACK_RAW_STACK_H

#include "session/entry.h"
#include "sonde/api.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    RAW_LABELS_MAX = 256,
    RAW_RUNTIME_MAX = 1024,
    RAW_TEXT_BYTES = 16 << 10,
    RAW_COPY_BYTES = UNWIND_COPY_BYTES,
    RAW_NOTES_BYTES = 72 << 10
};

struct raw_text {
    uint32_t start, length; /* in raw_stack.text */
};

struct raw_label {
    uint64_t stack_address;
    struct raw_text text; /* label and dynamic string joined as they are shown */
    uint32_t category, flags;
};

struct raw_runtime_frame {
    uint64_t stack_address, stack_end;
    struct raw_text function, file;
    uint32_t line, column, category;
    bool javascript;
    uint8_t runtime, tier; /* runtime != 0: by number, without texts (FRAME_NUMBERED) */
    uint32_t position;
    uint64_t number;
};

struct raw_stack {
    uint64_t time; /* clock_now() */
    uint64_t event_delay_ns;
    bool has_event_delay;
    bool cut; /* labels, runtime frames or texts did not fit */
    enum unwind_end end;
    uint32_t native_count, label_count, runtime_count, text_used;
    struct unwind_frame native[STACK_FRAMES_MAX];      /* youngest first */
    struct raw_label labels[RAW_LABELS_MAX];           /* oldest first */
    struct raw_runtime_frame runtime[RAW_RUNTIME_MAX]; /* youngest first */
    char text[RAW_TEXT_BYTES];
    uint8_t copy[RAW_COPY_BYTES];                      /* for unwind_memory */
    struct sonde_runtime_frame given[RAW_RUNTIME_MAX]; /* what the runtime fills in, before its texts are copied */
    /* What walkers of runtimes (runtime/) remember from look to look; zeros at the beginning. */
    _Alignas(8) uint8_t notes[RAW_NOTES_BYTES];
};

/* The native stack is one frame: where the thread is. */
static inline void raw_stack_set_pc(struct raw_stack *raw, const struct unwind_registers *registers, enum unwind_end end)
{
    raw->native[0] =
        (struct unwind_frame){.pc = registers->value[UNWIND_PC], .sp = registers->value[UNWIND_SP] & INT64_MAX, .exact = true};
    raw->native_count = 1;
    raw->end = end;
}

static inline bool raw_frame_is_in(const struct unwind_frame *frame, const char *start, const char *end)
{
    return frame->pc >= (uintptr_t)start && frame->pc < (uintptr_t)end;
}

/* A stack that a thread takes of itself, or behind a system call of our own, begins with frames of the library at start … end,
 * which are not the program's business. True: the youngest frame is at a return address now. */
static inline bool raw_stack_drop_own(struct raw_stack *raw, const char *start, const char *end)
{
    uint32_t own = 0;
    while (own < raw->native_count && raw_frame_is_in(&raw->native[own], start, end))
        own++;
    raw->native_count -= own;
    memmove(raw->native, raw->native + own, raw->native_count * sizeof *raw->native);
    return own > 0;
}

#endif
