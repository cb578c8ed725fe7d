/* The entries of a session: for each kind a struct, a function that writes it and one that reads it.
 *
 * Times are nanoseconds since the start of the process (file header). A thread is named by a number that is never used
 * again in this process, so recycled thread ids cannot be mixed up. Texts stand in the entry itself; whoever reads interns
 * them.
 *
 * Entries of CHUNK_KEPT say what the others refer to; they come first when a session is read:
 *
 *     PROCESS CONFIGURATION CATEGORY THREAD THREAD_NAME THREAD_END MODULE MODULE_END MARKER_TYPE COUNTER CODE CODE_MOVED
 *     RUNTIME ALLOCATIONS
 *
 * Entries of CHUNK_SAMPLES. A chunk has one writer: a thread of the program, in its signal handler, or the looker.
 *
 *     SAMPLE   a thread was running, and its own CPU clock interrupted it: here
 *     LOOK     a thread was looked at from outside: how long it has run, wanted to run, and how often; where it waits
 *     COUNTER_SAMPLE, PAUSE, RESUME, …
 *
 * A SAMPLE or LOOK names only the frames that are not shared with the previous SAMPLE (LOOK) of the same thread in the same
 * chunk; the first one in a chunk is whole. So every chunk can be understood without the others.
 *
 * Entries of CHUNK_MARKERS: MARKER, COUNTER_SAMPLE; and of native memory
 *
 *     ALLOCATION   a block that was sampled, where the thread allocated it
 *     FREE         … and that it was freed, by any thread: in the order of their times the two of an address take turns
 *     UNMAP        pages that are mapped no more: of mappings, whole or in part
 *     OBJECT       an object of Java that was sampled: nobody tells when it is gone
 *
 * Before a chunk is recycled the ALLOCATION entries in it whose blocks are live are written again, as they were: one with the
 * time and address of another is the same.
 *
 * Where every allocation is written down there are short entries instead of the first two. They are read in the order in which
 * they stand in their chunk, from the CALLER that comes before them there; nothing is shared with other chunks:
 *
 *     CALLER       whose the next ones are, and the time from which they count on
 *     CALL_PATH    a stack: the first behind a CALLER has the number 0, the next 1 …
 *     ALLOCATED    a block, with the number of its stack
 *     FREED        a block is freed */
#ifndef SONDE_SESSION_ENTRY_H
#define SONDE_SESSION_ENTRY_H

#include "common/frame_tier.h"
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
    ENTRY_SAMPLE,
    ENTRY_LOOK,
    ENTRY_COUNTER_SAMPLE,
    ENTRY_PAUSE, /* each of these four: time */
    ENTRY_RESUME,
    ENTRY_PAUSE_SAMPLING,
    ENTRY_RESUME_SAMPLING,
    ENTRY_MARKER,
    ENTRY_CODE,
    ENTRY_CODE_MOVED,
    ENTRY_RUNTIME,
    ENTRY_ALLOCATIONS,
    ENTRY_ALLOCATION,
    ENTRY_FREE,
    ENTRY_UNMAP,
    ENTRY_CALLER,
    ENTRY_CALL_PATH,
    ENTRY_ALLOCATED,
    ENTRY_FREED,
    ENTRY_OBJECT,
    ENTRY_KIND_COUNT
};

/* Those that others refer to. */
static inline bool entry_kind_is_kept(enum entry_kind kind)
{
    return kind < ENTRY_SAMPLE || (kind > ENTRY_MARKER && kind < ENTRY_ALLOCATION);
}

struct process_entry {
    struct slice name;       /* file name of the executable, or what sonde_set_process_name said */
    struct slice executable; /* path */
    struct slice arguments;  /* as in /proc/self/cmdline: NUL-separated; may be cut */
    /* In SESSION/looks the first two are empty: the recorder tells what the command line was later, titles that were set. */
};

struct configuration_entry {
    uint64_t interval_ns;
    uint64_t features;          /* bits, see ipc/feature_set.h … */
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
    bool sampled; /* its stacks or CPU time are wanted */
    uint64_t time;
    uint64_t cpu_ns; /* CPU time that it had used by then */
    uint64_t labels; /* address of its label stack in the process, for the looker; 0 = it has none */
    uint64_t handle; /* its pthread_t, by which runtimes know it; 0 = not known */
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
    uint64_t cpu_ns;    /* CPU time that it had used by then; 0 = not known */
    uint64_t kernel_ns; /* of that in the kernel, as the kernel's ticks found it; 0 = not known */
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

/* Language runtimes. */
enum runtime_kind {
    RUNTIME_PYTHON = 1,
    RUNTIME_V8,
    RUNTIME_HOTSPOT,
    RUNTIME_KIND_COUNT,
};

/* Code that a runtime made, or a function that its frames name by a number. It is there from its time on, until other code is
 * said to be at the same place: nobody says when code goes. */
struct code_entry {
    uint64_t time;
    uint8_t runtime;         /* enum runtime_kind */
    uint8_t tier;            /* enum frame_tier; TIER_BUILTIN: no function of the program */
    bool was_there;          /* it was there before, since when is not known */
    uint64_t start, size;    /* in memory; size 0: `start` is the number that frames say */
    struct slice name, file; /* both may be empty */
    uint32_t line, column;   /* where it is defined; 0 = not known */
    struct slice lines;      /* see code_line_write() */
};

/* Code, and all that was said of it, is somewhere else from now on. */
struct code_moved_entry {
    uint64_t time, from, to;
};

/* From this offset in the code on, until the next one: of machine code in bytes, of functions with a number as frames say. */
struct code_line {
    uint32_t offset, line;
};

/* A language runtime that the process has in it (runtime/runtime.h). */
struct runtime_entry {
    uint64_t time;
    uint8_t runtime;     /* enum runtime_kind */
    bool is_known;       /* its frames are in the stacks; false: it is of a version or build that cannot be walked */
    struct slice name;   /* with its version */
    struct slice layout; /* for who looks from outside: bytes, of the same build of Sonde */
};

/* One frame. Native frames have only an address; labels and frames of a language runtime have a text. Numbered frames are in
 * code that a CODE entry tells of: the newest one at or before the time of the stack. */
enum frame_kind { FRAME_NATIVE, FRAME_LABEL, FRAME_RUNTIME, FRAME_NUMBERED };

struct frame_entry {
    enum frame_kind kind;
    bool relevant_for_js;
    uint64_t address;               /* native: a return address, of the youngest frame the pc itself; numbered: the number */
    struct slice text;              /* label: what is shown; runtime: the function's name */
    struct slice file;              /* runtime; may be empty */
    uint32_t line, column;          /* runtime; 0 = none */
    uint32_t category, subcategory; /* label, runtime */
    uint32_t position;              /* numbered: offset of a line; of code in memory, to be added to the address */
    uint8_t runtime;                /* numbered: enum runtime_kind */
    uint8_t tier;                   /* numbered: enum frame_tier; TIER_NONE = that of the code */
};

enum { STACK_FRAMES_MAX = 1024 };

/* Frames as they stand in an entry: read one after the other with frame_reader_next(), oldest first. */
struct frames_slice {
    struct slice bytes;
    uint32_t count;
};

/* A stack as it stands in a SAMPLE, LOOK, ALLOCATION or CALL_PATH. */
struct stack_part {
    uint32_t shared; /* so many of the oldest frames are those of the previous entry of this kind, thread and chunk; of an
                        ALLOCATION none */
    bool truncated;  /* the oldest frames are missing */
    struct frames_slice frames; /* the others */
};

/* What interrupted the thread. */
enum sample_clock {
    SAMPLE_BY_TICK,  /* a timer of its CPU time, which the kernel looks at in its own ticks: kernel time counts, too */
    SAMPLE_BY_EVENT, /* an event of its CPU time (perf_event_open), which comes only while it runs code of its own */
    /* No clocks, and nothing that CPU time is measured by: a page fault of its own code, which is over. */
    SAMPLE_BY_FAULT,       /* the page was in memory, or is new */
    SAMPLE_BY_MAJOR_FAULT, /* it had to be read */
};

static inline bool sample_clock_is_fault(uint8_t clock)
{
    return clock >= SAMPLE_BY_FAULT;
}

struct sample_entry {
    uint32_t thread;
    uint64_t time;
    uint8_t clock; /* enum sample_clock */
    bool in_call;  /* it was about to return from a system call: the time was used in the kernel … */
    bool in_fault; /* … or from a page fault; false also where that is not known */
    bool has_event_delay;
    uint64_t event_delay_ns;
    uint32_t ticks; /* of SAMPLE_BY_TICK: of the kernel's, since the one before; there are many at the end of a long call. Of a
                       fault: so many it stands for */
    uint32_t skipped; /* ticks since the thread's last SAMPLE that found it in its own code, and are none: events see that */
    struct stack_part stack;
};

enum look_state {
    LOOK_RUNNING, /* it had a CPU or wanted one: no stack */
    LOOK_WAITING, /* it was blocked: its stack, if it could be read */
    LOOK_ENDED,   /* it is not there any more: the figures are the last that were seen */

    LOOK_HAS_KERNEL = 4, /* in the byte of a session, beside the state: there is a kernel_ns … */
    LOOK_HAS_PERIOD = 8, /* … a period_ns … */
    LOOK_HAS_WAITS = 16, /* … and waits */
};

enum { LOOK_READY_LEAST_NS = 100000 }; /* less ready time than this is told with what comes next */

/* The figures are those of the scheduler (/proc/PID/task/TID/schedstat), since the thread began. */
struct look_entry {
    int32_t tid;
    uint64_t time;
    uint8_t state;      /* enum look_state */
    uint64_t cpu_ns;    /* it ran */
    uint64_t ready_ns;  /* it wanted to run, and had no CPU */
    uint64_t runs;      /* how often it got one: where this has not changed, it is still the same wait */
    uint64_t kernel_ns; /* of cpu_ns in the kernel, as the kernel's ticks found it; 0 = not looked up */
    uint64_t period_ns; /* from now on its events are so much CPU time apart; 0 = as before */
    uint64_t waits;     /* how often it has begun to wait (/proc/PID/task/TID/status); 0 = never, or not looked up */
    struct stack_part stack;
};

struct counter_sample_entry {
    uint32_t counter;
    uint64_t time;
    int64_t count;   /* the value itself, not the change */
    uint64_t number; /* of operations so far */
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

/* How the process's allocations are recorded, from now on. What they come to is in the statistics of the file. */
enum allocation_mode {
    ALLOCATIONS_ADAPTIVE, /* sampled, with a mean that keeps the costs below a share of the CPU time */
    ALLOCATIONS_FIXED,    /* sampled, with one mean */
    ALLOCATIONS_ALL,      /* every one: CALLER … FREED */
    ALLOCATION_MODE_COUNT,
};

struct allocations_entry {
    uint64_t time;
    uint8_t mode;           /* enum allocation_mode */
    bool maps;              /* mappings, too */
    bool is_unseen;         /* the program has an allocator in its own file: what that gives out is not recorded */
    uint64_t mean;          /* bytes: ADAPTIVE: at first; ALL: 0 */
    uint64_t budget_ppm;    /* ADAPTIVE: the share of the CPU time */
    struct slice allocator; /* path of the module whose malloc is called; empty = not known */
};

/* What a block is of. */
enum allocation_source {
    ALLOCATION_HEAP,   /* malloc and its relatives */
    ALLOCATION_MAPPED, /* mmap, mremap, brk: every one above a size, mean 0; ended by UNMAP, not by FREE */
    ALLOCATION_SOURCE_COUNT,
};

struct allocation_entry {
    uint32_t thread; /* 0 = one that is not registered */
    uint8_t source;  /* enum allocation_source */
    uint64_t time, address, size;
    uint64_t mean; /* it was sampled with, in bytes: allocations/sampling.h */
    struct stack_part stack;
};

struct free_entry {
    uint32_t thread; /* 0 = one that is not registered */
    uint64_t time, address;
};

/* Whatever was mapped there: a part of a mapping, or several. */
struct unmap_entry {
    uint32_t thread; /* 0 = one that is not registered */
    uint64_t time, address, size;
};

struct object_entry {
    uint32_t thread; /* 0 = one that is not registered */
    uint64_t time, size;
    uint64_t mean; /* it was sampled with, in bytes */
    struct slice class_name;
    struct stack_part stack;
};

struct caller_entry {
    uint32_t thread; /* 0 = one that is not registered */
    uint64_t time;   /* what the next event counts from; its address counts from 0 */
};

struct call_path_entry {
    struct stack_part stack;
};

/* Of the thread's events behind one CALLER: time and address are what they are more (or less) than those of the one before. */
struct allocated_entry {
    uint32_t path; /* number of the CALL_PATH */
    uint64_t time_delta, size;
    int64_t address_delta; /* in units of ALLOCATED_ALIGNMENT */
};

struct freed_entry {
    uint64_t time_delta;
    int64_t address_delta; /* in units of ALLOCATED_ALIGNMENT */
};

enum { ALLOCATED_ALIGNMENT = 8 }; /* what allocators give out is a multiple of it, at least */

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
size_t entry_write_code(uint8_t *out, size_t room, const struct code_entry *entry);
size_t entry_write_code_moved(uint8_t *out, size_t room, const struct code_moved_entry *entry);
size_t entry_write_runtime(uint8_t *out, size_t room, const struct runtime_entry *entry);
size_t entry_write_sample(uint8_t *out, size_t room, const struct sample_entry *entry);
size_t entry_write_look(uint8_t *out, size_t room, const struct look_entry *entry);
size_t entry_write_counter_sample(uint8_t *out, size_t room, const struct counter_sample_entry *entry);
size_t entry_write_time(uint8_t *out, size_t room, enum entry_kind kind, uint64_t time);
size_t entry_write_marker(uint8_t *out, size_t room, const struct marker_entry *entry);
size_t entry_write_allocation(uint8_t *out, size_t room, const struct allocation_entry *entry);
size_t entry_write_free(uint8_t *out, size_t room, const struct free_entry *entry);
size_t entry_write_allocations(uint8_t *out, size_t room, const struct allocations_entry *entry);
size_t entry_write_unmap(uint8_t *out, size_t room, const struct unmap_entry *entry);
size_t entry_write_object(uint8_t *out, size_t room, const struct object_entry *entry);
size_t entry_write_caller(uint8_t *out, size_t room, const struct caller_entry *entry);
size_t entry_write_call_path(uint8_t *out, size_t room, const struct call_path_entry *entry);
size_t entry_write_allocated(uint8_t *out, size_t room, const struct allocated_entry *entry);
size_t entry_write_freed(uint8_t *out, size_t room, const struct freed_entry *entry);

/* Frames are put one after the other into a buffer, oldest first, and then stand in `frames`. A native address is kept as
 * its distance to the previous one. `previous` starts as 0. 0 = no room. */
size_t frame_write(uint8_t *out, size_t room, const struct frame_entry *frame, uint64_t *previous);

/* Lines of code are put one after the other into a buffer, by offset, and then stand in `lines`. `previous` starts as 0, 0. 0 =
 * no room, or not behind the one before. */
size_t code_line_write(uint8_t *out, size_t room, struct code_line line, struct code_line *previous);

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
        struct code_entry code;
        struct code_moved_entry code_moved;
        struct sample_entry sample;
        struct look_entry look;
        struct counter_sample_entry counter_sample;
        struct marker_entry marker;
        struct runtime_entry runtime;
        struct allocation_entry allocation;
        struct free_entry free;
        struct allocations_entry allocations;
        struct unmap_entry unmap;
        struct object_entry object;
        struct caller_entry caller;
        struct call_path_entry call_path;
        struct allocated_entry allocated;
        struct freed_entry freed;
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

/* Takes the next line off the front of `lines`; `line` is the one before, 0, 0 at the start. False at the end, and where the
 * bytes are no line (then they are all still there). */
bool code_line_read(struct slice *lines, struct code_line *line);

/* Takes the next value, of the kind `input`, off the front of `values`. False where there is none. */
bool marker_value_read(struct slice *values, enum marker_input input, struct marker_value *value);

#endif
