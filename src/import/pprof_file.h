/* What is in a pprof profile (https://github.com/google/pprof/blob/main/proto/profile.proto), as it is there: nothing is added
 * up, and numbers of rows stand where the file has ids. */
#ifndef SONDE_IMPORT_PPROF_FILE_H
#define SONDE_IMPORT_PPROF_FILE_H

#include "common/byte_source.h"
#include "common/map.h"
#include "common/vec.h"

/* Texts are rows of `texts`; the first is the empty one. */
struct pprof_type {
    uint32_t name, unit; /* as in `cpu` and `nanoseconds` */
};

struct pprof_mapping {
    uint64_t start, limit, offset; /* the file's byte `offset` is at `start` */
    uint32_t file, build_id;
};

struct pprof_function {
    uint32_t name, system_name, file;
    int64_t start_line; /* 0 = unknown */
};

struct pprof_line {
    uint64_t function; /* row */
    int64_t line, column;
};

struct pprof_location {
    uint64_t mapping; /* row; INDEX_NONE = none */
    uint64_t address;
    uint32_t first_line, line_count; /* the innermost inlined call first; none where it has no symbols */
};

struct pprof_ids {
    VEC(uint64_t) of_row;
    struct map rows;
};

struct pprof_file {
    VEC(char) bytes; /* all of it */
    VEC(struct slice) texts;
    VEC(struct pprof_type) types;
    VEC(struct slice) samples; /* messages */
    VEC(struct pprof_mapping) mappings;
    VEC(struct pprof_location) locations;
    VEC(struct pprof_line) lines;
    VEC(struct pprof_function) functions;
    struct pprof_ids mapping_ids, location_ids, function_ids;
    struct pprof_type period_type;
    uint32_t default_type;                /* the name of a type; 0 = none is said */
    int64_t period, time_ns, duration_ns; /* 0 = unknown; time since 1970 */
};

struct pprof_label {
    uint32_t key, text; /* `text` 0: it is a number */
    int64_t number;
};

/* A sample taken apart, in memory that the next one uses again. */
struct pprof_sample {
    VEC(uint32_t) locations; /* rows, innermost first */
    VEC(int64_t) values;     /* one for each type */
    VEC(struct pprof_label) labels;
};

/* True where `start`, the first bytes of a file, look like a pprof profile (unpacked). */
bool pprof_recognise(struct slice start);

/* Reads all of it. `file` is zeroed, and to be freed in any case. 0 or a negative errno with a message that names the byte. */
int pprof_file_read(struct pprof_file *file, struct byte_source *source, struct error *error);
void pprof_file_free(struct pprof_file *file);

/* Sample number `row` into `sample`, which is zeroed at first. */
int pprof_file_sample(const struct pprof_file *file, size_t row, struct pprof_sample *sample, struct error *error);
void pprof_sample_free(struct pprof_sample *sample);

#endif
