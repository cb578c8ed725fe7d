/* What libsonde-base offers to libsonde-preload beyond the public table. */
#ifndef SONDE_CAPTURE_CONTROL_PRELOAD_BASE_H
#define SONDE_CAPTURE_CONTROL_PRELOAD_BASE_H

#include <pthread.h>
#include <signal.h>
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
    /* The signal that samples threads, and what the program wants of it: handler.h. */
    int signal;
    bool (*handles_signal)(void); /* false until something is recorded */
    bool (*is_our_handler)(const struct sigaction *action);
    int (*change_action)(const struct sigaction *wanted, struct sigaction *before);
    bool (*is_blocked)(uint64_t mask);
    void (*set_blocked)(bool blocked, uint64_t mask);
    void (*adopt_mask)(bool blocked);
    bool (*is_own_process)(void); /* not the child of a vfork(), which has our memory and a mask of its own */
    void (*use_sigaction)(int (*real)(int number, const struct sigaction *action, struct sigaction *old));
    /* Descriptors of ours that the program must not close: own_files.h. */
    bool (*own_file_is)(int fd);
    int (*own_file_next)(int fd);
    /* The calling thread is about to replace the program, or (false) the attempt failed. */
    void (*replacing)(bool begins);
    /* The process `pid` (0 = this one) gets to be the program at `path`, with these variables. */
    void (*starting)(int pid, const char *path, char *const *environment);
    /* A fork is complete, in the child; the calling process is about to end without exit(). */
    void (*forked)(void);
    void (*exiting)(void);
    /* The program is about to allow itself only some system calls (seccomp). */
    void (*shutting_itself_in)(bool strict);
    void (*not_shut_in)(void); /* that failed */
    bool (*is_shut_in)(void);
};

__attribute__((visibility("default"))) const struct preload_base *sonde_base_preload(void);

#endif
