/* The recordings of a folder, for commands that are called without a FILE. */
#ifndef SONDE_CLI_RECORDINGS_H
#define SONDE_CLI_RECORDINGS_H

#include "cli/terminal.h"
#include "import/profile_head.h"

#include <time.h>

enum { RECORDINGS_MOST = 50 };

struct recording_file {
    char *name;
    struct timespec written;
    bool is_session; /* a folder, which says nothing of itself before it is read */
    struct profile_head head;
};

/* Newest first: profiles by their names (.json, .cpuprofile, .folded, .collapsed; plain, .gz or .zst), and folders with a
 * session. Of .json only what says that it is a profile. */
struct recordings {
    struct recording_file items[RECORDINGS_MOST];
    size_t count;
};

/* 0, or a negative errno where the folder cannot be read. */
int recordings_find(const char *folder, struct recordings *recordings);
void recordings_free(struct recordings *recordings);

/* A table of the first ones on standard output. False when the heap is empty. */
bool recordings_print(const struct recordings *recordings);

#endif
