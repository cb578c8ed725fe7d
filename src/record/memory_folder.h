/* The folder of the machine whose files are memory, and when a session may lie there.
 *
 * A short process costs the disk's file system more than it records: a file is made, its first page is allocated, and it is
 * removed again. Files in memory cost a tenth of that, but what is in them stays in memory until it is removed. */
#ifndef SONDE_RECORD_MEMORY_FOLDER_H
#define SONDE_RECORD_MEMORY_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_FOLDER "/dev/shm"

/* Whether a session of up to `limit_bytes` may lie in it: it has room for two of them, all are not more than a quarter of the
 * memory that is free and that this process may have (its control groups), and nobody clears the folder while it runs.
 * `root` is where the machine's files are: "", or the folder that a test made. */
bool memory_folder_suits(const char *root, uint64_t limit_bytes);

#endif
