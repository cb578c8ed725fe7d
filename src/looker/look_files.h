/* The files of threads in /proc, of which a bounded number is kept open.
 *
 * To read a file that is open takes 0.4 µs, to open it twenty times as long; but a recorder may look at more threads than it
 * may have descriptors. So this is a cache of descriptors. After a look the files of the thread stay open while the limit of
 * descriptors allows it. At the limit, the files of the least recently used thread are evicted if it was not looked at for a
 * second. Otherwise the files of the new thread are opened and closed for each look: evicting files that are in use would
 * thrash. */
#ifndef SONDE_LOOKER_LOOK_FILES_H
#define SONDE_LOOKER_LOOK_FILES_H

#include "looker/look_thread.h"

#include <stddef.h>

/* /proc/PID: a process that ends and whose number is given to another is not mistaken for that as long as this is open. */
struct look_folder {
    pid_t pid;
    int fd; /* -1: not kept open */
};

struct look_descriptors {
    size_t most, open;                   /* allowed; in use, counted in full for each thread */
    struct look_thread *newest, *oldest; /* those whose files are kept open, by when they were looked at */
};

/* 0, or a negative errno. */
int look_folder_open(struct look_descriptors *descriptors, struct look_folder *folder, pid_t pid);
void look_folder_close(struct look_descriptors *descriptors, struct look_folder *folder);

/* Reads the file `name` of a thread into `out`, through `*fd`, which is opened where it is -1. What was read, or a negative
 * errno: -ESRCH when the thread is gone. */
ssize_t look_file_read(struct look_descriptors *descriptors, const struct look_folder *folder, const struct look_thread *thread,
                       int *fd, const char *name, char *out, size_t room);

/* To be called after a look: keeps the files of the thread open, or closes them. */
void look_files_settle(struct look_descriptors *descriptors, struct look_thread *thread, uint64_t now_ns);
void look_files_close(struct look_descriptors *descriptors, struct look_thread *thread);

#endif
