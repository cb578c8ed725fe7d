/* Who gets which chunk of a session file, under a limit.
 *
 *            prepare (now and then)
 *     free ───────────────▶ ready ──take──▶ in use ──give back──▶ done ──recycle the oldest──▶ ready
 *                                           │    ▲
 *                                           └────┘ pass on, to another thread
 *
 * The limit is about disk space: chunks have little of it at first, and none before they are first used. Where many processes
 * share a limit, more is taken of the quota that is left (ipc/quota.h) when a process reaches its own. At the limit the
 * chunk that is done for the longest time and not CHUNK_KEPT is recycled; more is taken only below it.
 * Chunks in use are never taken away, so the limit can be overrun by as many chunks as there are writing threads, and by the
 * few that were passed on and wait for the next one.
 *
 * Chunks of samples that threads fill in their signal handlers, where nothing can be made and no lock taken, are supplied by
 * somebody else, from the same file: supply.h.
 *
 * Disk space is reserved before a chunk is used: a full disk is an error here, never a SIGBUS in the program. */
#ifndef SONDE_SESSION_CHUNK_MANAGER_H
#define SONDE_SESSION_CHUNK_MANAGER_H

#include "common/error.h"
#include "session/chunk.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CHUNKS_LEAST = 16,     /* with fewer nothing can be kept for long enough: for a session as a whole */
    CHUNKS_MOST = 1 << 20, /* of one file */
};

struct allocation_entry;
struct chunk_file;
struct chunk_manager;
struct quota;

struct chunk_manager_options {
    const char *folder; /* of the session; it must exist */
    const char *name;   /* of the file; NULL = PID-N.sonde */
    int pid;
    bool own_table; /* the descriptors of the calling thread are its own: chunk_file.h */
    uint64_t limit_bytes;
    uint64_t start_monotonic_ns, start_realtime_ns, interval_ns;
    uint64_t tick_ns;      /* of the kernel; 0 = not known */
    uint64_t begin_cpu_ns; /* as in the file header */
};

/* Makes the file FOLDER/PID-N.sonde with the first N that is free, and a first chunk. NULL with `error` filled. */
struct chunk_manager *chunk_manager_create(const struct chunk_manager_options *options, struct error *error);

/* Unmaps and closes; the file stays, without the disk space of chunks that nobody used, where that is much. Nobody may use a
 * chunk any more. */
void chunk_manager_free(struct chunk_manager *manager);

/* Whether there can be disk space that chunk_manager_free() gives back. */
bool chunk_manager_has_much(struct chunk_manager *manager);

/* In a forked child: unmaps the parent's chunks, closes its file, touches nothing in it. */
void chunk_manager_forget(struct chunk_manager *manager);

const char *chunk_manager_path(const struct chunk_manager *manager);
unsigned chunk_manager_image(const struct chunk_manager *manager); /* N of PID-N.sonde */
struct session_file_header *chunk_manager_header(const struct chunk_manager *manager);

/* A chunk of the given kind for the calling thread to write, or NULL: the disk is full (then the state in the header says so,
 * and the manager gives no more), or there is no memory. Takes a ready one without a lock; makes one only if there is none,
 * with all signals blocked. */
struct chunk *chunk_manager_take(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now_ns);

/* The same, but only a ready one: never allocates, never waits. Safe in a signal handler. */
struct chunk *chunk_manager_take_ready(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now_ns);

/* A chunk whose end has no disk space yet, and that the calling thread writes, gets it. False: it had it, or there is none, or
 * the limit is near and a new chunk is better. */
bool chunk_manager_extend(struct chunk_manager *manager, struct chunk *chunk);

/* The thread writes it no more. */
void chunk_manager_give_back(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns);

/* The same for a chunk of markers, by a thread that ends: where much of it is still free, another thread gets it with
 * chunk_manager_take_begun(). What is in it stays: the entries say whose they are. */
void chunk_manager_pass_on(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns);

/* NULL: none was passed on. What the caller wants to write may not fit. Never allocates, never waits. */
struct chunk *chunk_manager_take_begun(struct chunk_manager *manager);

/* Fills up the ready chunks; called by one thread, now and then, when no thread is held up by it. */
void chunk_manager_prepare(struct chunk_manager *manager);

/* For handlers: a chunk of samples that somebody has supplied (supply.h), or NULL. One that was begun, if there is any:
 * `wanted`, if it is among them. Never allocates, never waits, makes no system call. */
struct chunk *chunk_manager_take_supplied(struct chunk_manager *manager, const struct chunk *wanted, uint64_t now_ns);

/* It is full, also for handlers: whoever supplies may recycle it from now on. */
void chunk_manager_give_supplied_back(struct chunk *chunk, uint64_t now_ns);

/* It is not full, also for handlers: the next sample goes there, of this thread or another. */
void chunk_manager_pass_supplied_on(struct chunk_manager *manager, struct chunk *chunk, uint64_t now_ns);

/* Where fewer than `enough` chunks of samples are ready: makes one more, which is the supplier's from then on. Any thread, not
 * in a handler. */
void chunk_manager_supply_one(struct chunk_manager *manager, size_t enough);

/* What supply.h needs of it. */
struct supply_view {
    struct session_file_header *header;
    struct chunk *chunks;
    size_t most;
    struct chunk_file *file;
};
struct supply_view chunk_manager_supply_view(struct chunk_manager *manager);

/* From now on. Less than a few short chunks are not possible, nor more than the options said. Any thread. */
void chunk_manager_set_limit(struct chunk_manager *manager, uint64_t bytes);

/* The same: `bytes`, and what was taken of the quota since that was `taken` in all. */
void chunk_manager_set_share(struct chunk_manager *manager, uint64_t bytes, uint64_t taken);

/* From now on what the session has left is used at the limit. `quota` is that of the session and stays the caller's, until
 * after the manager's end; NULL: it opens a file, so at the beginning: a program that runs may count on the numbers of its
 * descriptors, or not be allowed to open any. */
void chunk_manager_share_quota(struct chunk_manager *manager, struct quota *quota);

/* Throws away what is beyond the limit, the oldest first: done chunks (not CHUNK_KEPT). Their disk space goes back to the
 * system; the file keeps its size. Only a few at a time, since that may take long. True when nothing is left that could go.
 * Called by the thread that prepares. */
bool chunk_manager_obey(struct chunk_manager *manager);

/* From now on allocations that `is_live` finds live are written again before their chunk is recycled. It is called with the
 * manager's lock held: it makes no call of the manager. */
void chunk_manager_rescue(struct chunk_manager *manager, bool (*is_live)(const struct allocation_entry *entry));

struct chunk_manager_usage {
    uint64_t bytes_in_use; /* being written, or CHUNK_KEPT */
    uint64_t bytes_done;   /* what can be thrown away */
    uint64_t bytes_held;   /* both, and what is ready for use */
    uint64_t bytes_limit;
    uint64_t bytes_wished;    /* more: it would have been used, if the limit were higher */
    uint64_t bytes_taken;     /* of the quota of the session, in all */
    uint64_t oldest_start_ns; /* of any chunk still held that is not CHUNK_KEPT; UINT64_MAX = none */
    uint64_t oldest_done_ns;  /* when the oldest one that can be thrown away was done; 0 = there is none */
};
void chunk_manager_usage(struct chunk_manager *manager, struct chunk_manager_usage *usage);

/* Rises when what is held changes: then it is worth while to ask. */
uint64_t chunk_manager_changes(struct chunk_manager *manager);

/* So much of what was wished for somebody knows of now. */
void chunk_manager_wish_told(struct chunk_manager *manager, uint64_t bytes);

#endif
