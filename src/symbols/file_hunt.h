/* Looking for one ELF file in one place after the other, until one is the file that is meant. */
#ifndef SONDE_SYMBOLS_FILE_HUNT_H
#define SONDE_SYMBOLS_FILE_HUNT_H

#include "symbols/elf_file.h"
#include "symbols/request.h"

struct file_hunt {
    const struct symbol_search *search;
    /* Which file is meant: */
    struct slice build_id; /* the one it has; empty = unknown */
    const uint32_t *crc;   /* where there is no build id: the checksum of its bytes; NULL = unknown */
    const char *has;       /* sections of which it has at least one, each with a NUL behind it, and one more; NULL = any file */
    const char *kind;      /* what to call it in `outcome` */
    struct elf_file *found; /* the caller's */
    /* What was wrong with files under the right name: only the first is told. May be NULL. */
    struct symbol_outcome *outcome;
    int result; /* 0 or -ENOMEM */
};

/* Looks at one path, in `root` unless that is NULL; paths that are too long are passed over. True ends the hunt: the file was
 * found, or memory ran out. */
bool file_hunt_try(struct file_hunt *hunt, const char *root, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Under its build id, as `folder/.build-id/xx/yyyy` and what follows; the first 16 bytes of it are enough. */
bool file_hunt_try_build_id(struct file_hunt *hunt, const char *root, const char *folder, const char *suffix);

/* Among what the client of debuginfod downloaded. */
bool file_hunt_try_debuginfod(struct file_hunt *hunt);

/* At a path of the recorded machine: in the folders of the search, in the root of the recorded process, on this machine. */
bool file_hunt_try_recorded(struct file_hunt *hunt, struct slice path, const char *suffix);

/* `debug_folder` of the search or its default. */
const char *file_hunt_debug_folder(const struct file_hunt *hunt);

/* "dir" of "dir/name", without the slash; "." of "name". */
struct slice path_folder(struct slice path);
struct slice path_name(struct slice path);

/* For "%.*s". */
#define PATH_ARGUMENT(slice_) (int)(slice_).length, (slice_).text

#endif
