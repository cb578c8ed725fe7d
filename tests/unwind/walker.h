/* Walks the stack of the thread that a signal hits, and tells what was found as text: "leaf middle outer main". */
#ifndef SONDE_TESTS_UNWIND_WALKER_H
#define SONDE_TESTS_UNWIND_WALKER_H

#include "unwind/unwind.h"

#include <signal.h>

enum { WALKER_ROOM = 1024 };

struct walked {
    struct unwind_frame frames[WALKER_ROOM];
    size_t count;
    enum unwind_end end;
};

/* What the tests of a program share; modules are refreshed by walker_start. */
extern struct unwind walker;
void walker_start(void);
void walker_stop(void);
struct unwind_modules *walker_modules(void);

/* Walks with other modules from now on; gives back those before. What is cached is forgotten. */
struct unwind_modules *walker_use_modules(struct unwind_modules *modules);

/* How the stack is read: directly where the thread's own stack is, else through copies; or through copies alone. */
enum walker_memory { WALKER_WINDOW, WALKER_COPY };

void walk(struct unwind_registers *registers, enum walker_memory how, size_t room, struct walked *out);

/* Installs a handler, for as long as the test runs. */
void walker_catch(int signal, void (*handler)(int, siginfo_t *, void *), int flags);

/* A handler that walks from the interrupted registers (SA_SIGINFO), and one that walks from itself, so that the
 * walk passes the signal frame. The result is in `walker_result` of the thread. */
void walker_catch_from_context(int signal, int flags);
void walker_catch_from_here(int signal, int flags);
extern _Thread_local struct walked walker_result;

/* The names of the exported functions of the frames, youngest first, from `first` (NULL: all) up to and with main (or the last
 * frame); "?" where there is none. Valid until the next call in this thread. */
const char *walked_names(const struct walked *walked, const char *first);

#endif
