/* Whether a process is still there. */
#ifndef SONDE_RECORD_PROCESS_STATE_H
#define SONDE_RECORD_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct process_state {
    char letter;         /* as in /proc/PID/stat: R, S, T (stopped) … */
    int parent;          /* its process id; 0 = it has none that can be seen from here */
    uint64_t start_time; /* tells it from one that has its number later */
};

/* False where there is none, or it has ended and only waits for its parent to notice. */
bool process_state_read(int pid, struct process_state *state);

#endif
