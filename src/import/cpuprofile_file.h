/* The JSON of a CPU profile, read into plain arrays: the order of its keys says nothing, so nothing can be made of it before
 * its end. */
#ifndef SONDE_IMPORT_CPUPROFILE_FILE_H
#define SONDE_IMPORT_CPUPROFILE_FILE_H

#include "common/byte_source.h"
#include "common/error.h"
#include "common/map.h"
#include "common/string_table.h"
#include "common/vec.h"
#include "import/cpu_nodes.h"
#include "import/line_ticks.h"

/* A node's list of children says who their parent is, before or after they come. */
struct cpu_link {
    uint32_t child_id;
    uint32_t parent; /* row */
};

struct cpuprofile_file {
    VEC(struct cpu_node) nodes; /* in the order of the file */
    VEC(struct cpu_link) links;
    struct line_ticks ticks;
    struct map row_of_id;
    VEC(uint32_t) samples;       /* ids of nodes */
    VEC(double) deltas;          /* µs */
    VEC(double) timestamps;      /* µs; instead of deltas, in the older form */
    double start_time, end_time; /* as in the file; NaN = not there */
    bool has_nodes, has_samples, has_deltas, has_timestamps;
    bool is_nested; /* the older form: nodes hold their children, lines count from 1, start and end are seconds */
};

/* Reads it all and checks that it makes a whole: every node has its parent, every sample a time. Texts go to `strings`. On
 * failure, too, cpuprofile_file_free() is to be called. */
int cpuprofile_file_read(struct cpuprofile_file *file, struct byte_source *source, struct string_table *strings,
                         struct error *error);
void cpuprofile_file_free(struct cpuprofile_file *file);

/* The row of a node; INDEX_NONE where there is none. */
uint32_t cpuprofile_file_find(const struct cpuprofile_file *file, uint32_t id);

#endif
