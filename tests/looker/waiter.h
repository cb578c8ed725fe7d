/* A child process that waits somewhere, with functions on its stack that the test can tell apart: a fork has all of them at the
 * addresses where the test has them. */
#ifndef SONDE_TESTS_LOOKER_WAITER_H
#define SONDE_TESTS_LOOKER_WAITER_H

#include "looker/look.h"
#include "stack/labels.h"

#include <stdbool.h>
#include <sys/types.h>

/* Shared by the test and the child. */
struct waiter_facts {
    _Atomic bool ready;     /* about to wait */
    _Atomic bool go;        /* the test lets it go on */
    _Atomic pid_t tid;      /* of a second thread */
    _Atomic uint32_t steps; /* how far it is */
    uintptr_t address;      /* whatever the test asks for */
    struct label_stack labels;
};

struct waiter {
    pid_t pid;
    struct waiter_facts *facts;
    struct looker *looker;
    struct look_target *target;
    struct look_thread thread; /* the child's first one */
    int pipe[2];               /* the child reads 0, and nobody writes 1 before the end */
};

/* Forks; the child calls `play` and ends when that returns. */
void waiter_start(struct waiter *waiter, void (*play)(struct waiter *waiter));
void waiter_end(struct waiter *waiter);

/* Looks until the thread is found waiting; fails after some seconds. */
void waiter_look(struct waiter *waiter, struct look_thread *thread, struct look *look);

/* Whether a frame is in this function, as the dynamic linker knows it by name. */
bool look_has(const struct look *look, const char *function);
/* The name of the frame so many from the youngest, which is 0; "?" if there is none. */
const char *look_name(const struct look *look, size_t from_leaf);

/* Kinds of waits, each below middle() and outer(). They return when they were interrupted or the pipe is closed. */
void wait_in_read(struct waiter *waiter);
void wait_in_nanosleep(struct waiter *waiter);
void wait_in_futex(struct waiter *waiter);
void wait_in_poll(struct waiter *waiter);
void wait_in_epoll(struct waiter *waiter);
void wait_in_condition(struct waiter *waiter);
void wait_in_vfork(struct waiter *waiter); /* for a child that waits */
void outer(struct waiter *waiter, void (*wait)(struct waiter *waiter));
void deep(struct waiter *waiter, unsigned depth);
void spin(struct waiter *waiter);

#endif
