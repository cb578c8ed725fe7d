/* Opening a file as a process with another root sees it. */
#ifndef SONDE_SYMBOLS_ROOT_OPEN_H
#define SONDE_SYMBOLS_ROOT_OPEN_H

/* For reading. `root` NULL = this machine's; else paths, and the links on the way, are as in that root. -1 with errno. */
int root_open(const char *root, const char *path);

#endif
