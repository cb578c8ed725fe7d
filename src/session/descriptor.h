/* File descriptors in somebody else's process. */
#ifndef SONDE_SESSION_DESCRIPTOR_H
#define SONDE_SESSION_DESCRIPTOR_H

#include <stdint.h>

enum { DESCRIPTOR_LOWEST = 1000 };

/* Moves `fd` up to where programs do not count: one that closes 0 and opens a file relies on getting 0. Returns the new
 * descriptor (close-on-exec), or `fd` itself where there is no room above. Negative ones stay as they are. */
int descriptor_move_up(int fd);

/* One that is kept for long. The program may close it, as daemons close all they do not know, and then gets its number for a
 * file of its own. */
struct descriptor {
    int fd; /* -1 = none */
    uint64_t device, inode;
};
#define DESCRIPTOR_NONE ((struct descriptor){.fd = -1})

/* Moves it up, and notes what it leads to. */
struct descriptor descriptor_keep(int fd);

/* To be used at once; -1 where there is none, or it is the program's by now. */
int descriptor_get(const struct descriptor *descriptor);

void descriptor_close(struct descriptor *descriptor);

#endif
