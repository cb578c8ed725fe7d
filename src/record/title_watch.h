/* The command line of a process, read from outside now and then: programs set titles that `ps` shows by changing it.
 *
 *     nginx: worker process          postgres: checkpointer
 *
 * The first reading is 20 ms after the first call, so that short processes cost nothing; the others become rarer, down to one
 * a second. */
#ifndef SONDE_RECORD_TITLE_WATCH_H
#define SONDE_RECORD_TITLE_WATCH_H

#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TITLE_WATCH_BYTES = 512 }; /* of a command line; the rest is not read */

struct title_watch { /* zeros at the beginning */
    uint64_t due_ns, pause_ns;
    uint64_t hash; /* of what was returned last; 0 = nothing */
    unsigned changes;
};

/* True with the command line, its words separated by NUL, in `room`, where it has changed since it was last returned.
 * A program that changes it all the time is listened to some times only, and then with `is_last`. */
bool title_watch_read(struct title_watch *watch, pid_t pid, uint64_t now_ns, bool is_last, char room[TITLE_WATCH_BYTES],
                      struct slice *arguments);

#endif
