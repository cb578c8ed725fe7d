/* What the files session*.c share: the state of reading a session.
 *
 *     session.c            files, processes, the order of things
 *     session_state.c      texts and ids as strings of the profile
 *     session_threads.c    threads, their samples, and the looks at them
 *     session_rows.c       the rows that these become
 *     session_looks.c      the file of what was seen from outside
 *     session_stacks.c     frames and stacks
 *     session_modules.c    which library an address was in
 *     session_code.c       functions that language runtimes told of
 *     session_jit.c        the file that names code in no library
 *     session_markers.c    marker types and markers
 *     session_allocations.c   allocations and their frees …
 *     session_memory.c     … and the rows that these become …
 *     session_objects.c    … objects of Java …
 *     session_live.c       … and what these come to over time
 *     session_counters.c   counters
 *     session_meta.c       categories, meta
 *     session_quality.c    how good the recording is: figures and notes
 *     session_gathering.c  what was read, and what the recorder says
 *
 *     session_clock.c      which clock the samples were taken by, and what that means
 *
 * Functions that return bool say false when the heap is empty. */
#ifndef SONDE_IMPORT_SESSION_STATE_H
#define SONDE_IMPORT_SESSION_STATE_H

#include "common/byte_source.h"
#include "common/error.h"
#include "common/text_buffer.h"
#include "import/location.h"
#include "import/stack_builder.h"
#include "profile/profile.h"
#include "rows/code_index.h"
#include "rows/thread_rows.h"
#include "session/reader.h"

/* ---- modules ---- */

struct session_module {
    uint32_t number;
    uint64_t loaded, unloaded; /* ns; UINT64_MAX = never */
    uint64_t start, end;
    struct string_index path, build_id;
    struct lib_index lib; /* lib_none() until a frame needs it */
    struct resource_index resource;
};

struct session_modules {
    VEC(struct session_module) rows; /* sorted by start, once they are complete */
    bool overlap;                    /* some took the place of others */
};

/* ---- frames ---- */

/* A frame as the session has it, and the rows of the profile's frames it became: as a caller it stands at its return address,
 * as the youngest frame at the pc, and as the youngest frame of a wait it is idle. */
struct session_frame {
    enum frame_kind kind;
    bool relevant_for_js;
    uint32_t module; /* INDEX_NONE = none */
    uint64_t address;
    uint32_t code;        /* native, numbered: row of session_process.code, or INDEX_NONE … */
    uint32_t code_before; /* native: … and the one of the byte before */
    uint32_t position;    /* numbered: offset of its line */
    uint8_t tier;         /* numbered */
    struct string_index text, file;
    uint32_t line, column;
    uint32_t category, subcategory;
    uint32_t as_caller, as_youngest, as_idle; /* INDEX_NONE until needed */
};

/* The func of an address in a library. */
struct native_func {
    struct lib_index lib;
    uint64_t address;
    struct func_index func;
};

/* A row of the profile's frames, by what is in it. */
struct shared_frame {
    uint32_t func, row;
    int64_t address;
    uint64_t place, meaning; /* line and column; category and subcategory */
};

/* The frames of the stack a thread is on, oldest first, and the stacks they are the callers of. */
struct path_step {
    uint32_t frame;  /* row of session_process.frames */
    uint32_t caller; /* row of the stack builder, or INDEX_NONE until needed */
};

struct stack_path {
    VEC(struct path_step) steps;
    bool truncated;
    uint64_t chunk; /* where it was stated: it is of no use to other chunks */
};

/* What the youngest frame of a stack is. */
enum stack_end {
    END_AT_CALL, /* a caller as the others: the stack of a marker */
    END_AT_PC,
    END_IDLE, /* the pc of a thread that waits: of the category Idle, whatever the function is */
};

/* ---- threads ---- */

struct session_fault {
    uint64_t time;
    uint32_t stack, count;
};

struct session_thread {
    uint32_t number;
    int32_t tid;
    bool is_main, is_sampled;
    uint64_t start, end; /* ns; end UINT64_MAX = not seen */
    struct string_index name;
    uint64_t name_time;

    struct stack_path path;   /* its newest sample */
    struct observed observed; /* its samples, and the looks at it */
    VEC(struct session_fault) faults;
    bool any_event_delay;
    double last_marker; /* what raw markers are sorted by */
    bool markers_unsorted;
};

/* Looks are at thread ids, whoever has them at the time. */
struct session_tid {
    int32_t tid;
    struct stack_path path; /* the newest look */
};

/* ---- markers and counters ---- */

struct session_field {
    struct string_index key;
    enum marker_input input;
    bool left_out; /* the payload has that key already */
};

struct session_marker_type {
    uint32_t number;
    struct string_index name;
    size_t first_field, field_count; /* in session_process.fields */
};

struct session_counter {
    uint32_t number;
    uint32_t row; /* in the profile */
    uint64_t previous_time;
    int64_t previous_count;
    uint64_t previous_number;
};

/* ---- allocations ---- */

enum session_allocation_kind {
    ROW_ALLOCATION,
    ROW_FREE,
    ROW_MAPPED,
    ROW_UNMAP,
    ROW_TAKEN, /* a free that has been matched before its turn */
};

/* There may be tens of millions. */
struct session_allocation {
    uint64_t time, address, size;
    uint32_t stack;     /* row of the stack builder, or INDEX_NONE */
    int32_t tid;        /* 0 = not known */
    uint32_t order;     /* as they were read */
    uint32_t mean : 29; /* row of session_process.means */
    uint32_t kind : 3;  /* enum session_allocation_kind */
};

/* An object of Java. */
struct session_object {
    uint64_t time;
    double weight, size;
    uint32_t stack;         /* row of the stack builder, its class included */
    uint32_t thread, order; /* row of process.threads; as they were read */
    struct string_index class_name;
};

/* Where every allocation is written down: what the next entry of the chunk refers to. */
struct session_calls {
    bool has_caller;
    uint64_t chunk;  /* where it was stated: it is of no use to other chunks */
    uint32_t thread; /* its number … */
    int32_t tid;     /* … and id */
    uint64_t time, address;
    struct stack_path path;
    VEC(uint32_t) stacks; /* rows of the stack builder, by number */
};

/* How allocations are recorded, as the first process says. */
struct session_allocations_facts {
    bool is_recorded, maps;
    enum allocation_mode mode;
    uint64_t mean, budget_ppm;
    struct string_index allocator;
    VEC(struct string_index) unseen; /* a line for each process whose allocations are not seen, up to a number … */
    uint64_t more_unseen;            /* … and so many more */
};

/* ---- quality ---- */

struct session_quality {
    uint64_t statistics[STATISTIC_COUNT];
    uint64_t unregistered_ns;               /* CPU time of threads that could not be sampled … */
    char unregistered_names[SESSION_NAMES]; /* … and the names of some, of one process */
    uint64_t looks_ns;                      /* CPU time of the recorder for looks */
    uint64_t held[HELD_BUCKETS];
    uint64_t pauses, paused_ns;       /* the most of any process: a pause of the session is one of each */
    uint64_t unended;                 /* processes whose recording has no end */
    uint64_t replaced;                /* processes that became programs which were not recorded */
    uint64_t disks_full;              /* processes whose recording had no room any more */
    uint64_t seen;                    /* processes that have a sample, or a look */
    uint64_t unseen;                  /* … and those that ended before the first */
    uint64_t unbegun;                 /* processes that have a file and nothing in it */
    uint64_t bad_entries;             /* places in the process that is being read where bytes made no sense */
    uint64_t frees_missed;            /* of sampled blocks whose address was given out again */
    uint64_t fields_left_out;         /* of types of markers: the payload has their keys already */
    struct thread_sums sums;          /* of all threads */
    uint64_t brief_ns, brief_threads; /* CPU time that was not sampled of threads that met no sample at all */
    uint64_t by_events, by_ticks;     /* processes, by the clock of their samples */
    uint32_t clock_refused;           /* errno: why not events; 0 = nobody said */
    uint64_t timers_refused;          /* processes whose threads have no timers */
    uint64_t faults_refused;          /* … whose page faults could not be recorded, or not all … */
    uint32_t faults_refused_error;    /* … and why: an errno */
    uint64_t tick_ns;                 /* 0 = not known */
    VEC(struct string_index) in_step; /* a line for each thread that runs in step with the ticks, up to a number … */
    uint64_t more_in_step;            /* … and so many more */
    uint64_t ticked_cpu_ns;           /* of threads that run and wait, and that only ticks look at: CPU time … */
    uint64_t ticked_ready_ns;         /* … and ready time */
    uint64_t empty_threads;           /* threads that ended before their first sample */
    uint64_t earliest_ns; /* since the start of its process: where what was kept starts; UINT64_MAX = nothing is gone */
    VEC(struct string_index) damages;  /* a line for each file that is damaged, up to a number … */
    uint64_t more_damages;             /* … and so many more */
    VEC(struct string_index) unwalked; /* language runtimes of versions that nobody knows to walk, each once */
    VEC(struct string_index) said;     /* by the recorder, about the session as a whole */
};

/* One file of the session, as it was read. */
struct session_gathered {
    struct string_index pid;
    uint64_t chunks, bytes;
    uint64_t missed;  /* chunks that were recycled meanwhile */
    uint64_t damaged; /* places */
};

/* ---- a process, and all of them ---- */

struct session_process {
    struct session_file_header header;
    uint64_t shift_ns; /* it started so long after the first one */
    struct string_index name, pid;
    char command[512]; /* its command line as it was last read from outside; empty = it was not */
    size_t command_length;
    uint32_t image;     /* so many programs this process was before */
    bool complete_kept; /* all that others refer to is known */
    struct session_modules modules;
    struct session_module jit; /* stands for the code in no module; see session_jit() */
    bool jit_known;            /* it was looked for */
    struct code_index code;
    VEC(struct session_thread) threads; /* row i is thread first_thread + i of the profile */
    struct map thread_of_number;
    size_t first_thread;
    VEC(struct session_tid) tids;
    struct map tid_rows;      /* rows of `tids` … */
    struct map thread_of_tid; /* … and of `threads`, by tid: several, one after the other */
    bool seen;                /* there is a sample of it, or a look at it */
    bool looks_recycled;      /* the oldest looks at it are gone */
    uint64_t chunk;           /* the number of the chunk that is being read */
    VEC(struct session_frame) frames;
    struct map frame_of_key;
    struct stack_path marker_path;
    VEC(struct category_index) categories; /* by their number */
    VEC(struct session_marker_type) types;
    VEC(struct session_field) fields;
    VEC(struct session_counter) counters;
    VEC(struct session_allocation) allocations; /* and frees */
    VEC(uint64_t) means;                        /* they were sampled with */
    VEC(struct session_object) objects;
    size_t next_object; /* that belongs to the next thread */
    struct stack_path allocation_path;
    struct session_calls calls;
    bool allocations_are_unseen; /* the program has an allocator of its own */
    struct value_bytes paused;   /* objects, to be put into an array */
    uint32_t paused_count;
    uint64_t paused_ns;
    struct pauses pauses;
};

/* A process that became another program (exec) has a file for each of them. */
struct session_images {
    int32_t pid;
    uint32_t count;
    uint64_t start_ns;      /* of the last one: a process that has this number later is another */
    bool unended, replaced; /* the last one has no end; it became another program, but which? */
    uint64_t cpu_ns;        /* CPU time of its main thread when it was last read */
};

/* Page faults, as they were recorded. */
struct session_faults {
    uint32_t period; /* from sample to sample; 0 = they are not recorded */
    uint64_t minor, major;
};

struct session_import {
    struct profile *profile;
    const struct byte_progress *progress;
    struct error *error;
    struct location_resolver locations; /* of the scripts of language runtimes */
    struct stack_builder stacks;
    struct map func_of_address; /* funcs of native code: rows of `native_funcs` */
    VEC(struct native_func) native_funcs;
    struct map frame_of_content; /* rows of `shared_frames` */
    VEC(struct shared_frame) shared_frames;
    struct string_index no_text;
    bool any_runtime_frame;
    struct text_buffer arguments;     /* of the first process, with blanks between them */
    struct value_bytes configuration; /* a packed object; empty = unknown */
    bool is_folder;
    size_t process_count;          /* so far */
    size_t file_count, files_read; /* those that cannot be read count, too */
    VEC(struct session_images) images;
    uint64_t first_start_ns;               /* monotonic, of the first process */
    double profiling_start, profiling_end; /* ms; NaN = unknown */
    double first_row, last_row;            /* ms, of all threads: what the kernel counted may begin before the recording, and
                                              what was seen from outside may end later */
    struct session_faults faults;
    struct session_quality quality;
    struct session_file *looks; /* of the folder that is being read; NULL = there are none */
    char looks_path[PATH_MAX];  /* where they were looked for */
    struct session_allocations_facts allocations;
    uint32_t ready_frame, kernel_frame, not_sampled_frame, start_frame, own_frame, fault_frame, unseen_frame,
        mapped_frame; /* rows of the profile's frames; INDEX_NONE until needed */
    VEC(struct session_gathered) gathered;
    struct session_process process;
};

static inline double session_ms(const struct session_import *import, uint64_t ns)
{
    return ((double)ns + (double)import->process.shift_ns) / 1e6;
}

struct string_index session_text(struct session_import *import, struct slice text);
/* The id of the process, or of one of its threads, as text: 12, and 12.1, 12.2 … where it became another program. */
struct string_index session_id(struct session_import *import, int32_t id);
bool session_put_key(struct session_import *import, struct value_bytes *out, const char *key);
bool session_put_text(struct session_import *import, struct value_bytes *out, const char *key, struct slice text);

/* session_modules.c */
bool session_add_module(struct session_import *import, const struct module_entry *entry);
void session_end_module(struct session_import *import, const struct module_end_entry *entry);
void session_sort_modules(struct session_import *import);
uint32_t session_find_module(const struct session_import *import, uint64_t address, uint64_t time);
bool session_use_module(struct session_import *import, struct session_module *module);

/* session_jit.c: what stands for code that is in no module, if its compiler left a file for profilers; addresses in it are
 * those of the process. *jit is NULL where there is no such file. */
bool session_jit(struct session_import *import, struct session_module **jit);

/* session_code.c: the function that code is of; func_none() when the heap is empty. */
struct func_index session_code_func(struct session_import *import, const struct known_code *code);
/* Line and category of a frame in the code; `tier` TIER_NONE = that of the code. */
bool session_code_frame(struct session_import *import, uint32_t row, uint64_t offset, enum frame_tier tier,
                        struct frame *frame);
/* Of frames of native code, where a runtime has told of code: they would have that of the script which called them. Otherwise
 * there is none. */
struct category_index session_native_category(struct session_import *import);

/* session_stacks.c: the path gets the frames, but for the `shared` oldest ones that stay; *bad where they are no frames. */
bool session_read_path(struct session_import *import, struct stack_path *path, uint32_t shared,
                       const struct frames_slice *frames, bool truncated, uint64_t time, bool *bad);
/* The same for the path of a sample or look, of which nothing is shared with other chunks. */
bool session_read_stack(struct session_import *import, struct stack_path *path, const struct stack_part *part, uint64_t time,
                        enum stack_end end, uint32_t *stack);
/* The row of the stack builder; INDEX_NONE also for a path without frames. */
bool session_stack_of_path(struct session_import *import, struct stack_path *path, enum stack_end end, uint32_t *stack);
/* A stack with one more frame, which is no code: made at its first use. `prefix` may be INDEX_NONE. */
bool session_stack_with(struct session_import *import, uint32_t prefix, uint32_t *frame, struct slice name,
                        struct category_index category, uint32_t *stack);
/* The stack of a mapping: its memory is no allocator's, and has a category of its own. */
bool session_stack_of_mapping(struct session_import *import, uint32_t *stack);

/* session_threads.c */
bool session_add_thread(struct session_import *import, const struct thread_entry *entry);
struct session_thread *session_find_thread(struct session_import *import, uint32_t number);
bool session_name_thread(struct session_import *import, const struct thread_name_entry *entry);
bool session_begin_threads(struct session_import *import);
bool session_sample(struct session_import *import, const struct sample_entry *entry);
bool session_look(struct session_import *import, const struct look_entry *entry);
bool session_finish_threads(struct session_import *import);

/* session_looks.c: the looks beside the file, which processes of one folder share. Where they cannot be read the waits of all
 * processes are missing, which is said once. `owner` says which of them are at this process. */
int session_open_looks(struct session_import *import, const char *path, uint64_t *owner, struct error *error);
void session_add_reading(struct session_reading *sum, const struct session_reading *reading);

/* session_rows.c: the samples of the profile's thread, from what was observed. */
bool session_add_rows(struct session_import *import, struct session_thread *staged, struct thread *thread);

/* session_clock.c: a thread that runs in step with the kernel's ticks is noted. */
void session_count_clock(struct session_import *import);
bool session_check_step(struct session_import *import, const struct session_thread *staged, const struct thread_sums *sums);
bool session_put_clock(struct session_import *import, struct value_bytes *out);

/* session_markers.c */
bool session_add_marker_type(struct session_import *import, const struct marker_type_entry *entry);
bool session_marker(struct session_import *import, const struct marker_entry *entry);
bool session_sort_markers(struct session_import *import, const struct session_thread *staged, struct marker_table *table);

/* session_allocations.c. All of a process go into the table of its first thread, as the Firefox Profiler has it, where frees
 * are matched with what they free; the caller's thread is told with each. */
bool session_note_allocations(struct session_import *import, const struct allocations_entry *entry);
bool session_allocation(struct session_import *import, const struct allocation_entry *entry);
bool session_free(struct session_import *import, const struct free_entry *entry);
bool session_unmap(struct session_import *import, const struct unmap_entry *entry);
void session_caller(struct session_import *import, const struct caller_entry *entry);
bool session_call_path(struct session_import *import, const struct call_path_entry *entry);
bool session_allocated(struct session_import *import, const struct allocated_entry *entry);
bool session_freed(struct session_import *import, const struct freed_entry *entry);
bool session_note_unseen(struct session_import *import);
/* What is recorded how, and what it costs, for meta: an object. */
bool session_put_allocations(struct session_import *import, struct value_bytes *out);
/* session_memory.c */
bool session_finish_allocations(struct session_import *import, struct thread *first);

/* session_faults.c. Page faults of a thread go into its own table. */
void session_count_faults(struct session_import *import);
bool session_fault(struct session_import *import, struct session_thread *thread, const struct sample_entry *entry,
                   uint32_t stack);
void session_finish_faults(const struct session_import *import, struct session_thread *staged, struct thread *thread);
/* For meta: an object. */
bool session_put_faults(struct session_import *import, struct value_bytes *out);

/* session_objects.c. Those of a thread go into its own table, as the Firefox Profiler has objects of JavaScript; nobody knows
 * when they are gone. */
bool session_object(struct session_import *import, const struct object_entry *entry);
/* For each thread of the process, one after the other, once all has been read. */
bool session_finish_objects(struct session_import *import, uint32_t row, struct thread *thread);

/* session_live.c: what the rows come to over time, as counters of the process. */
struct session_live {
    struct session_import *import;
    uint32_t live, allocated; /* rows of the profile's counters */
    uint64_t time;            /* of the newest row of theirs; they are so far apart … */
    uint64_t apart;
    double live_change, allocated_change, live_count, allocated_count; /* … and this since then */
    bool any;
};
bool session_live_begin(struct session_live *live, struct session_import *import);
void session_live_add(struct session_live *live, uint64_t time, double weight);
void session_live_end(struct session_live *live);

/* session_counters.c */
bool session_add_counter(struct session_import *import, const struct counter_entry *entry);
void session_counter_sample(struct session_import *import, const struct counter_sample_entry *entry);
void session_finish_counters(struct session_import *import, size_t first_counter, struct thread_index main_thread);

/* session_meta.c */
bool session_add_category(struct session_import *import, const struct category_entry *entry);
/* The category and subcategory of the profile for those of an entry. */
struct category_index session_category(const struct session_import *import, uint32_t category, uint32_t *subcategory);
/* By its name; added where there is none. category_none() when out of memory. */
struct category_index session_named_category(struct session_import *import, struct slice name, struct slice colour);
bool session_configuration(struct session_import *import, const struct configuration_entry *entry);
bool session_process_meta(struct session_import *import, const struct process_entry *entry);
bool session_pause(struct session_import *import, enum entry_kind kind, uint64_t time);
bool session_end_pause(struct session_import *import);
bool session_finish_meta(struct session_import *import);
bool session_put_number(struct session_import *import, struct value_bytes *out, const char *key, double number);

/* session_quality.c: what the process that was read says about its recording. */
/* A language runtime whose frames are not in the stacks. */
bool session_note_runtime(struct session_import *import, const struct runtime_entry *entry);
bool session_add_statistics(struct session_import *import, const char *path, const struct session_reading *reading);
/* A file that could not be read, and why. */
bool session_add_damage(struct session_import *import, const char *path, const char *why);
bool session_put_quality(struct session_import *import, struct value_bytes *out);

/* ---- session_gathering.c ---- */

/* The notes of the recorder in the folder, where there are any. */
bool session_read_notes(struct session_import *import, const char *folder);

/* The process that was just read. */
bool session_log_file(struct session_import *import, const struct session_reading *reading);
bool session_put_gathering(struct session_import *import, struct value_bytes *out);

#endif
