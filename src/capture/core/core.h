/* The two lives of the profiler.
 *
 *     core state     from the loading of the library to the end of the process, recording or not
 *     active state   one session, from start to stop
 *
 * Both are guarded by one mutex. Functions that need it demand proof that it is held: a `struct core_locked *`, which only
 * core_lock() gives out. State callbacks run without it.
 *
 * fork: the child gets a profiler that is off, with fresh locks and its one thread registered; the parent's session file is
 * unmapped there and never touched. Under `sonde record` it then begins a file of its own. */
#ifndef SONDE_CAPTURE_CORE_CORE_H
#define SONDE_CAPTURE_CORE_CORE_H

#include "capture/core/feature_set.h"
#include "capture/core/parts.h"
#include "common/error.h"
#include "session/chunk_manager.h"
#include "sonde/api.h"

struct core_locked; /* proof; never dereferenced */

const struct core_locked *core_lock(void);
/* NULL where another thread holds it: for what can as well be done later. */
const struct core_locked *core_try_lock(void);
void core_unlock(const struct core_locked *locked);
/* True if the calling thread holds it: such a thread must not take it again (a callback that records, an allocation hook). */
bool core_locked_by_me(void);
/* The proof, for a thread that holds it. */
const struct core_locked *core_lock_held(void);

/* Not the child of a vfork(), whose memory is its parent's, nor one that came without fork(). Without the lock; safe in a
 * signal handler. */
bool core_is_own_process(void);

enum { FILTER_MAX = 64, FILTER_TEXT = 1024, PATH_ROOM = 4096, CALLBACKS_MAX = 64 };

struct after_sampling_call {
    void (*call)(void *data, enum sonde_sampling state);
    void *data;
};

/* From the loading of the library to the end of the process. */
struct core_state {
    int pid;
    int main_tid;
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

/* One session. What is mostly empty stands last: a page that is touched costs a recorded process 2 µs. */
struct active_state {
    uint64_t generation;
    uint64_t start_ns;
    uint64_t interval_ns, duration_ns, buffer_bytes;
    uint64_t features;
    const char *folder;
    bool folder_is_ours; /* temporary: removed at the end */
    bool paused, sampling_paused;
    struct chunk_manager *chunks;
    struct chunk *kept;            /* where KEPT entries go */
    struct chunk *common;          /* where samples of no thread go: common_chunk.h */
    struct background *background; /* NULL = the recorder does what it would do */
    size_t after_sampling_count;
    struct after_sampling_call after_sampling[CALLBACKS_MAX];
    char filters[FILTER_TEXT]; /* as given */
};

struct core_state *core_state(const struct core_locked *locked);
/* NULL when nothing is recorded. */
struct active_state *active_state(const struct core_locked *locked);

#endif
