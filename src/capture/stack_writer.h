/* Writes the entries of CHUNK_SAMPLES, and of stacks only what is new.
 *
 *     previous STACK   main  run  parse  read
 *     now              main  run  parse  token  next         →  STACK shared = 3, token next
 *
 * Each thread's last stack is kept in its registration, to compare with, and to be written anew: as a whole where a new chunk
 * begins, and before the chunk that holds it is recycled. A stack that did not change is not written at all. */
#ifndef SONDE_CAPTURE_STACK_WRITER_H
#define SONDE_CAPTURE_STACK_WRITER_H

#include "capture/registration.h"
#include "session/chunk_manager.h"
#include "session/entry.h"

struct stack_writer {
    struct chunk_manager *chunks;
    struct chunk *chunk;                         /* NULL = none: there was no room */
    uint8_t frames[ENTRY_MAX];                   /* frames on their way into an entry */
    struct frame_entry merged[STACK_FRAMES_MAX]; /* for whoever calls, to have its frames in */
};

/* Any entry; takes a new chunk when the old one is full. False when there is no room, which is counted. `now_ns` as for
 * chunk_manager_take(). */
bool stack_writer_put(struct stack_writer *writer, uint64_t now_ns, size_t max,
                      size_t (*write)(uint8_t *out, size_t room, const void *entry), const void *entry);

/* The thread's stack from now on. Texts are copied into the registration. */
bool stack_writer_stack(struct stack_writer *writer, uint64_t now_ns, struct registration *thread,
                        const struct frame_entry *frames, size_t count, bool truncated);

/* Writes the thread's stack anew if it stands in a chunk up to `victim` (chunk_manager_next_victim()). */
void stack_writer_restate(struct stack_writer *writer, uint64_t now_ns, struct registration *thread, uint64_t victim);

/* Gives the chunk back. */
void stack_writer_end(struct stack_writer *writer, uint64_t now_ns);

#endif
