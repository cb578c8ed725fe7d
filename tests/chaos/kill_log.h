/* What the target of tests/chaos/kill.c writes down about itself, in memory that it shares with the test: nobody can kill that.
 *
 * A stream is a thread's markers, which are numbered from 1 on. Its number is written down before a marker is made and after
 * it: markers up to `published` are in the recording, those above `begun` are not, and of one in between nobody knows. */
#ifndef SONDE_TESTS_CHAOS_KILL_LOG_H
#define SONDE_TESTS_CHAOS_KILL_LOG_H

#include <stdatomic.h>
#include <stdint.h>

enum { KILL_STREAMS = 1 << 14, KILL_PROCESSES = 1 << 12 };

struct kill_stream {
    _Atomic int32_t pid, tid;
    _Atomic uint32_t begun, published;
    /* What was published when another thread of the process began to replace the program (exec), and when the target ended;
     * each + 1, 0 = that did not happen. While a program is being replaced its other threads still run, but are not recorded.
     */
    _Atomic uint32_t before_exec, before_end;
    /* The process was told to stop recording, as those that outlive the target are: it ends there, with a marker that may be in
     * the recording or not. */
    _Atomic uint32_t stopped;
};

struct kill_log {
    _Atomic uint32_t stream_count, process_count;
    _Atomic uint32_t stopped_early;            /* streams that were stopped while the target still ran */
    _Atomic uint32_t children_begun;           /* counted before they are made: some may not have got to say their number */
    _Atomic int32_t processes[KILL_PROCESSES]; /* numbers of processes, the target's own first */
    struct kill_stream streams[KILL_STREAMS];
};

#endif
