/* Writes what a thread's handler found into a chunk that only this thread writes.
 *
 *     previous SAMPLE   main  run  parse  read
 *     now               main  run  parse  token  next         →  SAMPLE shared = 3, token next
 *
 * Only frames that are not shared with the thread's previous sample in the same chunk are written. A chunk that is full is
 * given back, and the next one taken of those that were supplied (session/supply.h); where there is none, the sample is lost,
 * and its CPU time counts for the next one.
 *
 * Async-signal-safe, without a system call: plain memory alone. */
#ifndef SONDE_CAPTURE_SAMPLER_SAMPLE_WRITER_H
#define SONDE_CAPTURE_SAMPLER_SAMPLE_WRITER_H

#include "capture/core/live_session.h"
#include "session/entry.h"
#include "stack/raw_stack.h"

/* What a thread remembers from sample to sample, and needs on the way. Untouched until its first one. */
struct sample_writer {
    struct chunk *chunk; /* NULL = none */
    uint64_t generation; /* of the session that it belongs to */
    bool has_stack;      /* of its last sample, in this chunk: */
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
    bool in_call;
    uint32_t skipped; /* ticks */
};

/* In a handler, between live_enter_sample() and live_leave_sample(): the stack in writer->raw. */
void sample_write(struct sample_writer *writer, const struct live_session *session, const struct sample_facts *facts);

/* On the thread itself, which has no clock any more, or with none of its handlers running: the chunk goes to another thread. */
void sample_writer_end(struct sample_writer *writer, struct chunk_manager *chunks, uint64_t generation, uint64_t now_ns);

/* In a forked child: it is the parent's. */
static inline void sample_writer_forget(struct sample_writer *writer)
{
    writer->chunk = NULL;
    writer->has_stack = false;
}

#endif
