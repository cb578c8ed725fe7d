/* The lines of what `perf script` prints, taken apart. Names of threads, symbols and modules may hold nearly anything, so lines
 * are read as the Firefox Profiler reads them: from the end. */
#ifndef SONDE_IMPORT_PERF_LINE_H
#define SONDE_IMPORT_PERF_LINE_H

#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* `V8 Worker 24636/25607 [000] 94564.109216:     250000 cycles:u:`, with or without the pid and the CPU. */
struct perf_sample_line {
    struct slice name;
    uint64_t pid, tid;  /* pid 0 where it does not say */
    double time;        /* ms */
    struct slice event; /* `cycles:u`; empty where it does not say */
    uint64_t period;    /* how many of these events the sample stands for; 0 where it does not say */
    struct slice rest;  /* what comes after the time */
};

bool perf_sample_line_parse(struct slice text, struct perf_sample_line *line);

/* `burn 6813/6813 [001] 4209.377826: PERF_RECORD_MMAP2 …`, which --show-mmap-events and its like put between samples. */
bool perf_line_is_record(struct slice text);

/* True where the text has that form beyond doubt: ids, CPU and time follow each other. */
bool perf_sample_line_recognise(struct slice text);

/* `4d2 parse+0x12 (/usr/bin/node)`: `parse` in `/usr/bin/node`, which may be empty. A frame that is `(inlined)` has no module:
 * it is in that of the next frame outwards. */
struct perf_frame_line {
    struct slice symbol, module;
    bool is_inlined;
    uint64_t address; /* UINT64_MAX where it does not say */
    uint64_t offset;  /* in the symbol; UINT64_MAX where it does not say */
};

bool perf_frame_line_parse(struct slice text, struct perf_frame_line *line);

/* Where there are no call chains the only frame stands behind the event: `250000 cycles:u:  4d2 parse+0x12 (/usr/bin/node)`.
 * Finds it in the rest of a sample line. */
bool perf_flat_frame_parse(struct slice rest, struct perf_frame_line *line);

/* `  parse.c:12`, on a line of its own behind that of a frame (`-F +srcline`). It is where perf says that a frame is inlined,
 * then, `  parse.c:12 (inlined)`. */
struct perf_source_line {
    struct slice file; /* empty where that is unknown */
    uint32_t line;
    bool is_inlined;
};

bool perf_source_line_parse(struct slice text, struct perf_source_line *line);

bool perf_line_is_blank(struct slice text);

#endif
