/* What the kernel says about a process and its threads as text, in the files of /proc/PID. */
#ifndef SONDE_LOOKER_PROC_TEXT_H
#define SONDE_LOOKER_PROC_TEXT_H

#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* A line of `maps`, without its newline:
 *
 *     7f1c2a028000-7f1c2a1bd000 r-xp 00028000 fe:01 1835023                    /usr/lib/x86_64-linux-gnu/libc.so.6 */
struct maps_line {
    uint64_t start, end, offset;
    uint64_t device; /* its two numbers, as in the text */
    uint64_t inode;  /* 0: no file */
    bool executable, readable;
    bool deleted;      /* the file has no name any more; the suffix that says so is not part of `path` */
    struct slice path; /* in the line; "[vdso]" and the like for what has no file, empty for anonymous memory */
};

bool maps_line_parse(struct slice line, struct maps_line *out);

/* `task/TID/syscall`: where a thread is blocked.
 *
 *     running                              it is on a CPU, or wants to be
 *     0 0x4 0x7ff… … 0x7ffd… 0x7f12…       in system call 0, with six arguments; the last two are its stack pointer and pc
 *     -1 0x7ffd… 0x55d0…                   blocked, but not in a call: a page is being read, or it was stopped
 *     -1 0x0 0x0                           it has ended, and has no stack any more */
enum { SYSCALL_ARGUMENTS = 6 };
struct syscall_line {
    bool running;
    int64_t number; /* -1 = none */
    uint64_t arguments[SYSCALL_ARGUMENTS];
    uint64_t sp, pc;
};

bool syscall_line_parse(struct slice text, struct syscall_line *out);

/* `task/TID/schedstat`: "cpu_ns ready_ns runs". */
struct schedstat_line {
    uint64_t cpu_ns, ready_ns, runs;
};

bool schedstat_line_parse(struct slice text, struct schedstat_line *out);

/* `task/TID/stat`, behind a name in parentheses that may itself contain any character:
 *
 *     4711 (name) S 1 4711 4711 0 -1 4194304 120 0 0 0 35 12 …       state, …, utime, stime */
struct stat_line {
    char state;                      /* R, S, D, Z … */
    uint64_t user_time, kernel_time; /* in units of 1/sysconf(_SC_CLK_TCK) s: CPU time in all, divided by what ticks found */
};

bool stat_line_parse(struct slice text, struct stat_line *out);

/* `task/TID/status`: how often the thread has begun to wait, from the line that says
 *
 *     voluntary_ctxt_switches: 1234
 *
 * False where there is none. */
bool status_waits(struct slice text, uint64_t *waits);

#endif
