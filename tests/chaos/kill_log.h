/* What the target of tests/chaos/kill.c writes down about itself, in memory that it shares with the test: nobody can kill that.
 *
 * Markers. A stream is a thread's markers, which are numbered from 1 on. Its number is written down before a marker is made and
 * after it: markers up to `published` are in the recording, those above `begun` are not, and of one in between nobody knows.
 *
 * Samples. Nobody but the sampler knows when it takes one, so the target asks it (sonde_after_sampling) and writes down when it
 * asked, when it was told that samples have been taken since, and how many ticks there were by then. A tick is a row of every
 * thread that lives: between the two moments each has one at least, and between two answers as many as there were ticks. (The
 * ticks that a sampler sleeps through because nobody works are published when it wakes up, and counted then.) What the rows say
 * is held against the bursts: a thread makes its markers in bursts, has the number of the burst on its stack, and writes down
 * when it was in it, and what its CPU clock showed.
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
    KILL_LOOKS = 1 << 16,
};

/* A process, or a program that one has become. */
struct kill_process {
    _Atomic int32_t pid;
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
    _Atomic uint64_t begin_ns, end_ns; /* the thread lives at least from here to there; no end: as long as its program … */
    _Atomic uint64_t made_ns, gone_ns; /* … and at most from here to there, where that is known */
};

/* The CPU clock is read within the times. */
struct kill_burst {
    _Atomic uint32_t stream;
    _Atomic uint64_t begin_ns, end_ns;
    _Atomic uint64_t begin_cpu_ns, end_cpu_ns;
};

/* A question to the sampler, and its answer. */
struct kill_look {
    _Atomic uint32_t process;
    _Atomic uint64_t asked_ns, asked_ticks, ticks;
    _Atomic uint64_t done_ns; /* written last */
};

struct kill_log {
    _Atomic uint32_t stream_count, process_count, burst_count, look_count;
    _Atomic uint32_t stopped_early;                /* streams that were stopped while the target still ran */
    _Atomic uint32_t children_begun;               /* counted before they are made: some may not have got to say their number */
    _Atomic uint64_t end_ns;                       /* when the target ended */
    struct kill_process processes[KILL_PROCESSES]; /* the target's own first */
    struct kill_stream streams[KILL_STREAMS];
    struct kill_burst bursts[KILL_BURSTS];
    struct kill_look looks[KILL_LOOKS];
};

#endif
