/* The state of the profiler.
 *
 *     core state     from the loading of the library to the end of the process, recording or not
 *     active state   one session, from start to stop
 *     live session   what threads see of it that write into it without a lock (sampler/live.h)
 *     state word     one atomic word: the only thing that calls look at while nothing is recorded
 *
 * The first two are guarded by one lock. Functions that need it demand proof that it is held: a `struct core_locked *`, which
 * only core_lock() gives out. State callbacks run without it.
 *
 * fork: the child gets a profiler that is off, with fresh locks and its one thread registered; the parent's session file is
 * unmapped there and never touched. Under `sonde record` it then begins a file of its own. */
#ifndef SONDE_CAPTURE_CORE_CORE_H
#define SONDE_CAPTURE_CORE_CORE_H

#include "capture/core/parts.h"
#include "capture/core/sandbox.h"
#include "common/error.h"
#include "ipc/feature_set.h"
#include "sonde/api.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* --- the lock ------------------------------------------------------------------------------------------------------------ */

struct core_locked; /* proof; never dereferenced */

const struct core_locked *core_lock(void);
/* NULL where another thread holds it: for what can as well be done later. */
const struct core_locked *core_try_lock(void);
void core_unlock(const struct core_locked *locked);
/* The proof, for a thread that holds it; else NULL. */
const struct core_locked *core_lock_held(void);
/* True if the calling thread holds it: such a thread must not take it again (a callback that records, an allocation hook). */
static inline bool core_locked_by_me(void)
{
    return core_lock_held() != NULL;
}

/* Whether it may take the lock, in a call that can as well do nothing: it has not taken it yet, and the program has not
 * forbidden itself the system calls that this takes (sandbox.h). */
static inline bool core_may_lock(void)
{
    return !core_locked_by_me() && !sandbox_is_closed();
}

/* Not the child of a vfork(), whose memory is its parent's, nor one that came without fork(). Without the lock; safe in a
 * signal handler. */
bool core_is_own_process(void);

/* --- what it guards ------------------------------------------------------------------------------------------------------ */

enum { FILTER_TEXT = 1024, PATH_ROOM = 4096, CALLBACKS_MAX = 64 };

struct after_sampling_call {
    void (*call)(void *data, enum sonde_sampling state);
    void *data;
};

/* From the loading of the library to the end of the process. */
struct core_state {
    int pid;
    uint64_t start_realtime_ns;
    char process_name[256];
    char program[256];                 /* its path, from the first session on; empty where it is longer */
    uint64_t generation;               /* of the latest session; rises with every start */
    const struct capture_parts *parts; /* what libsonde adds; NULL while only the base is there */
    bool saves_at_shutdown;            /* SONDE_SHUTDOWN, to shutdown_path */
    struct {
        bool set, exit_after;
        uint64_t deadline_ns;
    } dump;
    char named_folder[PATH_ROOM]; /* SONDE_SESSION */
    char shutdown_path[PATH_ROOM];
    char dump_path[PATH_ROOM];
};

/* What a session is asked to be: settings.h. */
struct settings {
    uint64_t interval_ns, duration_ns, buffer_bytes;
    uint64_t features;
    const char *filters; /* shorter than FILTER_TEXT */
    const char *folder;  /* shorter than PATH_ROOM; empty = a temporary one */
};

/* One session. What is mostly empty stands last: a page that is touched costs a recorded process 2 µs. */
struct active_state {
    uint64_t generation;
    uint64_t start_ns;
    struct settings settings; /* filters: below; the folder is the one that it has */
    bool folder_is_ours;      /* temporary: removed at the end */
    bool paused, sampling_paused;
    struct chunk_manager *chunks;
    struct entry_place kept;       /* where entries go that others refer to: kept_put() */
    struct entry_place common;     /* … and those of no thread: common_put() */
    struct background *background; /* NULL = the recorder does what it would do */
    size_t after_sampling_count;
    struct after_sampling_call after_sampling[CALLBACKS_MAX];
    char filters[FILTER_TEXT];
};

struct core_state *core_state(const struct core_locked *locked);
/* NULL when nothing is recorded. */
struct active_state *active_state(const struct core_locked *locked);

/* For the life cycle: all zero, to be filled in before the lock is let go. */
struct active_state *active_state_begin(const struct core_locked *locked);
/* For the life cycle and fork. */
void active_state_end(const struct core_locked *locked);

/* --- entries that are written under the lock ------------------------------------------------------------------------------ */

/* `fill` writes the entry, of at most `max` bytes, and returns its length. False when there is no room, which is counted.
 *
 * Into CHUNK_KEPT, which is never recycled: what other entries refer to. */
bool kept_put(const struct core_locked *locked, size_t max, entry_fill *fill, const void *entry);
/* Into the chunk of what belongs to no thread: PAUSE …, COUNTER_SAMPLE, LOOK. */
bool common_put(const struct core_locked *locked, size_t max, entry_fill *fill, const void *entry);
/* The session is about to end: gives both chunks back. */
void entries_end(const struct core_locked *locked);

/* --- without the lock ----------------------------------------------------------------------------------------------------- */

/* The features in the low bits, the state (SONDE_STATE_ACTIVE …) in the top byte. Relaxed: it says
 * whether to try; what is written is protected by its own means. Set last in start, cleared first in stop. */
extern _Atomic uint64_t state_word;
_Static_assert(FEATURE_COUNT <= 56, "features stay below the state");

/* Children that come without fork() (_Fork, clone) run no handlers of ours: the kernel sets the word to 0 for them. */
void state_init(void);

static inline uint64_t state_get(void)
{
    return atomic_load_explicit(&state_word, memory_order_relaxed);
}

static inline bool state_collecting_markers(void)
{
    return (state_get() & (SONDE_STATE_ACTIVE | SONDE_STATE_PAUSED)) == SONDE_STATE_ACTIVE;
}

static inline bool state_has_feature(enum feature feature)
{
    uint64_t word = state_get();
    return (word & SONDE_STATE_ACTIVE) && (word >> feature & 1);
}

/* A session as threads see it that write into it without a lock: live.h. */
struct live_session {
    uint64_t generation;
    struct chunk_manager *chunks;
    struct session_file_header *header; /* statistics */
    struct live_session *next;          /* among those that wait to be unmapped */
};

static inline uint64_t statistic_get(const struct session_file_header *header, enum session_statistic statistic)
{
    return atomic_load_explicit(&header->statistics[statistic], memory_order_relaxed);
}

/* Any thread inside enter and leave, or with the core lock. */
static inline void live_statistic_add(const struct live_session *session, enum session_statistic statistic, uint64_t amount)
{
    atomic_fetch_add_explicit(&session->header->statistics[statistic], amount, memory_order_relaxed);
}

#endif
