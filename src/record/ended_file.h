/* The file of a process that ended: what it recorded outlives it, in no more room than it needs, until it is the oldest data of
 * the session.
 *
 *     [markers][markers][markers] … [samples, and what all refer to]
 *      each goes when it is the oldest           goes last, as a whole
 *
 * Markers can be understood without each other. Samples cannot: a thread that waits has its stack where it began to, and rows
 * after that refer to it. A process states it anew before it throws that chunk away, and nobody does for one that ended. So its
 * samples go when the last of them is older than all other data. */
#ifndef SONDE_RECORD_ENDED_FILE_H
#define SONDE_RECORD_ENDED_FILE_H

#include "record/budget.h"

struct ended_file {
    struct budget_file share; /* a piece for each chunk of markers, and one for the rest */
    int pid;
    uint32_t image;
    size_t place;         /* the caller's */
    VEC(uint32_t) chunks; /* the numbers of the chunks, in the order of the pieces */
};

enum { ENDED_NAME_MAX = 40 };

/* PID-N.sonde */
void ended_file_name(char name[ENDED_NAME_MAX], int pid, uint32_t image);

/* The opposite: false where it is no such name. */
bool ended_file_read_name(const char *name, int *pid, uint32_t *image);

/* Disk space of a file of the folder; 0 where it is not there. */
uint64_t ended_file_bytes(int folder, int pid, uint32_t image);

struct ended_look {
    bool is_complete; /* the process has said that it will write no more */
    uint64_t taken;   /* what it took of the room of its session, in all */
    uint64_t bytes;   /* of disk space */
    bool is_new;      /* it was made, or changed, a moment ago */
};

/* What a process says in its file. False where it is no session file of that process. */
bool ended_file_look(int folder, int pid, uint32_t image, struct ended_look *look);

/* Whether nobody has the file open, or mapped, to write into it, in whatever container: the kernel knows. False also where it
 * does not say. */
bool ended_file_is_left(int folder, int pid, uint32_t image);

/* The opposite; and false, too, where the kernel does not say. A thread may be in the middle of a marker when another one ends
 * the recording: only when nobody has the file any more it can be trimmed. */
bool ended_file_is_written(int folder, int pid, uint32_t image);

/* Trims the file and looks at what is in it, which is nothing where its process was killed before it could write the header.
 * NULL where it is no session file of that process, or the heap is empty: then it is left as it is. */
struct ended_file *ended_file_open(int folder, int pid, uint32_t image, uint64_t now_ns);

/* Does on the disk what the budget has decided: throws the piece before share.next away; with the last one the file goes. */
void ended_file_cut(int folder, const struct ended_file *file);

void ended_file_remove(int folder, int pid, uint32_t image);

void ended_file_free(struct ended_file *file);

#endif
