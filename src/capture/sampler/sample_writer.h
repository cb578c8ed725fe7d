/* Writes what a thread's handler found into a chunk that it has for that long.
 *
 *     previous SAMPLE   main  run  parse  read
 *     now               main  run  parse  token  next         →  SAMPLE shared = 3, token next
 *
 * Only frames that are not shared with the thread's previous sample in the same chunk are written: so it takes the chunk of its
 * last sample again, if no other thread has it at the moment. A chunk that is full is given back, and another one taken of
 * those that were supplied (session/supply.h); where there is none, the sample is lost, and its CPU time counts for the next
 * one.
 *
 * Async-signal-safe, without a system call: plain memory alone. */
#ifndef SONDE_CAPTURE_SAMPLER_SAMPLE_WRITER_H
#define SONDE_CAPTURE_SAMPLER_SAMPLE_WRITER_H

#include "capture/core/core.h"
#include "session/entry.h"
#include "stack/raw_stack.h"

/* What a thread remembers from sample to sample, and needs on the way. Untouched until its first one. */
struct sample_writer {
    const struct chunk *chunk; /* of its last sample: others may write it now; NULL = none */
    uint64_t generation;       /* of the session that it belongs to */
    uint64_t sequence;         /* of the use of the chunk in which the stack is: */
    uint32_t frame_count;
    struct frame_entry frames[STACK_FRAMES_MAX]; /* oldest first; their texts are in `text` */
    char text[RAW_TEXT_BYTES];
    struct frame_entry merged[STACK_FRAMES_MAX]; /* of the sample that is being written … */
    uint8_t bytes[ENTRY_MAX];                    /* … and its new frames, as they stand in the entry */
    struct raw_stack raw;                        /* for the handler */
};

/* What the handler found, besides the stack. */
struct sample_facts {
    uint32_t thread;
    uint8_t clock; /* enum sample_clock */
    bool in_call, in_fault;
    uint32_t ticks, skipped; /* see struct sample_entry */
};

/* In a handler, between live_enter_sample() and live_leave_sample(): the stack in writer->raw. */
void sample_write(struct sample_writer *writer, const struct live_session *session, const struct sample_facts *facts);

/* Of another thread, or of the parent of this process. */
static inline void sample_writer_forget(struct sample_writer *writer)
{
    writer->chunk = NULL;
}

#endif
