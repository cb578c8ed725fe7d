/* The layout of a session: what a recorded process leaves behind, readable by anyone at any moment.
 *
 *     SESSION/PID-N.sonde            one file per process image (N counts what the same pid exec'ed)
 *     SESSION/looks                  what the recorder saw of all of them from outside; each chunk is about one (`owner`)
 *
 *     ┌──────────────┬─────────┬─────────┬─────────┬──
 *     │ file_header  │ chunk 0 │ chunk 1 │ chunk 2 │ …      the file grows by whole chunks, never shrinks
 *     └──────────────┴─────────┴─────────┴─────────┴──
 *     ┌──────────────┬────────────────────────────┬┄┄┄┄┄┐
 *     │ chunk_header │ entry  entry  entry  …     │ free │   one chunk
 *     └──────────────┴────────────────────────────┴┄┄┄┄┄┘
 *                                                 ▲ used
 *     entry = size (LEB128, not counting itself), kind (1 byte), data        see entry.h
 *
 * Nothing holds a pointer. All numbers are little-endian, as both CPUs are. The process that owns the file is its only
 * writer, but for chunks that it is supplied with (session/supply.h); within it, a chunk has one writing thread at a time,
 * which publishes what it wrote by a release store of `used`. A reader takes `sequence`, then `used`, copies the bytes, and
 * takes `sequence` again: if it changed, the chunk was recycled meanwhile and the copy is thrown away. So readers never wait
 * for writers, nor writers for readers, whoever is killed.
 *
 * What makes that work: who recycles a chunk first stores sequence 0, and behind a release fence everything else; the new
 * sequence number comes last, with release. The reader has an acquire fence between any two of its four steps. So a reader
 * that copied a byte of the new use finds the sequence changed, and one that finds the new number finds `used` reset. */
#ifndef SONDE_SESSION_FORMAT_H
#define SONDE_SESSION_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define LOOKS_NAME "looks"
#define SESSION_MAGIC "sonde\r\n\x1a"
enum {
    SESSION_VERSION = 8,
    SESSION_HEADER_BYTES = 4096,
    CHUNK_BYTES = 64 << 10,
    CHUNK_HEADER_BYTES = 64,
    ENTRY_MAX = CHUNK_BYTES - CHUNK_HEADER_BYTES - 3, /* what fits in an empty chunk, behind a three-byte size */
};

/* What is in a chunk, and with that who may throw it away. */
enum chunk_kind {
    CHUNK_FREE,
    CHUNK_KEPT,    /* threads, modules, code, marker types, counters: what other entries refer to. Never recycled */
    CHUNK_SAMPLES, /* written by one thread in its signal handler, or by the looker */
    CHUNK_MARKERS, /* written by any thread, or by several, one after the other */
};

enum session_state {
    SESSION_RECORDING,
    SESSION_PAUSED,
    SESSION_STOPPED,   /* by whoever controls the profiler; the process may go on */
    SESSION_DISK_FULL, /* recording stopped because there was no room for another chunk */
    SESSION_REPLACED,  /* the process became another program (exec), which has a file of its own if it is recorded */
    SESSION_ENDED,     /* with the process, of whose end there is no entry */
};

/* Figures about the recording itself: its quality and its costs. Any thread adds, with relaxed order. */
enum session_statistic {
    STATISTIC_SAMPLES_EVENT,    /* stacks taken in the thread's own signal handler, by an event of its CPU time … */
    STATISTIC_SAMPLES_TICK,     /* … or by the kernel's ticks */
    STATISTIC_SAMPLES_LOST,     /* wanted, but there was no chunk to write it to */
    STATISTIC_LOOKS,            /* looks from outside that were written down */
    STATISTIC_LOOKS_REFUSED,    /* waits whose stacks could not be read: another user, or not dumpable */
    STATISTIC_STACKS_TRUNCATED, /* stacks whose outermost frame was not reached */
    STATISTIC_STACKS_CUT,       /* of those: because of the limit of frames */
    STATISTIC_ENTRIES_LOST,     /* markers and others that found no room */
    STATISTIC_BYTES_LOST,
    STATISTIC_CHUNKS_RECYCLED,
    STATISTIC_THREADS_UNREGISTERED, /* threads of the process that were found, but not registered */
    STATISTIC_HANDLER_NS,           /* time threads spent in the signal handler, all together */
    STATISTIC_POWER_REFUSED,        /* places whose power the machine counts, but not for this user */
    STATISTIC_ALLOCATED_BYTES,      /* by all allocations, sampled or not, up to each thread's last sample: exact */
    STATISTIC_ALLOCATIONS,          /* that are in the recording */
    STATISTIC_ALLOCATIONS_LOST,     /* sampled, but there was no room for them, or the thread was in our own code */
    STATISTIC_ALLOCATIONS_NS,       /* time that threads spent on them and their frees */
    STATISTIC_FAULT_SAMPLES,        /* of page faults: stacks taken, not among the samples above */
    STATISTIC_FREES_MISSED,         /* blocks that were given out again, and of whose free nothing was seen */
    STATISTIC_COUNT,
};

/* What interrupts running threads. */
enum session_clock {
    SESSION_CLOCK_TICKS,  /* timers that the kernel looks at in its ticks: events are refused, or nobody opens them */
    SESSION_CLOCK_EVENTS, /* events of the CPU clock, and ticks for what is used in the kernel */
};

/* How long a sample held its thread in the handler: bucket i counts times below 2^i × 64 ns (the last one: all above). */
enum { HELD_BUCKETS = 20 };

enum { SUPPLIED = 8 };

/* Bytes for the names of some threads, with commas between them and a zero behind them. */
enum { SESSION_NAMES = 80 };

struct session_file_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes, chunk_bytes;
    int32_t pid;
    uint64_t start_monotonic_ns; /* CLOCK_MONOTONIC at the start of the process: time 0 of all entries */
    uint64_t start_realtime_ns;  /* the same moment since 1970 */
    uint64_t interval_ns;
    _Atomic uint32_t state;       /* enum session_state; relaxed: only shown to people */
    _Atomic uint32_t chunk_count; /* release: chunks below it are in the file and their headers are valid */
    _Atomic uint64_t end_ns;      /* time of the stop or exec; 0 = still running, or killed */
    _Atomic uint64_t statistics[STATISTIC_COUNT];
    _Atomic uint32_t held[HELD_BUCKETS];
    _Atomic uint64_t quota_taken; /* bytes that the process took of the quota of its session: ipc/quota.h */

    /* Between the process and who looks at it from outside. */
    _Atomic uint32_t clock;              /* enum session_clock; relaxed: only shown to people */
    _Atomic uint32_t clock_refused;      /* errno of perf_event_open(), where it is not events; relaxed */
    _Atomic uint32_t fault_period;       /* page faults of a thread from sample to sample; 0 = they are not recorded … */
    _Atomic uint32_t faults_refused;     /* … and why not of all threads: errno of perf_event_open(), or of mmap(); relaxed */
    _Atomic uint32_t timers_refused;     /* errno of timer_create(), where threads have no timers; relaxed */
    uint64_t tick_ns;                    /* how far the kernel's ticks are apart; 0 = not known */
    uint32_t chunks_most;                /* chunks that the process has mapped: no more can be supplied */
    _Atomic uint32_t supplied[SUPPLIED]; /* chunks for samples that are ready: number + 1, 0 = none. See supply.h */
    _Atomic uint32_t threads_changed;    /* rises when a thread registers or ends: relaxed, a hint */
    _Atomic uint32_t filtered;           /* the recorder's: the process has forbidden itself system calls. Relaxed */
    _Atomic uint64_t looks_ns;           /* in SESSION/looks: CPU time that looks took. Relaxed: only shown to people */
    _Atomic uint32_t ignores_signal;     /* for who takes the place of this program: it ignored SIGPROF itself. Relaxed */
    _Atomic uint32_t modules_changed;    /* rises when a sample met a module that the process has not told of: as above */
    uint64_t begin_cpu_ns;               /* that the main thread had used when recording began to begin; 0 = not known */

    /* The recorder's, of threads that cannot be sampled, because the process has not registered them. */
    _Atomic uint64_t unregistered_ns; /* CPU time, as far as it was seen. Relaxed: only shown to people */
    char unregistered_names[SESSION_NAMES];
};
_Static_assert(sizeof(struct session_file_header) <= SESSION_HEADER_BYTES, "the file header fits its place");

struct chunk_header {
    _Atomic uint64_t sequence; /* rises by every use of any chunk of this file; 0 while it is being recycled */
    _Atomic uint32_t used;     /* bytes of entries that are complete */
    _Atomic uint32_t kind;     /* enum chunk_kind */
    _Atomic uint64_t start_ns; /* when it was taken into use … */
    _Atomic uint64_t done_ns;  /* … and given back; 0 = being written */
    _Atomic uint64_t previous; /* sequence number of the chunk of this kind taken before it; 0 = none: shows gaps in samples */
    _Atomic uint32_t missing;  /* bytes at its end that have no disk space yet: for the writer */
    _Atomic uint32_t supplied; /* 1: it belongs to whoever supplies chunks for samples (supply.h) */
    uint64_t owner;            /* in SESSION/looks: pid << 32 | N of the process that it is about; else 0 */
    uint64_t reserved;
};
_Static_assert(sizeof(struct chunk_header) == CHUNK_HEADER_BYTES, "the chunk header has no padding");

#endif
