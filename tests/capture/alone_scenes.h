/* What the recorded programs of alone.c do, and what they tell the test. */
#ifndef SONDE_TESTS_CAPTURE_ALONE_SCENES_H
#define SONDE_TESTS_CAPTURE_ALONE_SCENES_H

#include <stdbool.h>
#include <stdint.h>

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

/* In the recorded program. Its exit status: 0 = all went as it was meant to. */
int alone_scene_play(const char *name);

#endif
