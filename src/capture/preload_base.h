/* What libsonde-base offers to libsonde-preload beyond the public table. */
#ifndef SONDE_CAPTURE_PRELOAD_BASE_H
#define SONDE_CAPTURE_PRELOAD_BASE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct preload_base {
    size_t size;
    /* False where the library has to stay out of the way (a child of the recorded process): threads are not registered. */
    bool (*wanted)(void);
    /* Registers the calling thread, whose stack has `stack_bytes` (0 = unknown). It ends by itself when the thread ends. */
    void (*thread_started)(size_t stack_bytes);
    void (*thread_rename)(pthread_t handle, const char *name);
    bool (*internal_thread_in_creation)(void);
    /* The signal in use; 0 or less = none. And all those, as bits, that have our handler. */
    const _Atomic int *signal;
    const _Atomic uint64_t *signals;
    /* The program is about to set a handler of its own for one of those, to send it, or to have it raised by a timer or a
     * message queue: from now on another one is used. */
    void (*signal_taken)(int signal);
    void (*signal_sent)(int signal);
    void (*signal_reserved)(int signal);
    bool (*is_our_handler)(const struct sigaction *action);
    /* The masks of the program, and those of its waits and signalfds that our signal must not be seen in: masks.h. */
    int (*mask_change)(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old);
    uint64_t (*mask_show)(bool comes_back);
    void (*mask_hide)(uint64_t shown);
    void (*signal_file)(int fd, const sigset_t *set);
    /* The calling thread is about to wait in a call that lets signals of the program in meanwhile. */
    void (*waiting_for_signals)(void);
    /* The calling thread is about to wait for a time. */
    void (*sleeping)(void);
    /* The calling thread is about to wait for a child, in the function whose frame this is; it does so no more. See
     * announced_wait.h. */
    void (*child_wait_begin)(const void *frame);
    void (*child_wait_end)(void);
    /* True if what the program waited for is a signal of ours. It has got what it wants then. */
    bool (*took_question)(const siginfo_t *info);
    /* Descriptors of ours that the program must not close: own_files.h. */
    bool (*own_file_is)(int fd);
    int (*own_file_next)(int fd);
    /* The calling thread is about to replace the program: it is sent no more signals, or (false) the attempt failed. */
    bool (*replacing)(bool begins);
    /* The process `pid` (0 = this one) gets to be the program at `path`, with these variables. */
    void (*starting)(int pid, const char *path, char *const *environment);
    /* A fork is complete, in the child; the calling process is about to end without exit(). */
    void (*forked)(void);
    void (*exiting)(void);
    /* The process is about to lose its way to our files, or the right to open them. */
    void (*leaving)(void);
    /* The program is about to allow itself only some system calls (seccomp). */
    void (*shutting_itself_in)(void);
};

__attribute__((visibility("default"))) const struct preload_base *sonde_base_preload(void);

#endif
