/* The file of a session: its name, its disk space, its mappings.
 *
 * The program may close our descriptor (many close all they do not know) and the number may then be another file. So every use
 * looks first whether it still is ours, and otherwise opens the file again by its path.
 *
 * A thread may have a table of descriptors of its own. Then it alone keeps one, and others open the file for each call.
 *
 * Functions return 0 or a negative errno. */
#ifndef SONDE_SESSION_CHUNK_FILE_H
#define SONDE_SESSION_CHUNK_FILE_H

#include "common/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct chunk_file {
    int fd;
    int owner;    /* the thread that has it in a table of its own; 0 = all may use it */
    dev_t device; /* these two tell our file from others */
    ino_t inode;
    unsigned image; /* N of PID-N.sonde */
    bool moves;     /* the file system writes pages to new places: see chunk_file_has_room */
    bool in_memory; /* the file system is */
    char path[PATH_MAX];
};

/* PID-IMAGE.sonde; false where there is no room for it. */
bool chunk_file_name(char *out, size_t room, unsigned pid, unsigned image);

/* Makes FOLDER/NAME, or (NULL) FOLDER/PID-N.sonde with the first N that is free; empty. `own_table`: the descriptors of the
 * calling thread are its own.
 */
int chunk_file_create(struct chunk_file *file, const char *folder, const char *name, int pid, bool own_table,
                      struct error *error);

/* One that is there, by a descriptor that can be written, which is closed with it. */
void chunk_file_attach(struct chunk_file *file, int fd);

/* Of a new one: makes it so long, with disk space for so many bytes at its start, and maps it. */
int chunk_file_begin(struct chunk_file *file, size_t length, size_t reserved, void **bytes);

/* Makes sure that there is disk space for these bytes of the file. Writing to a mapping of them later cannot fail. */
int chunk_file_reserve(struct chunk_file *file, uint64_t offset, uint64_t length);

/* False where writing to what is reserved could fail all the same: the file system gives no such promise, and the disk is
 * almost full. To be asked before a chunk is used again. */
bool chunk_file_has_room(struct chunk_file *file);

/* Copies bytes that may have no disk space, which are zeros then. To read them in a mapping can take disk space, and is the end
 * of the process where there is none. */
bool chunk_file_read(struct chunk_file *file, uint64_t offset, void *out, size_t length);

/* Gives the disk space of these bytes back; they are then zeros. */
void chunk_file_release(struct chunk_file *file, uint64_t offset, uint64_t length);

/* Is it an error that says there is no room on the disk (or no leave to use more)? */
bool chunk_file_is_full(int error);

void chunk_file_unmap(void *bytes, size_t length);

void chunk_file_close(struct chunk_file *file);

#endif
