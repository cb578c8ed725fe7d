/* The samples of a thread, from ticks that all threads share and what is said of this one.
 *
 *     ticks       t0   t1   t2   t3   t4   t5 …      once for all threads
 *     thread      A─────────B─────────────C──        only where something was seen; in between it did not run
 *
 * A row for a tick in which the thread did not run is made when the rows are written, so threads that sleep cost nothing until
 * then. Where the session has a gap, stacks from before it are forgotten. */
#ifndef SONDE_EXPORT_GECKO_SAMPLES_H
#define SONDE_EXPORT_GECKO_SAMPLES_H

#include "common/json_writer.h"
#include "common/vec.h"
#include "export/gecko_progress.h"
#include "export/gecko_rows.h"
#include "session/entry.h"

struct gecko_ticks {
    struct gecko_rows rows; /* each the distance to the one before */
    uint64_t last;          /* time of the newest one … */
    uint64_t before_last;   /* … of the one before it, or 0 … */
    struct gecko_place at;  /* … and where it stands */
    VEC(uint64_t) gaps;     /* how many ticks came before each */
};

struct gecko_samples {
    struct gecko_rows rows;
    struct gecko_place first; /* tick from which on there are rows; no block = all of them */
    uint64_t before_first;    /* time of the tick before that */
    uint64_t next_tick;       /* number of the first tick that the rows do not cover */
    size_t gaps_seen;
    uint32_t stack;  /* 0 = unknown, otherwise the row + 1 */
    bool started;    /* something was seen of it */
    bool has_frames; /* any of its stacks */
};

/* False when the heap is empty, as everywhere here. Times that go back are taken as the newest one so far. */
bool gecko_ticks_add(struct gecko_ticks *ticks, uint64_t time);
bool gecko_ticks_gap(struct gecko_ticks *ticks);
void gecko_ticks_free(struct gecko_ticks *ticks);

/* From here on the thread's stack is this row of its stacks; UINT32_MAX = it could not be read. */
bool gecko_samples_stack(struct gecko_samples *samples, const struct gecko_ticks *ticks, uint32_t stack, bool has_frames);

/* It was looked at in the newest tick. */
bool gecko_samples_add(struct gecko_samples *samples, const struct gecko_ticks *ticks, const struct sample_entry *entry);

/* After the last tick. */
bool gecko_samples_finish(struct gecko_samples *samples, const struct gecko_ticks *ticks);

/* About how many rows there are. */
uint64_t gecko_samples_count(const struct gecko_samples *samples, const struct gecko_ticks *ticks);

/* The table. Rows before `since` are left out, and after the thread's `end` those that nobody saw. */
void gecko_samples_write(const struct gecko_samples *samples, const struct gecko_ticks *ticks, uint64_t since, uint64_t end,
                         struct gecko_progress *progress, struct json_writer *w);

void gecko_samples_free(struct gecko_samples *samples);

#define GECKO_SAMPLE_SCHEMA SLICE("{\"stack\":0,\"time\":1,\"eventDelay\":2,\"argumentValues\":3,\"threadCPUDelta\":4}")

#endif
