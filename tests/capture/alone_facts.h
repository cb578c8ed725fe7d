/* What the recorded programs of alone.c and alone_waits.c tell the test, and how they work. */
#ifndef SONDE_TESTS_CAPTURE_ALONE_FACTS_H
#define SONDE_TESTS_CAPTURE_ALONE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Functions of the programs begin so far from each other (meson.build). */
enum { ALONE_FUNCTION_BYTES = 1024 };

struct alone_facts {
    /* Where the functions are. */
    uint64_t first, later, waiting;
    /* What the program has seen: how many threads it had after its first work and at its end, … */
    uint64_t tasks_early, tasks;
    uint64_t signals;   /* that came to it, */
    uint64_t waited_ns; /* how long a wait took, */
    uint64_t gave_up;   /* how often it gave up its CPU there, */
    uint64_t at_end_ns; /* and the CPU time of the process. */
};

/* Shared with the programs: in the test before the first scene. False: it cannot be made. */
extern struct alone_facts *alone_facts;
bool alone_facts_share(void);

/* In a program, before its scene: new ones. False: the test has not shared any. */
bool alone_facts_open(void);

/* The functions `first` and `later`: so much CPU time, in code of the program itself, nearly always. */
void work_first(int ms);
void work_later(int ms);

/* Such a function, of a scene. */
#define FOUND_BY_TEST __attribute__((noinline, noclone))

uint64_t read_clock(clockid_t clock);

/* By the system: what the C library thinks it has is not asked. */
uint64_t count_tasks(void);

/* The last thing in a scene; 0. */
int say_end(void);

#endif
