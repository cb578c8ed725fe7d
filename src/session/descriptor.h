/* File descriptors in somebody else's process. */
#ifndef SONDE_SESSION_DESCRIPTOR_H
#define SONDE_SESSION_DESCRIPTOR_H

/* Moves `fd` up to where programs do not count: one that closes 0 and opens a file relies on getting 0. Returns the new
 * descriptor (close-on-exec), or `fd` itself where there is no room above. Negative ones stay as they are. */
int descriptor_move_up(int fd);

#endif
