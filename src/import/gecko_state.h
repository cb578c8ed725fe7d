/* What the parts of the Gecko importer share. */
#ifndef SONDE_IMPORT_GECKO_STATE_H
#define SONDE_IMPORT_GECKO_STATE_H

#include "import/gecko_table.h"
#include "import/location.h"
#include "import/processed_reader.h"
#include "profile/profile.h"

#include <math.h>

/* Keys and types of payloads that mean something to the importer, as strings of the profile. */
struct gecko_names {
    struct string_index type, stack, start_time, end_time, inner_window_id, tid, samples, schema, data, time;
};

/* A string of a payload that is known by its number in the thread's string table only. */
struct string_reference {
    size_t place; /* in the payloads */
    uint32_t string;
};

struct staged_frame {
    uint64_t inner_window_id;
    uint32_t location; /* in the thread's strings */
    uint32_t line, column, category, subcategory;
    bool relevant_for_js;
};

struct staged_stack {
    uint32_t prefix, frame;
};

struct staged_marker {
    double start, end;
    double cause_time;
    size_t data; /* offset in the payloads; SIZE_MAX = none */
    uint32_t name;
    uint32_t phase, category, cause_stack;
    struct string_index cause_tid;
};

/* Where a marker belongs among the others. */
struct marker_order {
    double key;
    uint32_t row;
};

/* A payload that turned out to be an allocation. */
struct staged_allocation {
    double time, weight, memory_address;
    int64_t thread_id; /* COLUMN_ABSENT = none */
    uint32_t stack;
    struct string_index class_name, type_name, coarse_type;
    bool in_nursery;
};

/* Windows whose code ran, each once, in the order they were met. */
struct window_set {
    VEC(uint64_t) ids;
    struct map rows;
};

/* A thread while it is read: rows with the numbers of the file. The arrays are used again for the next thread. */
struct gecko_thread {
    VEC(struct string_index) strings;
    VEC(struct staged_frame) frames;
    VEC(struct staged_stack) stacks;
    VEC(uint32_t) sample_stacks;
    double last_nanoseconds; /* time of the last sample */
    bool any_cpu_delta;
    VEC(struct staged_marker) markers; /* as in the file */
    VEC(struct marker_order) order;    /* of the markers, see gecko_sort_markers; twice as long as they are */
    VEC(struct string_reference) references;
    VEC(struct staged_allocation) js_allocations, native_allocations;
    bool balanced;                     /* the first native allocation has an address */
    struct window_set payload_windows; /* of payloads */
    struct window_set windows;         /* of frames, then of payloads */
    struct value_bytes other;          /* keys and values that are handed on */
    uint32_t other_count;
    /* for gecko_stacks.c */
    VEC(uint8_t) stack_roles, frame_roles;
    VEC(struct located) located;
    VEC(uint32_t) walked, sampled; /* new rows of each stack */
    VEC(uint32_t) copy_of_frame;
};

/* A frame that is both called from and returned to: a copy of its row, for the first role. */
struct frame_copy {
    struct frame frame;
    bool by_backtrace; /* these come first */
};

struct gecko_process {
    int64_t version;
    double start_time;    /* ms since 1970 */
    double shift;         /* ms to be added to its times */
    double shutdown_time; /* NaN = none */
    bool is_child;
    bool has_meta, has_libs, has_sources;
    struct value_bytes paused_ranges; /* a packed array, or empty */
    uint32_t number;                  /* 0 = the parent */
    size_t first_thread, end_thread;
};

struct gecko {
    struct profile *profile;
    struct error *error;
    struct gecko_names names;
    struct processed processed; /* for the parts of `meta` that processed profiles have in common */
    struct location_resolver locations;
    struct gecko_process process;
    struct gecko_thread thread;
    uint32_t process_count;
    VEC(struct thread_index) main_threads; /* of each process; thread_none() = it has none */
    VEC(uint32_t) counter_processes;       /* of each counter */
    VEC(uint8_t) special_types;            /* by string index: payloads of the type need a second look */
    VEC(uint32_t) stack_frames;            /* of every row of the profile's stacks, see gecko_stacks.c */
    VEC(struct frame_copy) copies;
    struct value_bytes scratch;
    struct value_bytes pages, logs; /* items without the array or object around them */
    uint32_t page_count, log_count;
    struct value_bytes gathering_log;
    int64_t last_tid; /* a cache of one: most backtraces are of the thread itself */
    struct string_index last_tid_text;
};

/* gecko_meta.c: the value of `meta`. The parent's becomes that of the profile. */
void gecko_read_meta(struct gecko *gecko, struct json_reader *r);

/* gecko_process.c: other parts of a process, and its end. */
void gecko_read_libs(struct gecko *gecko, struct json_reader *r);
void gecko_read_sources(struct gecko *gecko, struct json_reader *r);
void gecko_read_counters(struct gecko *gecko, struct json_reader *r);
bool gecko_finish_process(struct gecko *gecko);

/* At the end of the file: counters get their threads. */
void gecko_finish_counters(struct gecko *gecko);

/* gecko_thread.c: one thread, which ends up in the profile. */
void gecko_read_thread(struct gecko *gecko, struct json_reader *r);
void gecko_thread_free(struct gecko_thread *thread);

/* Ids of windows are 64 bits without sign, and come as numbers that cannot hold them all. */
uint64_t gecko_window(double id);

/* 0 is none. False when the heap is empty. */
bool window_set_add(struct window_set *set, uint64_t id);

/* gecko_markers.c: the value of `markers`, and what becomes of it once the thread's strings and stacks are known. */
void gecko_read_markers(struct gecko *gecko, struct json_reader *r, struct thread *thread);
bool gecko_sort_markers(struct gecko *gecko);
bool gecko_finish_markers(struct gecko *gecko, struct json_reader *r, struct thread *thread);

/* gecko_payload.c: the payload of a marker. `marker` gets the place of the packed payload and what the payload's stack says;
 * a payload that is an allocation goes to the thread's allocations instead, and the answer is false: no marker is left. */
bool gecko_read_payload(struct gecko *gecko, struct json_reader *r, struct value_bytes *payloads, struct staged_marker *marker);

/* gecko_backtrace.c: the object under `stack` of a payload. It is packed at the end of `out` only if it has no sample;
 * otherwise the marker gets the sample. False when the heap is empty. */
bool gecko_read_backtrace(struct gecko *gecko, struct json_reader *r, struct value_bytes *out, struct staged_marker *marker);

/* Marks the types that need more than being packed, once the schemas are known. */
bool gecko_note_special_types(struct gecko *gecko);

/* gecko_stacks.c: funcs, frames and stacks of the thread go to the profile; afterwards `walked` and `sampled` say where. */
bool gecko_finish_stacks(struct gecko *gecko, struct json_reader *r);

/* At the end of the file: writes what could not be written before all threads were there. */
bool gecko_finish_copies(struct gecko *gecko);

/* The number as a string of the profile. */
struct string_index gecko_add_number(struct gecko *gecko, int64_t number);

/* A pid or tid, number or text, as text; `is_text` may be NULL. */
struct string_index gecko_read_id(struct gecko *gecko, struct json_reader *r, bool *is_text);

/* A text or null as a string of the profile. */
struct string_index gecko_read_string(struct gecko *gecko, struct json_reader *r);

/* Milliseconds as whole nanoseconds, rounded as JavaScript does. */
static inline double gecko_nanoseconds(double milliseconds)
{
    double nanoseconds = milliseconds * 1e6 + 0.5;
    if (__builtin_expect(nanoseconds >= 0 && nanoseconds < 0x1p52, 1))
        return (double)(int64_t)nanoseconds;
    return floor(nanoseconds);
}

/* A time, in nanoseconds. Most have six places at most, so that their digits are the answer already. */
static inline double gecko_read_nanoseconds(struct json_reader *r)
{
    static const double scale[] = {1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0};
    int64_t mantissa;
    size_t places;
    if (__builtin_expect(!json_decimal(r, &mantissa, &places), 0))
        return gecko_nanoseconds(json_number(r));
    if (__builtin_expect(places <= 6 && mantissa >= 0, 1))
        return (double)mantissa * scale[places];
    return gecko_nanoseconds((double)mantissa / json_powers_of_ten[places]);
}

#endif
