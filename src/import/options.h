/* What can be said to importers. */
#ifndef SONDE_IMPORT_OPTIONS_H
#define SONDE_IMPORT_OPTIONS_H

#include "trace/trace_read.h"

/* For whoever wants a trace as it is, not made into a profile. */
struct import_trace {
    struct trace_read_options options;
    struct trace trace; /* zeroed at first, and to be freed in any case */
    bool found;         /* the file was a Chrome trace or a .cpuprofile, which `trace` has now; there is no profile then */
};

/* For formats that say where code is in its file, and not at which address it is loaded. */
struct import_files {
    /* The address, relative to the image base, of what a file has at `offset`; `offset` where the file is not there. NULL = as
     * if no file were there. */
    uint64_t (*address_of_offset)(void *context, struct slice path, uint64_t offset);
    void *context;
};

/* Zeroed is the usual way. */
struct import_options {
    bool thin;         /* of V8's profiles and traces the samples that the Firefox Profiler takes, each counted once */
    const char *event; /* of `perf script` text and pprof profiles the samples of this one; NULL = the usual one */
    struct import_files files;
    struct import_trace *trace; /* gets the trace, where the file is one; NULL = it is made into a profile */
};

#endif
