/* Reads one unit after the other; the memory for that is used again. Each thread has a reader. */
#ifndef SONDE_SYMBOLS_DWARF_READER_H
#define SONDE_SYMBOLS_DWARF_READER_H

#include "common/arena.h"
#include "symbols/dwarf/call.h"
#include "symbols/dwarf/functions.h"
#include "symbols/dwarf/lambdas.h"
#include "symbols/dwarf/lines.h"
#include "symbols/dwarf/names.h"
#include "symbols/dwarf/split.h"

#include <pthread.h>

struct dwarf_reader {
    const struct dwarf_file *file;
    const struct dwarf_files *files; /* or NULL */
    pthread_mutex_t *split_lock;     /* held while files->split is asked: all threads' */
    struct dwarf_work work;          /* for the next unit */
    struct arena arena;              /* answers and their paths */
    size_t damaged;                  /* units so far */

    struct dwarf_unit unit;
    struct dwarf_split split;
    const struct dwarf_unit *entries; /* where the unit's entries are: in `unit` or in `split` */
    struct dwarf_functions functions;
    struct dwarf_names names;
    struct dwarf_lambdas lambdas;
    struct dwarf_lines lines;
    struct dwarf_line_files split_files; /* that calls in the split unit name */
    bool has_split_files;
};

/* The answer for one address; no calls = nothing is known. */
struct dwarf_answer {
    const struct dwarf_call *calls;
    size_t count;
};

/* The addresses of one unit, ascending, and which of all addresses each is. */
struct dwarf_job {
    uint32_t unit;
    const uint64_t *addresses;
    const size_t *indexes;
    size_t count;
};

/* Fills answers[indexes[i]] for each address about which the unit knows something. 0 or -ENOMEM. */
int dwarf_reader_run(struct dwarf_reader *reader, const struct dwarf_job *job, struct dwarf_answer *answers);

/* Everything, answers included. */
void dwarf_reader_free(struct dwarf_reader *reader);

#endif
