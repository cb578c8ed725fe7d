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

/* Opens the file of a thread, up where programs do not count: those that close 0 and open another file rely on getting 0. To be
 * called on a thread of the program that opens files at this moment anyway, or is just being made; nothing is opened behind a
 * program's back, but for new threads of a program that makes and ends them all the time (registry.c), and when a signal
 * number is given up (handler_settle.c). -1 where there is no descriptor to spare. */
int syscall_file_open(pid_t tid);

/* False when the thread runs, or nothing is known. */
bool syscall_file_read(int *fd, struct syscall_place *place);

/* Closes it, if it is still ours: programs close descriptors that they did not open. */
void syscall_file_close(int *fd);

/* Calls that only a signal handler ends, or that wait for signals: one of ours would change what the program does. A thread in
 * vfork() cannot run a handler before its child is gone. */
bool syscall_waits_for_signals(int64_t number);

/* Calls that may wait for a time only, which begins anew when our signal has interrupted them (call_again.h). */
bool syscall_may_have_limit(int64_t number);

/* For tests: what the text says. */
bool syscall_place_parse(const char *text, struct syscall_place *place);

#endif
