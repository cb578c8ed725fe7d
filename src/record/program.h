/* The file that a command line would run: where it is, and whether a library can be loaded into it.
 *
 * The dynamic linker loads the library into a program that is recorded. A program without a dynamic linker, or with one that
 * has to ignore LD_PRELOAD, cannot be recorded, which is reported before it runs. */
#ifndef SONDE_RECORD_PROGRAM_H
#define SONDE_RECORD_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Where execvp would find `name`, with the folders of `search` ($PATH; NULL = the system's default). 0, -ENOENT, or why it
 * cannot be run. */
int program_find(const char *name, const char *search, char path[PATH_MAX]);

enum program_kind {
    PROGRAM_RECORDABLE,
    PROGRAM_UNKNOWN,    /* the file cannot be read: it may be recordable */
    PROGRAM_STATIC,     /* statically linked */
    PROGRAM_PRIVILEGED, /* setuid, setgid or with capabilities: its linker ignores LD_PRELOAD */
    PROGRAM_FOREIGN,    /* for another CPU, or 32-bit */
    PROGRAM_OTHER_LIBC, /* linked against musl: the library is loaded, and does nothing */
    PROGRAM_DAMAGED,    /* what its header says is not in the file */
};

struct program {
    enum program_kind kind;
    char file[PATH_MAX]; /* what was looked at: of a script, its interpreter */
};

/* Why a program of this kind is not recorded, as the rest of a sentence; NULL = it can be recorded. */
const char *program_kind_reason(enum program_kind kind);

/* Looks at the file at `path`; at the interpreter of a script, and at its interpreter. */
void program_inspect(const char *path, struct program *program);

#endif
