#include "api/request_ask.h"

#include <math.h>
#include <stdio.h>

/* ---- fields of asks ---- */

static void read_of(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"tree", "functions", "markers", NULL};
    ask->of = (enum row_source)fields_choice(fields, names);
}

static void read_per(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"run", "share", NULL};
    ask->shares = fields_choice(fields, names) == 1;
}

static void read_format(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"svg", "folded", "csv", "json", "text", NULL};
    ask->format = (enum export_format)fields_choice(fields, names);
}

static void read_sort(struct fields *fields, struct ask *ask)
{
    static const char *const names[FUNCTION_ORDERS + 1] = {"total", "self", "name", "library", NULL};
    ask->sort = (enum function_order)fields_choice(fields, names);
}

/* Sizes are groups of allocations, which have no stacks of their own. */
static void read_by(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"library", "file", "category", "class", NULL};
    static const enum grouping groupings[] = {GROUP_LIBRARY, GROUP_FILE, GROUP_CATEGORY, GROUP_CLASS, GROUP_LIBRARY};
    ask->by = groupings[fields_choice(fields, names)];
}

/* 12 = open this child and go there; -2 = two levels up; "*" = everything below; "-" = this row is closed after all. */
static struct open_step read_open_step(struct fields *fields)
{
    if (json_peek(fields->reader) == JSON_STRING) {
        static const char *const names[] = {"*", "-", NULL};
        return (struct open_step){fields_choice(fields, names) == 0 ? OPEN_BELOW : OPEN_NOT, 0};
    }
    int64_t number = fields_item(fields, -(int64_t)REQUEST_MAX_BYTES, UINT32_MAX - 1);
    return number < 0 ? (struct open_step){OPEN_UP, (uint32_t)-number} : (struct open_step){OPEN_CHILD, (uint32_t)number};
}

static void read_open(struct fields *fields, struct ask *ask)
{
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array is wanted");
        return;
    }
    json_begin_array(fields->reader);
    size_t depth = 0;
    while (json_next_item(fields->reader)) {
        struct open_step step = read_open_step(fields);
        if (step.kind == OPEN_UP && step.number > depth)
            fields_fail(fields, "it leads above the roots");
        depth = step.kind == OPEN_CHILD                        ? depth + 1
                : step.kind == OPEN_UP && step.number <= depth ? depth - step.number
                                                               : depth;
        if (step.kind == OPEN_NOT && depth == 0)
            fields_fail(fields, "\"-\" needs a row to be closed");
        if (!vec_push(&ask->open.steps, step))
            fields_out_of_memory(fields);
    }
}

static void read_path(struct fields *fields, struct ask *ask)
{
    ask->has_path = true;
    fields_funcs(fields, &ask->path);
}

static void read_anchor(struct fields *fields, struct ask *ask)
{
    ask->has_anchor = true;
    fields_funcs(fields, &ask->anchor);
}

static void read_row(struct fields *fields, struct ask *ask)
{
    ask->has_row = true;
    ask->row = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_since(struct fields *fields, struct ask *ask)
{
    ask->has_since = true;
    ask->since = fields_count(fields, 0, REQUEST_MAX_TRANSFORMS);
}

static void read_before(struct fields *fields, struct ask *ask)
{
    ask->before = fields_count(fields, 0, REQUEST_MAX_ROWS);
}

static void read_after(struct fields *fields, struct ask *ask)
{
    ask->after = fields_count(fields, 0, REQUEST_MAX_ROWS);
}

static void read_text(struct fields *fields, struct ask *ask)
{
    ask->text = fields_search(fields, REQUEST_MAX_TEXT);
}

static void read_highlight(struct fields *fields, struct ask *ask)
{
    ask->highlight = fields_search(fields, REQUEST_MAX_TEXT);
}

static void read_direction(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"next", "previous", NULL};
    ask->backwards = fields_choice(fields, names) == 1;
}

static void read_width(struct fields *fields, struct ask *ask)
{
    ask->width = fields_count(fields, 1, REQUEST_MAX_PIXELS);
}

static void read_numbers(struct fields *fields, uint32_t **items, size_t *count)
{
    VEC(uint32_t) numbers = {0};
    if (json_peek(fields->reader) == JSON_ARRAY) {
        json_begin_array(fields->reader);
        while (json_next_item(fields->reader)) {
            uint32_t number = (uint32_t)fields_item(fields, 0, UINT32_MAX - 1);
            if (numbers.count == REQUEST_MAX_TRACKS)
                fields_fail(fields, "these are too many");
            else if (!vec_push(&numbers, number))
                fields_out_of_memory(fields);
        }
    } else {
        fields_fail(fields, "an array of whole numbers is wanted");
    }
    *items = numbers.items;
    *count = numbers.count;
}

static void read_track_threads(struct fields *fields, struct ask *ask)
{
    ask->has_tracks = true;
    read_numbers(fields, &ask->tracks.items, &ask->tracks.count);
}

static void read_track_counters(struct fields *fields, struct ask *ask)
{
    ask->has_counters = true;
    read_numbers(fields, &ask->counters.items, &ask->counters.count);
}

static void read_strip(struct fields *fields, struct ask *ask)
{
    ask->strip = fields_boolean(fields);
}

static void read_waits(struct fields *fields, struct ask *ask)
{
    ask->waits = fields_boolean(fields);
}

static void read_sum_processes(struct fields *fields, struct ask *ask)
{
    ask->sum_processes = fields_boolean(fields);
}

static void read_by_library(struct fields *fields, struct ask *ask)
{
    read_numbers(fields, &ask->by_library.items, &ask->by_library.count);
}

static void read_thread(struct fields *fields, struct ask *ask)
{
    ask->thread = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_at(struct fields *fields, struct ask *ask)
{
    ask->at = fields_time(fields);
}

static void read_share(struct fields *fields, struct ask *ask)
{
    ask->has_share = true;
    ask->share = fields_time(fields);
}

static void read_siblings(struct fields *fields, struct ask *ask)
{
    static const char *const names[ROW_ORDERS + 1] = {"total", "self", "name", "library", NULL};
    ask->siblings = (enum row_order)fields_choice(fields, names);
}

static void read_with_mix(struct fields *fields, struct ask *ask)
{
    ask->with_mix = fields_boolean(fields);
}

static void read_with_function(struct fields *fields, struct ask *ask)
{
    ask->with_function = fields_boolean(fields);
}

static void read_start(struct fields *fields, struct ask *ask)
{
    ask->window.start = fields_time(fields);
}

static void read_end(struct fields *fields, struct ask *ask)
{
    ask->window.end = fields_time(fields);
}

static void read_same_width(struct fields *fields, struct ask *ask)
{
    ask->same_width = fields_boolean(fields);
}

static void read_preview(struct fields *fields, struct ask *ask)
{
    ask->without_preview = !fields_boolean(fields);
}

static void read_from(struct fields *fields, struct ask *ask)
{
    ask->depth[0] = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_until(struct fields *fields, struct ask *ask)
{
    ask->depth[1] = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_order(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"name", "weight", "time", NULL};
    ask->order = (enum flame_order)fields_choice(fields, names);
}

static void read_callers_until(struct fields *fields, struct ask *ask)
{
    ask->callers_until = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_callees_until(struct fields *fields, struct ask *ask)
{
    ask->callees_until = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_zoom(struct fields *fields, struct ask *ask)
{
    fields_funcs(fields, &ask->zoom);
}

static void read_func(struct fields *fields, struct ask *ask)
{
    ask->has_func = true;
    ask->func = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_file(struct fields *fields, struct ask *ask)
{
    ask->has_file = true;
    ask->file = fields_text(fields, REQUEST_MAX_TEXT);
}

static void read_funcs(struct fields *fields, struct ask *ask)
{
    fields_funcs(fields, &ask->path);
}

static void read_texts(struct fields *fields, struct slice **items, size_t *count)
{
    VEC(struct slice) texts = {0};
    if (json_peek(fields->reader) == JSON_ARRAY) {
        json_begin_array(fields->reader);
        while (json_next_item(fields->reader)) {
            struct slice text = fields_text(fields, REQUEST_MAX_TEXT);
            if (texts.count == REQUEST_MAX_KEYS)
                fields_fail(fields, "these are too many");
            else if (!vec_push(&texts, text))
                fields_out_of_memory(fields);
        }
    } else {
        fields_fail(fields, "an array of texts is wanted");
    }
    *items = texts.items;
    *count = texts.count;
}

static void read_keys(struct fields *fields, struct ask *ask)
{
    read_texts(fields, &ask->keys.items, &ask->keys.count);
}

static void read_pinned(struct fields *fields, struct ask *ask)
{
    read_texts(fields, &ask->pinned.items, &ask->pinned.count);
}

static void read_folded(struct fields *fields, struct ask *ask)
{
    read_texts(fields, &ask->folded.items, &ask->folded.count);
}

static void read_range(struct fields *fields, struct ask *ask)
{
    fields_range(fields, &ask->range);
}

/* "duration" or "-duration" */
static void read_sorted_item(struct fields *fields, struct marker_sort *order)
{
    static const char *const names[] = {"start",  "-start",  "duration", "-duration", "name", "-name",
                                        "thread", "-thread", "category", "-category", NULL};
    unsigned choice = fields_choice(fields, names);
    for (size_t i = 0; i < order->count; i++)
        if (order->columns[i].column == choice / 2) {
            fields_fail(fields, "a column is there twice");
            return;
        }
    order->columns[order->count].column = (enum marker_column)(choice / 2);
    order->columns[order->count++].descending = choice % 2 == 1;
}

static void read_sorted_by(struct fields *fields, struct ask *ask)
{
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array of columns is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader))
        read_sorted_item(fields, &ask->sorted_by);
}

static void read_with_fields(struct fields *fields, struct ask *ask)
{
    ask->with_fields = fields_boolean(fields);
}

static void read_marker(struct fields *fields, struct ask *ask)
{
    ask->marker = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_name(struct fields *fields, struct ask *ask)
{
    ask->has_name = true;
    ask->name = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_field(struct fields *fields, struct ask *ask)
{
    ask->has_field = true;
    ask->field = fields_text(fields, REQUEST_MAX_TEXT);
}

static void read_symbol(struct fields *fields, struct ask *ask)
{
    ask->symbol = fields_count(fields, 0, UINT32_MAX - 1);
}

static void read_syntax(struct fields *fields, struct ask *ask)
{
    static const char *const names[] = {"intel", "att", NULL};
    ask->att = fields_choice(fields, names) == 1;
}

#define OF(kind) (1u << (kind))
#define OF_BOXES (OF(ASK_FLAME) | OF(ASK_STACK_CHART))
#define OF_FLAMES (OF(ASK_FLAME) | OF(ASK_BUTTERFLY))
#define OF_ROWS (OF(ASK_ROWS) | OF(ASK_TOGGLE) | OF(ASK_OPEN_ALL) | OF(ASK_OPEN_HEAVY))
#define OF_WINDOWS (OF_ROWS | OF(ASK_MARKER_TABLE))
#define OF_PIXELS (OF_BOXES | OF(ASK_BUTTERFLY) | OF(ASK_TRACKS) | OF(ASK_MARKER_CHART) | OF(ASK_MARKER_LANES))

static const struct ask_field {
    const char *name;
    void (*read)(struct fields *fields, struct ask *ask);
    unsigned of;     /* the asks that may have it … */
    unsigned needed; /* … and those that must */
} ask_fields[] = {
    {"of", read_of, OF(ASK_ROWS) | OF(ASK_FIND) | OF(ASK_EXPORT) | OF(ASK_COMPARE), 0},
    {"per", read_per, OF(ASK_COMPARE), 0},
    {"sort", read_sort, OF(ASK_ROWS) | OF(ASK_FIND) | OF(ASK_EXPORT) | OF(ASK_GROUPS), 0},
    {"by", read_by, OF(ASK_GROUPS), OF(ASK_GROUPS)},
    {"format", read_format, OF(ASK_EXPORT), OF(ASK_EXPORT)},
    {"open", read_open, OF_ROWS | OF(ASK_FIND), 0},
    {"path", read_path,
     OF(ASK_TOGGLE) | OF(ASK_OPEN_ALL) | OF(ASK_OPEN_HEAVY) | OF(ASK_NODE) | OF(ASK_TRACKS) | OF(ASK_SOURCE) |
         OF(ASK_CALL_SITES) | OF(ASK_SAMPLE_AT),
     OF(ASK_TOGGLE) | OF(ASK_NODE)},
    {"anchor", read_anchor, OF_WINDOWS | OF(ASK_FIND), 0},
    {"row", read_row, OF_WINDOWS | OF(ASK_MARKER_STATS), 0},
    {"since", read_since, OF(ASK_ROWS) | OF(ASK_NODE) | OF(ASK_TRACKS) | OF(ASK_SAMPLE_AT), 0},
    {"before", read_before, OF_WINDOWS, 0},
    {"after", read_after, OF_WINDOWS | OF(ASK_MARKER_STATS) | OF(ASK_GROUPS) | OF(ASK_COMPARE), 0},
    {"text", read_text, OF(ASK_FIND), OF(ASK_FIND)},
    {"highlight", read_highlight, OF_ROWS | OF_FLAMES | OF_BOXES, 0},
    {"direction", read_direction, OF(ASK_FIND), 0},
    {"width", read_width, OF_PIXELS | OF(ASK_SAMPLE_AT), OF_PIXELS},
    {"threads", read_track_threads, OF(ASK_TRACKS) | OF(ASK_MARKER_LANES) | OF(ASK_STACK_CHART) | OF(ASK_RANGE), 0},
    {"counters", read_track_counters, OF(ASK_TRACKS) | OF(ASK_RANGE), 0},
    {"by_library", read_by_library, OF(ASK_TRACKS) | OF(ASK_SAMPLE_AT), 0},
    {"preview", read_preview, OF(ASK_RANGE), 0},
    {"strip", read_strip, OF(ASK_TRACKS), 0},
    {"waits", read_waits, OF(ASK_TRACKS), 0},
    {"sum_processes", read_sum_processes, OF(ASK_TRACKS), 0},
    {"thread", read_thread, OF(ASK_SAMPLE_AT) | OF(ASK_MARKER), OF(ASK_SAMPLE_AT) | OF(ASK_MARKER)},
    {"at", read_at, OF(ASK_SAMPLE_AT), OF(ASK_SAMPLE_AT)},
    {"share", read_share, OF(ASK_SAMPLE_AT), 0},
    {"siblings", read_siblings, OF_ROWS | OF(ASK_FIND), 0},
    {"mix", read_with_mix, OF_ROWS, 0},
    {"function", read_with_function, OF_ROWS, 0},
    {"start", read_start, OF(ASK_STACK_CHART), 0},
    {"end", read_end, OF(ASK_STACK_CHART), 0},
    {"same_width", read_same_width, OF(ASK_STACK_CHART), 0},
    {"from", read_from, OF_BOXES | OF(ASK_MARKER_ROWS) | OF(ASK_MARKER_CHART), 0},
    {"until", read_until, OF_BOXES | OF(ASK_MARKER_ROWS) | OF(ASK_MARKER_CHART), OF_BOXES | OF(ASK_MARKER_CHART)},
    {"zoom", read_zoom, OF(ASK_FLAME), 0},
    {"order", read_order, OF_FLAMES, 0},
    {"callers_until", read_callers_until, OF(ASK_BUTTERFLY), 0},
    {"callees_until", read_callees_until, OF(ASK_BUTTERFLY), 0},
    {"func", read_func, OF(ASK_LINES) | OF(ASK_CALL_SITES) | OF(ASK_BUTTERFLY) | OF(ASK_SOURCE) | OF(ASK_INSTRUCTIONS),
     OF(ASK_BUTTERFLY) | OF(ASK_INSTRUCTIONS)},
    {"file", read_file, OF(ASK_LINES) | OF(ASK_SOURCE), 0},
    {"symbol", read_symbol, OF(ASK_INSTRUCTIONS), 0},
    {"syntax", read_syntax, OF(ASK_INSTRUCTIONS), 0},
    {"funcs", read_funcs, OF(ASK_KEYS), OF(ASK_KEYS)},
    {"keys", read_keys, OF(ASK_FUNCS), OF(ASK_FUNCS)},
    {"range", read_range, OF(ASK_MARKER_CHART), 0},
    {"pinned", read_pinned, OF(ASK_MARKER_ROWS) | OF(ASK_MARKER_CHART), 0},
    {"folded", read_folded, OF(ASK_MARKER_ROWS) | OF(ASK_MARKER_CHART), 0},
    {"sorted_by", read_sorted_by, OF(ASK_MARKER_TABLE), 0},
    {"fields", read_with_fields, OF(ASK_MARKER_TABLE), 0},
    {"marker", read_marker, OF(ASK_MARKER), OF(ASK_MARKER)},
    {"name", read_name, OF(ASK_MARKER_STATS), 0},
    {"field", read_field, OF(ASK_MARKER_STATS), 0},
};

enum { ASK_FIELDS = sizeof ask_fields / sizeof *ask_fields };

/* ---- asks ---- */

/* Only now the kind is known: `ask` may be the last key. */
static void check_fields(struct fields *fields, const struct ask *ask, bool has_kind)
{
    if (!has_kind) {
        text_copy(fields->key, sizeof fields->key, "ask");
        fields_fail(fields, "it is missing");
        return;
    }
    char wanted[80];
    for (unsigned i = 0; i < ASK_FIELDS; i++) {
        bool given = ask->given >> i & 1, allowed = ask_fields[i].of & OF(ask->kind),
             needed = ask_fields[i].needed & OF(ask->kind);
        text_copy(fields->key, sizeof fields->key, ask_fields[i].name);
        snprintf(wanted, sizeof wanted, "\"%s\" %s", ask_names[ask->kind], given ? "has no such field" : "needs it");
        if (given ? !allowed : needed)
            fields_fail(fields, wanted);
    }
    text_copy(fields->key, sizeof fields->key, "of");
    if (ask->kind != ASK_EXPORT && ask->of == ROWS_OF_MARKERS)
        fields_fail(fields, "\"tree\" or \"functions\" is wanted");
    if (ask->kind == ASK_EXPORT && ask->of != ROWS_OF_TREE && ask->format != EXPORT_CSV && ask->format != EXPORT_JSON)
        fields_fail(fields, "this format is only for the tree");
    text_copy(fields->key, sizeof fields->key, "row");
    if (ask->has_anchor && ask->has_row)
        fields_fail(fields, "there is an anchor, too");
    text_copy(fields->key, sizeof fields->key, "after");
    if (ask->before + ask->after > REQUEST_MAX_ROWS)
        fields_fail(fields, "no more than 10000 rows are given at once");
    text_copy(fields->key, sizeof fields->key, "share");
    if (ask->has_share && ask->width == 0)
        fields_fail(fields, "it needs the width of the graph");
    text_copy(fields->key, sizeof fields->key, "field");
    if (ask->has_field && !ask->has_name)
        fields_fail(fields, "it needs the name of the markers");
    text_copy(fields->key, sizeof fields->key, "anchor");
    if (ask->kind == ASK_MARKER_TABLE && ask->has_anchor && ask->anchor.funcs.count != 2)
        fields_fail(fields, "a thread and a marker of it are wanted");
    text_copy(fields->key, sizeof fields->key, "func");
    if ((ask->kind == ASK_LINES || ask->kind == ASK_SOURCE) && ask->has_func == ask->has_file)
        fields_fail(fields, "either a func or a file is wanted");
    if (ask->kind == ASK_CALL_SITES && ask->has_func == ask->has_path)
        fields_fail(fields, "either a func or a path is wanted");
}

static void read_ask_field(struct fields *fields, struct ask *ask, struct slice key)
{
    for (unsigned i = 0; i < ASK_FIELDS; i++)
        if (slice_equal(key, slice_of(ask_fields[i].name))) {
            ask->given |= UINT64_C(1) << i;
            ask_fields[i].read(fields, ask);
            return;
        }
    fields_fail(fields, "no ask has such a field");
}

static void read_ask(struct fields *fields, struct ask *ask)
{
    if (json_peek(fields->reader) != JSON_OBJECT) {
        fields_fail(fields, "an object is wanted");
        return;
    }
    bool has_kind = false;
    json_begin_object(fields->reader);
    for (struct slice key; fields_next(fields, &key);) {
        if (slice_is(key, "ask")) {
            has_kind = true;
            ask->kind = (enum ask_kind)fields_choice(fields, ask_names);
        } else {
            read_ask_field(fields, ask, key);
        }
    }
    check_fields(fields, ask, has_kind);
}

static const struct ask ask_default = {
    .sort = FUNCTIONS_BY_SELF,
    .depth = {0, UINT32_MAX - 1},
    .window = {NAN, NAN},
    .range = {NAN, NAN},
    .callers_until = 20,
    .callees_until = 20,
};

void request_read_asks(struct fields *fields, struct request *request)
{
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader)) {
        fields->object[0] = '\0';
        text_copy(fields->key, sizeof fields->key, "asks");
        if (request->asks.count == REQUEST_MAX_ASKS) {
            fields_fail(fields, "no more than 32 asks are answered at once");
            break;
        }
        if (!vec_push(&request->asks, ask_default)) {
            fields_out_of_memory(fields);
            break;
        }
        snprintf(fields->object, sizeof fields->object, "asks[%zu]", request->asks.count - 1);
        fields->key[0] = '\0';
        read_ask(fields, &request->asks.items[request->asks.count - 1]);
    }
    fields->object[0] = '\0';
}
