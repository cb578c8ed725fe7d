/* The rows of a session: for each tick and each thread that is sampled, what the thread was doing then. */
#ifndef SONDE_TESTS_ROWS_H
#define SONDE_TESTS_ROWS_H

#include "session/reader.h"

enum { ROWS_THREADS = 64 };

struct row {
    uint32_t thread; /* index in rows.threads */
    uint64_t tick;   /* time */
    uint64_t cpu_ns;
    bool has_event_delay;
    uint64_t event_delay_ns;
    bool is_new; /* not said to be the same as in the tick before */
    bool truncated;
    const struct frame_entry *frames; /* oldest first; valid during the call */
    size_t count;
};

struct rows_thread {
    uint32_t number;
    int tid;
    bool main;
    uint64_t start_ns, end_ns; /* UINT64_MAX = it did not end */
    uint64_t rows, cpu_ns;
};

struct rows {
    struct session_file_header header;
    struct rows_thread threads[ROWS_THREADS];
    size_t thread_count;
    uint64_t ticks, first_tick, last_tick;
};

/* Reads the one session file in `folder`. `row` may be NULL. Fails the test where something is wrong with the file. */
void rows_read(const char *folder, struct rows *rows, void (*row)(void *data, const struct row *row), void *data);

/* Where there are several: this one. */
void rows_read_file(const char *path, struct rows *rows, void (*row)(void *data, const struct row *row), void *data);

const struct rows_thread *rows_thread_by_tid(const struct rows *rows, int tid);

/* True if a native frame lies in the function that begins at `function` (and is less than `bytes` long). */
bool row_has_function(const struct row *row, uint64_t function, uint64_t bytes);
bool row_has_label(const struct row *row, const char *label);

#endif
