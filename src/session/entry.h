/* The entries of a session: for each kind a struct, a function that writes it and one that reads it.
 *
 * Times are nanoseconds since the start of the process (file header). A thread is named by a number that is never used
 * again in this process, so recycled thread ids cannot be mixed up. Texts stand in the entry itself; whoever reads interns
 * them.
 *
 * Entries of CHUNK_KEPT say what the others refer to; they come first when a session is read:
 *
 *     PROCESS CONFIGURATION CATEGORY THREAD THREAD_NAME THREAD_END MODULE MODULE_END MARKER_TYPE COUNTER
 *
 * Entries of CHUNK_SAMPLES, in order of time:
 *
 *     TICK                  the sampler starts a loop
 *     STACK thread frames   from here on, this is the thread's stack
 *     SAMPLE thread         the thread was looked at in this tick: its CPU time, its event delay
 *     COUNTER_SAMPLE, PAUSE, RESUME, …, OVERHEAD
 *
 * A sampled thread without a SAMPLE between two TICKs did not run: its stack is the same, its CPU delta 0. An idle thread
 * so costs nothing. A STACK names only the frames that are not shared with the thread's previous STACK in the same chunk (the
 * first one in a chunk is whole). Before a chunk of samples is recycled, the sampler writes anew the STACK of every thread
 * whose last one it holds, so that what is kept can always be understood.
 *
 * Entries of CHUNK_MARKERS: MARKER. */
#ifndef SONDE_SESSION_ENTRY_H
#define SONDE_SESSION_ENTRY_H

#include "common/marker_phase.h"
#include "common/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum entry_kind {
    ENTRY_PROCESS = 1,
    ENTRY_CONFIGURATION,
    ENTRY_CATEGORY,
    ENTRY_THREAD,
    ENTRY_THREAD_NAME,
    ENTRY_THREAD_END,
    ENTRY_MODULE,
    ENTRY_MODULE_END,
    ENTRY_MARKER_TYPE,
    ENTRY_COUNTER,
    ENTRY_TICK,
    ENTRY_STACK,
    ENTRY_SAMPLE,
    ENTRY_COUNTER_SAMPLE,
    ENTRY_PAUSE, /* each of these four: time */
    ENTRY_RESUME,
    ENTRY_PAUSE_SAMPLING,
    ENTRY_RESUME_SAMPLING,
    ENTRY_OVERHEAD,
    ENTRY_MARKER,
    ENTRY_KIND_COUNT
};

struct process_entry {
    struct slice name;       /* file name of the executable, or what sonde_set_process_name said */
    struct slice executable; /* path */
    struct slice arguments;  /* as in /proc/self/cmdline: NUL-separated; may be cut */
};

struct configuration_entry {
    uint64_t interval_ns;
    uint64_t features;          /* bits, see capture/feature_set.h … */
    struct slice feature_names; /* … and their names, comma-separated, for readers */
    struct slice filters;       /* comma-separated; empty = all threads */
    uint64_t capacity_bytes;
    uint64_t duration_ns; /* 0 = no limit */
    uint64_t time;        /* when this session started */
};

struct category_entry {
    uint32_t category; /* its number; the index in the profile */
    struct slice name, colour;
    struct slice subcategories; /* NUL-separated; the first is the default */
};

/* Said again, with its present name, when more is wanted of the thread than before, and by every later recording. */
struct thread_entry {
    uint32_t thread; /* from 1 on */
    int32_t tid;
    bool main;
    bool sampled; /* its stacks or CPU time are wanted: it has a row at every tick */
    uint64_t time;
    struct slice name;
};

struct thread_name_entry {
    uint32_t thread;
    uint64_t time;
    struct slice name;
};

struct thread_end_entry {
    uint32_t thread;
    uint64_t time;
};

struct module_entry {
    uint32_t module;
    uint64_t time, start, end, bias;
    struct slice path, build_id; /* bytes, not text */
};

/* Addresses in a module are told relative to this: where its first segment, `start`, is mapped, which is the start of a page.
 */
static inline uint64_t module_image_base(uint64_t start)
{
    return start & ~(uint64_t)4095;
}

struct module_end_entry {
    uint32_t module;
    uint64_t time;
};

/* The schema of a marker type. Its texts are those of the public macros (sonde.h) and of the Gecko format. */
struct marker_field {
    struct slice key, label, format; /* format: "url", "bytes", "duration", … */
    uint8_t input;                   /* enum marker_input: how the value is encoded in MARKER entries */
    bool hidden;
};

enum { MARKER_FIELDS_MAX = 32 };

enum marker_input {
    INPUT_TEXT,
    INPUT_SIGNED,
    INPUT_UNSIGNED,
    INPUT_DOUBLE,
    INPUT_BOOLEAN,
    INPUT_TIME,
    INPUT_FLOW,
    INPUT_COUNT
};

struct marker_type_entry {
    uint32_t type;                                                                   /* from 1 on; 0 = no payload */
    struct slice name;                                                               /* unique */
    struct slice description, chart_label, tooltip_label, table_label, colour_field; /* empty = none */
    struct slice display; /* comma-separated: "marker-chart,marker-table" */
    bool stack_based;
    uint8_t field_count;
    struct marker_field fields[MARKER_FIELDS_MAX];
};

struct counter_entry {
    uint32_t counter; /* from 1 on */
    uint64_t time;
    struct slice name, category, description;
};

struct tick_entry {
    uint64_t time;
};

/* One frame. Native frames have only an address; labels and frames of a language runtime have a text. */
enum frame_kind { FRAME_NATIVE, FRAME_LABEL, FRAME_RUNTIME };

struct frame_entry {
    enum frame_kind kind;
    bool relevant_for_js;
    uint64_t address;               /* native: a return address, of the youngest frame the pc itself */
    struct slice text;              /* label: what is shown; runtime: the function's name */
    struct slice file;              /* runtime; may be empty */
    uint32_t line, column;          /* runtime; 0 = none */
    uint32_t category, subcategory; /* label, runtime */
};

enum { STACK_FRAMES_MAX = 1024 };

/* Frames as they stand in an entry: read one after the other with frame_reader_next(), oldest first. */
struct frames_slice {
    struct slice bytes;
    uint32_t count;
};

struct stack_entry {
    uint32_t thread;
    uint32_t shared;            /* so many of the oldest frames are those of the previous STACK */
    bool truncated;             /* the oldest frames are missing */
    struct frames_slice frames; /* the others */
};

struct sample_entry {
    uint32_t thread;
    uint64_t since_tick_ns; /* time of the sample − time of its TICK */
    uint64_t cpu_ns;        /* CPU time since the thread's previous sample */
    bool has_event_delay;
    uint64_t event_delay_ns;
};

struct counter_sample_entry {
    uint32_t counter;
    uint64_t time;
    int64_t count;   /* the value itself, not the change */
    uint64_t number; /* of operations so far */
};

struct overhead_entry {
    uint64_t time, locking_ns, cleaning_ns, counters_ns, threads_ns;
};

struct marker_entry {
    uint32_t thread; /* on whose track it stands; 0 = the main thread's, from an unregistered one */
    uint32_t type;
    uint8_t phase; /* enum marker_phase */
    uint32_t category, subcategory;
    uint64_t start, end; /* those that the phase has */
    struct slice name;
    bool has_stack;
    uint32_t stack_thread; /* whose stack it is */
    uint64_t stack_time;
    struct frames_slice stack; /* whole */
    struct slice values;       /* of the fields, see marker_value_read */
};

struct marker_value {
    enum marker_input input;
    union {
        struct slice text;
        int64_t integer;
        uint64_t number; /* unsigned, flow, time */
        double real;
        bool boolean;
    };
};

/* Writing: each returns how many bytes the entry takes (kind and data, without the size in front), or 0 where `room` is too
 * small, or there are more frames or fields than the maximum. Safe in a signal handler.
 *
 * How much room is enough: all of an entry but its texts, frames and values takes at most ENTRY_NUMBERS_MAX (in MARKER_TYPE:
 * and as much again for each field). A MARKER takes less, but must have that much. */
enum { ENTRY_NUMBERS_MAX = 96 };

size_t entry_write_process(uint8_t *out, size_t room, const struct process_entry *entry);
size_t entry_write_configuration(uint8_t *out, size_t room, const struct configuration_entry *entry);
size_t entry_write_category(uint8_t *out, size_t room, const struct category_entry *entry);
size_t entry_write_thread(uint8_t *out, size_t room, const struct thread_entry *entry);
size_t entry_write_thread_name(uint8_t *out, size_t room, const struct thread_name_entry *entry);
size_t entry_write_thread_end(uint8_t *out, size_t room, const struct thread_end_entry *entry);
size_t entry_write_module(uint8_t *out, size_t room, const struct module_entry *entry);
size_t entry_write_module_end(uint8_t *out, size_t room, const struct module_end_entry *entry);
size_t entry_write_marker_type(uint8_t *out, size_t room, const struct marker_type_entry *entry);
size_t entry_write_counter(uint8_t *out, size_t room, const struct counter_entry *entry);
size_t entry_write_tick(uint8_t *out, size_t room, const struct tick_entry *entry);
size_t entry_write_stack(uint8_t *out, size_t room, const struct stack_entry *entry);
size_t entry_write_sample(uint8_t *out, size_t room, const struct sample_entry *entry);
size_t entry_write_counter_sample(uint8_t *out, size_t room, const struct counter_sample_entry *entry);
size_t entry_write_time(uint8_t *out, size_t room, enum entry_kind kind, uint64_t time);
size_t entry_write_overhead(uint8_t *out, size_t room, const struct overhead_entry *entry);
size_t entry_write_marker(uint8_t *out, size_t room, const struct marker_entry *entry);

/* Frames are put one after the other into a buffer, oldest first, and then stand in `frames`. A native address is kept as
 * its distance to the previous one. `previous` starts as 0. 0 = no room. */
size_t frame_write(uint8_t *out, size_t room, const struct frame_entry *frame, uint64_t *previous);

/* One value of a marker's field, as its type's field says. 0 = no room. */
size_t marker_value_write(uint8_t *out, size_t room, const struct marker_value *value);

/* Reading, from bytes nobody vouches for: `entry` (without its size, as the visitor of reader.h finds it) is checked in full.
 * Slices point into it. */
struct any_entry {
    enum entry_kind kind;
    union {
        struct process_entry process;
        struct configuration_entry configuration;
        struct category_entry category;
        struct thread_entry thread;
        struct thread_name_entry thread_name;
        struct thread_end_entry thread_end;
        struct module_entry module;
        struct module_end_entry module_end;
        struct marker_type_entry marker_type;
        struct counter_entry counter;
        struct tick_entry tick;
        struct stack_entry stack;
        struct sample_entry sample;
        struct counter_sample_entry counter_sample;
        struct overhead_entry overhead;
        struct marker_entry marker;
        uint64_t time; /* PAUSE … RESUME_SAMPLING */
    };
};

/* False where the bytes are no entry. */
bool entry_read(struct slice bytes, struct any_entry *entry);

struct frame_reader {
    struct slice rest;
    uint32_t left;
    uint64_t previous;
};

void frame_reader_init(struct frame_reader *reader, const struct frames_slice *frames);
/* False at the end, and where the bytes are no frame (then `left` is not 0). */
bool frame_reader_next(struct frame_reader *reader, struct frame_entry *frame);

/* Takes the next value, of the kind `input`, off the front of `values`. False where there is none. */
bool marker_value_read(struct slice *values, enum marker_input input, struct marker_value *value);

#endif
