/* What the library offers, as types and one table of functions. Programs use sonde.h, whose functions find the table when
 * the library is loaded and do nothing when it is not. The table only ever grows at its end; `size` says how far it goes. */
#ifndef SONDE_API_H
#define SONDE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Members that are left out of an initialiser are zero: C does so anyway, C++ warns unless it is told. */
#ifdef __cplusplus
#define SONDE_ZERO = {}
extern "C" {
#else
#define SONDE_ZERO
#endif

/* --- is it on? ------------------------------------------------------------------------------------------------------ */

/* Bits of the word at sonde_api.state; the low 56 bits are the features. */
#define SONDE_STATE_ACTIVE (UINT64_C(1) << 63)
#define SONDE_STATE_PAUSED (UINT64_C(1) << 62)
#define SONDE_STATE_SAMPLING_PAUSED (UINT64_C(1) << 61)

/* --- categories ----------------------------------------------------------------------------------------------------- */

/* A category, and in its upper half a subcategory. The macros below take the part after SONDE_CATEGORY_; a program adds its own
 * with sonde_category_register() and `#define SONDE_CATEGORY_MINE my_variable`. */
typedef uint32_t sonde_category;
#define SONDE_CATEGORY_IDLE ((sonde_category)0)
#define SONDE_CATEGORY_OTHER ((sonde_category)1)
#define SONDE_CATEGORY_IO ((sonde_category)2)
#define SONDE_CATEGORY_NETWORK ((sonde_category)3)
#define SONDE_CATEGORY_GRAPHICS ((sonde_category)4)
#define SONDE_CATEGORY_JAVASCRIPT ((sonde_category)5)
#define SONDE_CATEGORY_JAVA ((sonde_category)6)
#define SONDE_CATEGORY_GC ((sonde_category)7)
#define SONDE_CATEGORY_IPC ((sonde_category)8)
#define SONDE_CATEGORY_BLOCKED ((sonde_category)9)
#define SONDE_CATEGORY_TEST ((sonde_category)10)
#define SONDE_CATEGORY_PROFILER ((sonde_category)11)
#define SONDE_CATEGORY_PYTHON ((sonde_category)12)

/* --- the types of the interface ------------------------------------------------------------------------------------- */

enum sonde_phase { SONDE_INSTANT, SONDE_INTERVAL, SONDE_START, SONDE_END };

enum sonde_capture { SONDE_NO_STACK, SONDE_FULL_STACK, SONDE_LABEL_STACK /* without native frames */ };

typedef struct sonde_backtrace sonde_backtrace;

struct sonde_marker_options {
    enum sonde_phase phase SONDE_ZERO;
    uint64_t start SONDE_ZERO, end SONDE_ZERO;   /* sonde_now(); 0 = now */
    enum sonde_capture capture SONDE_ZERO;       /* of the calling thread, now … */
    const sonde_backtrace *backtrace SONDE_ZERO; /* … or one captured earlier; NULL = none */
    int thread SONDE_ZERO;                       /* on whose track, by thread id; 0 = the caller's, -1 = the main thread's */
};

/* What the member of a field is in C, and with that how it is read. */
enum sonde_input {
    SONDE_TEXT,     /* const char *; NULL = empty */
    SONDE_SIGNED,   /* int64_t */
    SONDE_UNSIGNED, /* uint64_t */
    SONDE_DOUBLE,   /* double */
    SONDE_BOOLEAN,  /* bool */
    SONDE_TIME,     /* uint64_t: sonde_now() */
    SONDE_FLOW,     /* uint64_t: sonde_flow() */
    SONDE_NS_AS_MS, /* uint64_t: nanoseconds, kept as (decimal) milliseconds … */
    SONDE_NS_AS_US  /* … or microseconds, as the format wants them */
};

/* The Firefox Profiler has keys of its own, "type", "cause", "stack" and "innerWindowID": a field with one of these, or with
 * the key of one before it, may be left out of the profile. */
struct sonde_field {
    const char *key, *label, *format; /* label: NULL = the key; format: as in the Firefox Profiler's marker schemas */
    enum sonde_input input;
    bool hidden;
    size_t offset; /* of the value in the struct that SONDE_MARKER_TYPE declares */
};

/* How markers of a type are shown. Labels may hold "{marker.name}", "{marker.data.url}" and so on. NULL = as usual. */
struct sonde_marker_look {
    const char *description SONDE_ZERO;
    const char *chart_label SONDE_ZERO, *tooltip_label SONDE_ZERO, *table_label SONDE_ZERO;
    const char *colour_field SONDE_ZERO; /* the key of a field that names a colour */
    const char *display SONDE_ZERO;      /* comma-separated; NULL = "marker-chart,marker-table" */
    bool stack_based SONDE_ZERO;         /* intervals nest like calls */
};

struct sonde_marker_type {
    const char *name; /* unique in the process: the same name with other fields is another type */
    struct sonde_marker_look look;
    const struct sonde_field *fields;
    size_t field_count; /* at most 32 */
    uint32_t id;        /* the library's; 0 until first used */
};

struct sonde_counter_cell {
    int64_t count;
    uint64_t number;
};

struct sonde_counter {
    const char *name, *category, *description;
    struct sonde_counter_cell *cell; /* the library's, and never freed; NULL until first used */
};

/* Flags of labels. */
enum {
    SONDE_LABEL_METHOD = 1,          /* shown as "label.dynamic" instead of "label dynamic" … */
    SONDE_LABEL_GETTER = 2,          /* … "get label.dynamic" … */
    SONDE_LABEL_SETTER = 4,          /* … "set label.dynamic" … */
    SONDE_LABEL_FROM_CATEGORY = 8,   /* … or as the subcategory's name */
    SONDE_LABEL_RELEVANT_FOR_JS = 16 /* also shown where only frames of language runtimes are */
};
/* What label_push() returns where there is nothing to pop. */
#define SONDE_LABEL_NONE UINT32_MAX

/* A frame of a language runtime (an interpreter, a JIT): the runtime fills them in, youngest first. */
struct sonde_runtime_frame {
    const char *function, *file; /* must stay valid until the runtime is removed; file may be NULL */
    uint32_t line, column;       /* 0 = none */
    uintptr_t stack_address;     /* where on the stack the frame begins: orders it among native frames */
    uintptr_t stack_end; /* native frames from here up to stack_address belong to the runtime and are not shown; 0 = none */
    sonde_category category;
    bool javascript;
};

/* Called on the thread itself, in a signal handler: may read only. Returns how many frames it filled in. */
typedef size_t sonde_runtime_walk(void *runtime, uintptr_t pc, uintptr_t sp, uintptr_t fp, struct sonde_runtime_frame *frames,
                                  size_t room);

struct sonde_start_options {
    size_t size;           /* sizeof (struct sonde_start_options): later versions may have more members */
    double interval_ms;    /* of CPU time, from sample to sample; 0 = 1 */
    uint64_t buffer_bytes; /* 0 = 128 MiB */
    double duration_s;     /* 0 = until sonde_stop() */
    const char *features;  /* comma-separated; NULL = "default" */
    const char *threads;   /* comma-separated parts of names; NULL = all */
    const char *session;   /* folder of the session; NULL = a temporary one, removed at the end */
};

enum sonde_state_change {
    SONDE_ALREADY_ACTIVE,
    SONDE_REMOVING_CALLBACK,
    SONDE_STARTED,
    SONDE_PAUSING,
    SONDE_RESUMED,
    SONDE_GENERATING_PROFILE,
    SONDE_STOPPING,
    SONDE_SHUTTING_DOWN
};

enum sonde_sampling { SONDE_SAMPLING_COMPLETED, SONDE_SAMPLING_PAUSED, SONDE_JUST_STOPPED };

struct sonde_buffer_info {
    size_t size;
    uint64_t bytes_used, bytes_limit, ticks, samples, samples_lost, entries_lost, chunks_recycled;
    /* These, and `ticks`, are always 0. */
    struct {
        uint64_t count;
        double sum, min, max;
    } interval, overhead, locking, cleaning, counters, threads;
};

/* What the library offers. Programs use the functions of sonde.h, which do nothing where it is not loaded. */
struct sonde_api {
    size_t size;
    const uint64_t *state;
    int (*start)(const struct sonde_start_options *options);
    int (*ensure_started)(const struct sonde_start_options *options);
    void (*stop)(void);
    void (*pause)(void);
    void (*resume)(void);
    void (*pause_sampling)(void);
    void (*resume_sampling)(void);
    void (*shutdown)(void);
    int (*save)(const char *path);
    int (*write)(int fd, void (*progress)(void *data, double share), void *data);
    int (*schedule_dump)(double delay_s, const char *path, bool exit_after);
    bool (*cancel_dump)(void);
    int (*wait_for_dump)(void);
    bool (*after_sampling)(void (*call)(void *data, enum sonde_sampling state), void *data);
    int (*add_state_callback)(unsigned states, void (*call)(void *data, enum sonde_state_change change), void *data,
                              uintptr_t id);
    void (*remove_state_callback)(uintptr_t id);
    void (*buffer_info)(struct sonde_buffer_info *info);
    void (*set_process_name)(const char *name);
    sonde_category (*category_register)(const char *name, const char *colour);
    sonde_category (*subcategory_register)(sonde_category category, const char *name);
    void (*thread_register)(const char *name);
    void (*thread_unregister)(void);
    void (*thread_rename)(const char *name);
    void (*thread_sleep)(void);
    void (*thread_wake)(void);
    void (*thread_set_runtime)(sonde_runtime_walk *walk, void *runtime);
    void (*thread_set_event_delay)(uint64_t (*delay_ns)(void *loop), void *loop);
    /* Returns how many labels there were before; popping goes back to that, so that labels which were jumped over go, too. */
    uint32_t (*label_push)(const char *label, const char *dynamic, const void *stack_address, sonde_category category,
                           unsigned flags);
    void (*label_pop)(uint32_t depth);
    uint64_t (*now)(void);
    void (*marker_add)(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                       const struct sonde_marker_options *options, const void *values);
    sonde_backtrace *(*backtrace_capture)(enum sonde_capture capture);
    void (*backtrace_free)(sonde_backtrace *backtrace);
    uint64_t (*flow)(uintptr_t object);                                   /* by address */
    struct sonde_marker_type *text, *text_stack, *tracing, *stack_marker; /* types that profilers know already */
    void (*counter_register)(struct sonde_counter *counter);              /* gives it its cell, if it has none */
    void (*bandwidth_add)(uint64_t bytes);
};

/* The table itself, exported by libsonde-base.so. */
extern const struct sonde_api sonde_api_1;

#ifdef __cplusplus
}
#endif

#endif
