/* What the target of tests/chaos/kill.c writes down about itself, in memory that it shares with the test: nobody can kill that.
 *
 * Markers. A stream is a thread's markers, which are numbered from 1 on. Its number is written down before a marker is made and
 * after it: markers up to `published` are in the recording, those above `begun` are not, and of one in between nobody knows.
 *
 * Samples. A thread is asked in its own signal handler how long an event would have waited (sonde_thread_set_event_delay): its
 * answer is the stream and the number of the sample, and by that each sample is known in the profile. When the thread goes on,
 * the handler has written it, or there was no chunk for it, which the process counts. A thread makes its markers in bursts, has
 * the number of the burst on its stack, and writes down when it was in it: that is where its samples were.
 *
 * Times are CLOCK_MONOTONIC, in ns; 0 = that has not happened. */
#ifndef SONDE_TESTS_CHAOS_KILL_LOG_H
#define SONDE_TESTS_CHAOS_KILL_LOG_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    KILL_STREAMS = 1 << 14,
    KILL_PROCESSES = 1 << 12,
    KILL_BURSTS = 1 << 17,
    KILL_SAMPLE_BITS = 16, /* the answer is stream << this | number, in ns */
};

/* A process, or a program that one has become. */
struct kill_process {
    _Atomic int32_t pid;
    _Atomic uint64_t lost;    /* samples for which there was no chunk, at least */
    _Atomic uint64_t zero_ns; /* when its own clock was 0; written last */
};

struct kill_stream {
    _Atomic uint32_t process; /* number of the struct kill_process */
    _Atomic int32_t pid, tid;
    _Atomic uint32_t begun, published;
    /* What was published when another thread of the process began to replace the program (exec), and when the target ended;
     * each + 1, 0 = that did not happen. While a program is being replaced its other threads still run, but are not recorded.
     */
    _Atomic uint32_t before_exec, before_end;
    /* The process was told to stop recording, as those that outlive the target are: it ends there, with a marker that may be in
     * the recording or not. */
    _Atomic uint32_t stopped;
    /* The same of samples. Those that were published are there, but for as many as the process lost. */
    _Atomic uint32_t samples_begun, samples_published, samples_before_end;
    _Atomic uint64_t begin_ns, end_ns; /* the thread lives at least from here to there; no end: as long as its program … */
    _Atomic uint64_t made_ns, gone_ns; /* … and at most from here to there, where that is known */
};

struct kill_burst {
    _Atomic uint32_t stream;
    _Atomic uint64_t begin_ns, end_ns;
};

struct kill_log {
    _Atomic uint32_t stream_count, process_count, burst_count;
    _Atomic uint32_t stopped_early;                /* streams that were stopped while the target still ran */
    _Atomic uint32_t children_begun;               /* counted before they are made: some may not have got to say their number */
    _Atomic uint64_t end_ns;                       /* when the target ended */
    struct kill_process processes[KILL_PROCESSES]; /* the target's own first */
    struct kill_stream streams[KILL_STREAMS];
    struct kill_burst bursts[KILL_BURSTS];
};

#endif
