/* fork: the parent goes on as if nothing had happened; the child gets a profiler that is off. */
#ifndef SONDE_CAPTURE_CONTROL_FORK_H
#define SONDE_CAPTURE_CONTROL_FORK_H

void fork_init(void);

#endif
