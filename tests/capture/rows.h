/* The rows of a recorded process, with the time that each stands for: src/rows over its own file and what its recorder saw. */
#ifndef SONDE_TESTS_ROWS_H
#define SONDE_TESTS_ROWS_H

#include "rows/thread_rows.h"
#include "session/reader.h"

enum { ROWS_THREADS = 512 };

struct rows_stack {
    struct frame_entry *frames; /* oldest first */
    size_t count;
    bool truncated;
};

struct rows_thread {
    uint32_t number;
    int tid;
    bool main;
    struct observed observed;
    struct thread_rows rows;
};

struct rows {
    struct session_file_header header;
    struct rows_thread threads[ROWS_THREADS];
    size_t thread_count;
    VEC(struct rows_stack) stacks;
    struct pauses pauses;
};

/* Reads the file of the process `pid` in `folder` (0 = the only one there is), and SESSION/looks. Fails the test where
 * something is wrong. */
struct rows *rows_read(const char *folder, int pid);
void rows_free(struct rows *rows);

struct rows_thread *rows_thread_by_tid(struct rows *rows, int tid);

/* A native frame lies in the function that begins at `function`; NULL has none. */
bool stack_has_function(const struct rows_stack *stack, uint64_t function);
bool stack_has_label(const struct rows_stack *stack, const char *label);

/* The stack of a row; NULL = it has none. */
const struct rows_stack *row_stack(const struct rows *rows, const struct thread_row *row);

/* The time of all rows of this kind whose stacks have the function; 0 = all. */
uint64_t rows_weight(const struct rows *rows, const struct rows_thread *thread, enum thread_row_kind kind, uint64_t function);

#endif
