/* What libsonde-base offers to libsonde-preload beyond the public table. */
#ifndef SONDE_CAPTURE_PRELOAD_BASE_H
#define SONDE_CAPTURE_PRELOAD_BASE_H

#include <pthread.h>
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
    /* The signal in use; 0 = none. */
    const _Atomic int *signal;
    /* The program sets a handler of its own for that signal: from now on another one is used. */
    void (*signal_taken)(int signal);
    /* The calling thread is about to replace the program: it is sent no more signals, or (false) the attempt failed. */
    bool (*replacing)(bool begins);
};

__attribute__((visibility("default"))) const struct preload_base *sonde_base_preload(void);

#endif
