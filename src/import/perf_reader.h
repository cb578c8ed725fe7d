/* What is gathered of a `perf script` text while it is read (perf_script.c), and made a profile at its end (perf_profile.c). */
#ifndef SONDE_IMPORT_PERF_READER_H
#define SONDE_IMPORT_PERF_READER_H

#include "import/line_reader.h"
#include "import/perf_events.h"
#include "import/perf_maps.h"
#include "import/stack_builder.h"

struct perf_sample {
    double time;
    uint32_t stack;
    uint32_t order; /* in the file, of samples of one time */
};

struct perf_frame {
    struct string_index location, file; /* STRING_NONE = unknown */
    uint32_t line;                      /* INDEX_NONE = unknown */
    uint32_t module;                    /* of the maps, INDEX_NONE = unknown: then the next two say nothing */
    uint64_t address;                   /* in the module, of the call where it is one */
    uint64_t symbol;                    /* where the function that was not inlined begins; UINT64_MAX = unknown */
    struct string_index symbol_location;
    uint32_t inline_depth;
};

/* A frame of the sample being read. */
struct perf_stack_frame {
    struct perf_frame frame;
    uint64_t address; /* as it stands there; UINT64_MAX = none */
};

/* Threads take turns in the file, but each wants its rows of the frame and stack tables in one piece: they are gathered here
 * first, those of each event by themselves. */
struct perf_thread {
    uint64_t pid, tid;
    uint32_t event;
    struct string_index name;
    VEC(struct perf_frame) frames;
    struct map frame_of_location;
    struct stack_builder stacks;
    VEC(struct perf_sample) samples;
};

struct perf_reader {
    struct profile *profile;
    struct line_reader lines;
    VEC(struct perf_thread) threads;
    struct map thread_of_tid; /* and of its event */
    struct perf_events events;
    struct perf_maps maps;
    struct map symbol_rows;                  /* native symbols, by module and start */
    uint64_t without_frames;                 /* samples */
    VEC(struct perf_stack_frame) stack;      /* of the sample being read, innermost first */
    VEC(struct string_index) inlined;        /* names at the end of `stack` whose module is that of the next frame */
    VEC(char) location;                      /* being put together */
    VEC(struct string_index) file_of_string; /* by location: the source file that was first seen of it */
    struct category_index user, kernel;
    bool has_start_time;
    struct error *error;
};

/* The source file that was first seen of a function; STRING_NONE where none was. */
static inline struct string_index perf_reader_file(const struct perf_reader *reader, struct string_index location)
{
    return location.i < reader->file_of_string.count ? reader->file_of_string.items[location.i] : STRING_NONE;
}

/* The profile of the event called `wanted`, or of the usual one where that is NULL. */
int perf_reader_build(struct perf_reader *reader, const char *wanted);

#endif
