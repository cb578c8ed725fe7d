/* A request, read and checked: the state of the view, and what is asked about it. Whether threads and functions exist is not
 * looked at here. */
#ifndef SONDE_API_REQUEST_H
#define SONDE_API_REQUEST_H

#include "api/fields.h"
#include "api/format.h"
#include "api/row_order.h"
#include "tree/function_list.h"
#include "tree/grouping.h"
#include "tree/strategy.h"

enum {
    REQUEST_MAX_BYTES = 4 << 20, /* some paths of 100,000 functions: what is selected, open and focused on */
    REQUEST_MAX_ASKS = 32,
    REQUEST_MAX_ROWS = 10000,
    REQUEST_MAX_PIXELS = 16384,
    REQUEST_MAX_TRACKS = 1000,
    REQUEST_MAX_TRANSFORMS = 1000,
    REQUEST_MAX_TEXT = 4096, /* bytes of a search */
    REQUEST_MAX_KEYS = 4096,
    REQUEST_MAX_LANE = API_LANE_MOST,
};

/* What is looked at. The words of the command: tree/query.h. */
struct view_state {
    bool has_threads; /* otherwise those that `open` proposes */
    VEC(struct thread_index) threads;
    struct time_range range, preview; /* ms after the start of the profile; NaN = open */
    VEC(struct slice) transforms;     /* tree/transform_text.h */
    enum implementation implementation;
    struct slice search, marker_search;
    bool inverted;
    bool exclude_idle;
    enum strategy strategy;
};

enum ask_kind {
    ASK_OPEN,
    ASK_ROWS,
    ASK_TOGGLE,
    ASK_OPEN_ALL,
    ASK_OPEN_HEAVY,
    ASK_FIND,
    ASK_NODE,
    ASK_TRACKS,
    ASK_SAMPLE_AT,
    ASK_FLAME,
    ASK_BUTTERFLY,
    ASK_STACK_CHART,
    ASK_RANGE,
    ASK_LINES,
    ASK_CALL_SITES,
    ASK_GROUPS,
    ASK_KEYS,
    ASK_FUNCS,
    ASK_MARKER_ROWS,
    ASK_MARKER_CHART,
    ASK_MARKER_TABLE,
    ASK_MARKER,
    ASK_MARKER_STATS,
    ASK_MARKER_LANES,
    ASK_SOURCE,
    ASK_INSTRUCTIONS,
    ASK_MODULES,
    ASK_COMPARE,
    ASK_EXPORT,
    ASK_KINDS
};

/* "open", "rows", … */
extern const char *const ask_names[ASK_KINDS + 1];

/* One step of a walk through the rows that are open (open_rows.h). */
struct open_step {
    enum { OPEN_CHILD, OPEN_UP, OPEN_BELOW, OPEN_NOT } kind;
    uint32_t number; /* OPEN_CHILD: the func; OPEN_UP: so many levels */
};

struct open_walk {
    VEC(struct open_step) steps;
};

/* Columns of the marker table, and by which it is sorted: the first one counts most. */
enum marker_column {
    MARKER_BY_START,
    MARKER_BY_DURATION,
    MARKER_BY_NAME,
    MARKER_BY_THREAD,
    MARKER_BY_CATEGORY,
    MARKER_SORT_COLUMNS
};

struct marker_sort {
    size_t count;
    struct {
        enum marker_column column;
        bool descending;
    } columns[MARKER_SORT_COLUMNS];
};

enum row_source { ROWS_OF_TREE, ROWS_OF_FUNCTIONS, ROWS_OF_MARKERS };

enum export_format { EXPORT_SVG, EXPORT_FOLDED, EXPORT_CSV, EXPORT_JSON, EXPORT_TEXT, EXPORT_FORMATS };

enum flame_order { FLAME_BY_NAME, FLAME_BY_WEIGHT, FLAME_BY_TIME };

struct ask {
    enum ask_kind kind;
    uint64_t given; /* bit I: the I-th field of the table in request_ask.c was there */
    enum row_source of;
    enum function_order sort;
    enum grouping by; /* groups */
    struct open_walk open;
    bool has_path, has_anchor, has_row, has_since;
    uint32_t since;           /* walk and paths are those of when there were so many transforms */
    struct path path, anchor; /* from the root; from the leaf in the inverted tree */
    uint32_t row;             /* in place of the anchor */
    uint32_t before, after;   /* rows around it */
    struct slice text;        /* find */
    struct slice highlight;   /* the same; empty = nothing */
    bool backwards;
    bool has_from;
    uint32_t width; /* device pixels */
    bool has_tracks, has_counters;
    VEC(uint32_t) tracks, counters, by_library;
    bool strip, waits, sum_processes; /* tracks: what else is drawn */
    uint32_t thread;
    double at;               /* ms after the start of the profile */
    enum row_order siblings; /* rows of trees: their order */
    bool with_mix, with_function;
    bool has_share; /* sample_at: the height of the place in the graph, 1 being a CPU */
    double share;
    uint32_t depth[2];        /* from … until, without that one; of the marker chart: rows */
    struct time_range window; /* stack_chart: ms after the start of the profile; NaN = open */
    bool same_width;
    bool without_preview; /* range: the committed one, although there is a preview range */
    enum flame_order order;
    uint32_t callers_until, callees_until; /* butterfly: depths, without these */
    struct path zoom;
    bool shares;                      /* compare: sums are parts of the whole */
    VEC(struct slice) keys;           /* of functions */
    VEC(struct slice) pinned, folded; /* markers: names, and names of categories */
    bool has_func, has_file;
    uint32_t func;
    struct slice file;
    struct time_range range; /* ms after the start of the profile; NaN = open */
    struct marker_sort sorted_by;
    bool with_fields;
    uint32_t marker; /* of `thread` */
    bool has_name, has_field;
    uint32_t name;
    struct slice field;
    uint32_t symbol; /* instructions: of those that the function's code is in */
    bool att;        /* … how x86 is written */
    enum export_format format;
};

struct request {
    struct arena arena; /* holds the texts */
    bool has_seq;
    double seq;
    struct slice lane; /* text NULL = none */
    bool has_generation;
    uint32_t generation;
    struct view_state state;
    VEC(struct ask) asks;
    VEC(uint32_t) have; /* ids of texts that need not be sent */
};

void request_free(struct request *request);

#endif
