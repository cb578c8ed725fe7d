/* The file of a process of which there is nothing to say yet but that it is there, and maybe never will be.
 *
 * A session file like any other, with one CHUNK_KEPT that says who the process is. But nothing is mapped or kept open: it is
 * written at once, and again when the process ends, which costs a tenth of a session. A chunk manager can take it over and
 * write on. */
#ifndef SONDE_SESSION_BRIEF_FILE_H
#define SONDE_SESSION_BRIEF_FILE_H

#include "session/chunk_file.h"
#include "session/chunk_manager.h"

struct brief_file {
    bool is_there;
    uint64_t taken; /* from the room of the session: room.h */
    size_t written; /* bytes at the start of the file; behind them there are only zeros */
    struct chunk_file file;
};

/* Before the first entry is put into a chunk that is all zero: how much of it a brief file can have. */
void brief_file_limit(struct chunk *chunk);

/* The disk space of a file with what is in the chunk. */
uint64_t brief_file_bytes(const struct chunk *chunk);

/* Makes FOLDER/PID-N.sonde with the first N that is free. 0 or a negative errno, with `error` filled: then there is none. */
int brief_file_create(struct brief_file *brief, const struct chunk_manager_options *options, struct chunk *chunk,
                      uint64_t taken, struct error *error);

/* The process ended, or is about to become another program; or not, after all (SESSION_RECORDING, 0). */
void brief_file_say(struct brief_file *brief, enum session_state state, uint64_t end_ns);

/* There is a chunk manager now, which has this file. */
void brief_file_hand_over(struct brief_file *brief, struct chunk_file *file, bool own_table);

#endif
