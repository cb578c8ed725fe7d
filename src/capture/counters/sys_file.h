/* Small files of /sys, without stdio and without the program's locale. */
#ifndef SONDE_CAPTURE_COUNTERS_SYS_FILE_H
#define SONDE_CAPTURE_COUNTERS_SYS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Joins texts to a path; false where they do not fit. */
bool sys_path_join(char *out, size_t room, const char *const *parts, size_t count);
#define SYS_PATH(out, ...)                                                                                                     \
    sys_path_join(out, sizeof out, (const char *const[]){__VA_ARGS__},                                                         \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* The text of a number, somewhere in `text`. */
enum { SYS_NUMBER_ROOM = 24 };
const char *sys_number_text(char text[SYS_NUMBER_ROOM], uint64_t number);

/* Reads a number and returns where it ends: at `text` where there is none. */
const char *sys_number(const char *text, unsigned base, uint64_t *number);

/* As in "2.3283064365386962890625e-10". */
double sys_decimal(const char *text);

/* What is in the file, without the end of its last line; false where there is nothing. */
bool sys_file_text(const char *path, char *text, size_t room);
bool sys_file_number(const char *path, uint64_t *number);

/* A list of CPUs, as "0", "0,18" or "0-3,8": the next of them, or UINT64_MAX at the end. Starts with {.at = text}. */
struct sys_list {
    const char *at;
    uint64_t next, last;
    bool in_range;
};
uint64_t sys_list_next(struct sys_list *list);

#endif
