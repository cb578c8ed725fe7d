/* The file of a process that ended: what it recorded outlives it, in no more disk space than it needs, until it is the oldest
 * data of the session.
 *
 *     [markers][markers][markers] … [samples, and what all refer to]
 *      each goes when it is the oldest           goes last, as a whole
 *
 * Markers do not refer to each other. Samples do: the stack of a waiting thread is written once, and later samples refer to it.
 * A live process writes the stack anew before it recycles that chunk; for an ended one nobody does. So its samples are evicted
 * together, when the last of them is older than all other data. */
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
    bool is_complete; /* the header says that the process writes no more */
    uint64_t taken;   /* what it took of the quota of its session, in all */
    uint64_t bytes;   /* of disk space */
    bool is_new;      /* it was made, or changed, a moment ago */
};

/* What a process says in its file. False where it is no session file of that process. */
bool ended_file_look(int folder, int pid, uint32_t image, struct ended_look *look);

/* Whether no process, in whatever container, has the file open or mapped for writing, as the kernel tells. False also where the
 * kernel does not tell. */
bool ended_file_is_left(int folder, int pid, uint32_t image);

/* Whether a process has it open or mapped for writing; false also where the kernel does not tell. A thread may be in the middle
 * of a marker when another one ends the recording: the file can be trimmed only when no process has it any more. */
bool ended_file_is_written(int folder, int pid, uint32_t image);

/* Trims the file and reads which chunks it has: none where its process was killed before it could write the header. NULL where
 * it is no session file of that process, or the heap is empty: then the file is left as it is. */
struct ended_file *ended_file_open(int folder, int pid, uint32_t image, uint64_t now_ns);

/* Evicts the piece before share.next, as the budget has decided, from the disk; after the last piece the file is removed. */
void ended_file_cut(int folder, const struct ended_file *file);

void ended_file_remove(int folder, int pid, uint32_t image);

void ended_file_free(struct ended_file *file);

#endif
