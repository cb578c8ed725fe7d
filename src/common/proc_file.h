/* Small files of /proc and /sys and the numbers in them, without streams and without the program's locale. */
#ifndef SONDE_COMMON_PROC_FILE_H
#define SONDE_COMMON_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Makes a path, in an array, as snprintf() does; false where it does not fit. */
#define PROC_PATH(out, ...) (snprintf((out), sizeof(out), __VA_ARGS__) < (int)sizeof(out))

/* Reads at most `room` - 1 bytes and terminates them. Returns how many, or a negative errno. */
ssize_t proc_file_read(const char *path, char *text, size_t room);
/* The same without the end of the last line; false where there is nothing. */
bool proc_file_line(const char *path, char *text, size_t room);
bool proc_file_number(const char *path, uint64_t *number);

/* Where field `number` (3, the state, or more) begins in the text of a file `stat` of a process; NULL: it has none. The name of
 * the program, field 2, may hold anything, also spaces and parentheses. */
const char *proc_stat_field(const char *text, unsigned number);

/* Reads a number and returns where it ends: at `text` where there is none. UINT64_MAX also where it is too large. */
const char *number_parse(const char *text, unsigned base, uint64_t *number);

/* The same for a number like 0.25 or 2.3e-10. */
const char *decimal_parse(const char *text, double *number);

/* A list of CPUs, as the kernel writes it: "0", "0,18" or "0-3,8". Starts with {.at = text}. */
struct cpu_list {
    const char *at;
    uint64_t next, last;
    bool in_range;
};
/* The next of them, or UINT64_MAX at the end. */
uint64_t cpu_list_next(struct cpu_list *list);

#endif
