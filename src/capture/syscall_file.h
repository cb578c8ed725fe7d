/* Where a thread of this process is blocked, as the kernel tells in /proc/self/task/TID/syscall:
 *
 *     running                              it is on a CPU, or wants to be
 *     0 0x4 0x7ff… … 0x7ffd… 0x7f12…       in system call 0; the last two are its stack pointer and pc
 *     -1 0x7ffd… 0x55d0…                   blocked, but not in a call: a page is being read
 *
 * Reading it needs no privilege and does not disturb the thread. */
#ifndef SONDE_CAPTURE_SYSCALL_FILE_H
#define SONDE_CAPTURE_SYSCALL_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct syscall_place {
    int64_t number; /* -1 = none */
    uint64_t sp, pc;
};

/* False when the thread runs, or nothing is known. *fd is kept for the next time where the program has descriptors to spare;
 * -1 = not open. */
bool syscall_file_read(int *fd, pid_t tid, struct syscall_place *place);

/* Closes it, if it is still ours: programs close descriptors that they did not open. */
void syscall_file_close(int *fd);

/* For tests: what the text says. */
bool syscall_place_parse(const char *text, struct syscall_place *place);

#endif
