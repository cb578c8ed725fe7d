#include "import/cpuprofile.h"

#include "common/json_reader.h"
#include "import/location.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* V8 samples more often than is of use in a call tree: samples closer to the last one kept than this are left out, as the
 * Firefox Profiler does. */
static const double INTERVAL = 0.5; /* ms */

enum { OTHER, IDLE, JAVASCRIPT, GARBAGE, GRAPHICS, NATIVE };

struct cpu_node {
    uint32_t id;
    uint32_t parent_id;            /* INDEX_NONE where it does not say */
    uint32_t parent;               /* row; INDEX_NONE for a root */
    struct string_index name, url; /* STRING_NONE where they are missing or empty */
    uint32_t line, column;         /* from 1 on; INDEX_NONE = none */
};

/* A node's list of children says who their parent is, before or after they come. */
struct cpu_link {
    uint32_t child_id;
    uint32_t parent; /* row */
};

struct cpu_reader {
    struct profile *profile;
    struct json_reader *json;
    struct error *error;
    VEC(struct cpu_node) nodes;
    VEC(struct cpu_link) links;
    struct map row_of_id;
    VEC(uint32_t) samples;       /* ids of nodes */
    VEC(double) deltas;          /* µs */
    VEC(double) timestamps;      /* µs, in the older form */
    double start_time, end_time; /* as in the file; NaN = not there */
    bool has_nodes, has_samples, has_deltas, has_timestamps;
    bool is_nested; /* the older form: nodes hold their children, lines count from 1, start and end are seconds */
};

bool cpuprofile_has_key(struct slice key)
{
    return slice_is(key, "nodes") || slice_is(key, "head") || slice_is(key, "samples") || slice_is(key, "timeDeltas") ||
           slice_is(key, "timestamps") || slice_is(key, "startTime") || slice_is(key, "endTime");
}

/* ---- reading ---- */

static void fail_out_of_memory(struct cpu_reader *reader)
{
    if (json_ok(reader->json)) {
        error_out_of_memory(reader->error);
        json_fail(reader->json, "%s", reader->error->message);
    }
}

static uint32_t read_id(struct cpu_reader *reader)
{
    int64_t id = json_integer(reader->json);
    if (id < 0 || id >= INDEX_NONE)
        json_fail(reader->json, "%lld is not the id of a node", (long long)id);
    return (uint32_t)id;
}

static struct string_index read_text(struct cpu_reader *reader)
{
    if (json_null(reader->json))
        return STRING_NONE;
    struct slice text = json_string(reader->json);
    if (text.length == 0)
        return STRING_NONE;
    struct string_index string = string_table_add(&reader->profile->strings, text);
    if (!string_exists(string))
        fail_out_of_memory(reader);
    return string;
}

/* Lines and columns count from 0, with -1 for none; from 1 in the older form. */
static uint32_t read_position(struct cpu_reader *reader)
{
    int64_t position = json_integer_or_null(reader->json, -1);
    if (reader->is_nested)
        position--;
    return position < 0 || position >= INDEX_NONE - 1 ? INDEX_NONE : (uint32_t)position + 1;
}

/* One of the keys that say where a node's function is; false for any other. */
static bool read_call_frame_key(struct cpu_reader *reader, struct slice key, struct cpu_node *node)
{
    if (slice_is(key, "functionName"))
        node->name = read_text(reader);
    else if (slice_is(key, "url"))
        node->url = read_text(reader);
    else if (slice_is(key, "lineNumber"))
        node->line = read_position(reader);
    else if (slice_is(key, "columnNumber"))
        node->column = read_position(reader);
    else
        return false;
    return true;
}

static void read_call_frame(struct cpu_reader *reader, struct cpu_node *node)
{
    if (json_begin_object(reader->json))
        for (struct slice key; json_next_key(reader->json, &key);)
            if (!read_call_frame_key(reader, key, node))
                json_skip(reader->json);
}

static void read_node(struct cpu_reader *reader, uint32_t parent);

static void read_children(struct cpu_reader *reader, uint32_t row)
{
    if (json_null(reader->json) || !json_begin_array(reader->json))
        return;
    while (json_next_item(reader->json)) {
        if (json_peek(reader->json) == JSON_OBJECT) {
            read_node(reader, row);
            continue;
        }
        struct cpu_link link = {read_id(reader), row};
        if (json_ok(reader->json) && !vec_push(&reader->links, link))
            fail_out_of_memory(reader);
    }
}

/* The nesting of the older form is as deep as that of the JSON, which the JSON reader limits. */
static void read_node(struct cpu_reader *reader, uint32_t parent)
{
    struct cpu_node node = {INDEX_NONE, INDEX_NONE, parent, STRING_NONE, STRING_NONE, INDEX_NONE, INDEX_NONE};
    uint32_t row = (uint32_t)reader->nodes.count;
    if (!vec_push(&reader->nodes, node)) {
        fail_out_of_memory(reader);
        return;
    }
    if (!json_begin_object(reader->json))
        return;
    for (struct slice key; json_next_key(reader->json, &key);) {
        if (slice_is(key, "id"))
            node.id = read_id(reader);
        else if (slice_is(key, "callFrame"))
            read_call_frame(reader, &node);
        else if (slice_is(key, "children"))
            read_children(reader, row);
        else if (slice_is(key, "parent"))
            node.parent_id = read_id(reader);
        else if (!read_call_frame_key(reader, key, &node))
            json_skip(reader->json);
    }
    if (json_ok(reader->json) && node.id == INDEX_NONE)
        json_fail(reader->json, "a node has no id");
    if (json_ok(reader->json) && !map_insert(&reader->row_of_id, hash_u64(node.id), row))
        fail_out_of_memory(reader);
    reader->nodes.items[row] = node;
}

static void read_nodes(struct cpu_reader *reader)
{
    reader->has_nodes = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json))
            read_node(reader, INDEX_NONE);
}

static void read_head(struct cpu_reader *reader)
{
    reader->has_nodes = true;
    reader->is_nested = true;
    read_node(reader, INDEX_NONE);
}

static void read_samples(struct cpu_reader *reader)
{
    reader->has_samples = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json)) {
            uint32_t id = read_id(reader);
            if (json_ok(reader->json) && !vec_push(&reader->samples, id))
                fail_out_of_memory(reader);
        }
}

static void read_deltas(struct cpu_reader *reader)
{
    reader->has_deltas = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json))
            if (!vec_push(&reader->deltas, json_number(reader->json)))
                fail_out_of_memory(reader);
}

static void read_timestamps(struct cpu_reader *reader)
{
    reader->has_timestamps = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json))
            if (!vec_push(&reader->timestamps, json_number(reader->json)))
                fail_out_of_memory(reader);
}

static int read_file(struct cpu_reader *reader)
{
    struct json_reader *r = reader->json;
    if (json_begin_object(r))
        for (struct slice key; json_next_key(r, &key);) {
            if (slice_is(key, "nodes"))
                read_nodes(reader);
            else if (slice_is(key, "head"))
                read_head(reader);
            else if (slice_is(key, "samples"))
                read_samples(reader);
            else if (slice_is(key, "timeDeltas"))
                read_deltas(reader);
            else if (slice_is(key, "timestamps"))
                read_timestamps(reader);
            else if (slice_is(key, "startTime"))
                reader->start_time = json_number(r);
            else if (slice_is(key, "endTime"))
                reader->end_time = json_number(r);
            else
                json_skip(r);
        }
    return json_finish(r);
}

/* What is there must make a whole. */
static int check_file(struct cpu_reader *reader)
{
    struct error *error = reader->error;
    size_t times = reader->has_deltas ? reader->deltas.count : reader->timestamps.count;
    if (!reader->has_nodes)
        return error_set(error, -EINVAL, "the CPU profile has no `nodes`");
    if (!reader->has_samples)
        return error_set(error, -EINVAL, "the CPU profile has no `samples`");
    if (!reader->has_deltas && !reader->has_timestamps)
        return error_set(error, -EINVAL, "the CPU profile has no `timeDeltas`");
    if (reader->has_deltas && isnan(reader->start_time))
        return error_set(error, -EINVAL, "the CPU profile has no `startTime`");
    if (times < reader->samples.count)
        return error_set(error, -EINVAL, "the CPU profile has times for %zu of %zu samples", times, reader->samples.count);
    return 0;
}

/* ---- the tree of nodes ---- */

/* INDEX_NONE where there is none. */
static uint32_t find_node(const struct cpu_reader *reader, uint32_t id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&reader->row_of_id, hash_u64(id)); map_probe_next(&probe, &row);)
        if (reader->nodes.items[row].id == id)
            return row;
    return INDEX_NONE;
}

static int join_parents(struct cpu_reader *reader)
{
    for (size_t i = 0; i < reader->links.count; i++) {
        uint32_t child = find_node(reader, reader->links.items[i].child_id);
        if (child != INDEX_NONE)
            reader->nodes.items[child].parent = reader->links.items[i].parent;
    }
    for (size_t i = 0; i < reader->nodes.count; i++) {
        struct cpu_node *node = &reader->nodes.items[i];
        if (find_node(reader, node->id) != i)
            return error_set(reader->error, -EINVAL, "node %u occurs twice", node->id);
        if (node->parent_id == INDEX_NONE)
            continue;
        node->parent = find_node(reader, node->parent_id);
        if (node->parent == INDEX_NONE)
            return error_set(reader->error, -EINVAL, "node %u: its parent %u does not exist", node->id, node->parent_id);
    }
    return 0;
}

/* ---- the profile ---- */

static struct category_index node_category(struct slice name, bool has_place)
{
    if (slice_is(name, "(idle)"))
        return category_at(IDLE);
    if (slice_is(name, "(root)") || slice_is(name, "(program)"))
        return category_at(OTHER);
    if (slice_is(name, "(garbage collector)"))
        return category_at(GARBAGE);
    bool is_script = has_place || slice_is(name, "<WASM UNNAMED>") || slice_is(name, "(unresolved function)");
    return category_at(is_script ? JAVASCRIPT : NATIVE);
}

static struct func_index add_func(struct profile *profile, struct location_resolver *resolver, const struct cpu_node *node,
                                  struct category_index category)
{
    struct func func = {
        .name = string_exists(node->name) ? node->name : string_table_add(&profile->strings, SLICE("(anonymous)")),
        .is_js = category.i == JAVASCRIPT,
        .relevant_for_js = category.i == NATIVE,
        .resource = resource_none(),
        .source = source_none(),
        .line = node->line,
        .column = node->column,
        .original_location = location_none(),
    };
    if (!string_exists(func.name))
        return func_none();
    if (func.is_js && string_exists(node->url)) {
        struct source source = {STRING_NONE, node->url, 1, 1, STRING_NONE, STRING_NONE};
        func.source = source_table_add(&profile->sources, &source);
        if (!source_exists(func.source))
            return func_none();
    }
    if (func.is_js) {
        struct slice uri = string_exists(node->url) ? profile_text(profile, node->url) : SLICE("<unknown>");
        func.resource = location_script_resource(resolver, uri);
        if (!resource_exists(func.resource))
            return func_none();
    }
    return func_table_add(&profile->funcs, &func);
}

/* What a node gives the frame table. */
struct node_frame {
    uint32_t id;
    uint32_t row;
    struct func_index func;
    struct category_index category;
};

static int compare_frames(const void *a, const void *b)
{
    const struct node_frame *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Funcs come in the order of the file, frames in that of the ids. `frame_of` gets the frame of each node. */
static int append_frames(struct cpu_reader *reader, struct node_frame *frames, uint32_t *frame_of)
{
    struct profile *profile = reader->profile;
    size_t count = reader->nodes.count;
    struct location_resolver resolver;
    location_resolver_init(&resolver, profile);
    for (size_t i = 0; i < count && reader->error->code == 0; i++) {
        const struct cpu_node *node = &reader->nodes.items[i];
        bool has_place = string_exists(node->url) || node->line != INDEX_NONE;
        struct category_index category = node_category(profile_text(profile, node->name), has_place);
        frames[i] = (struct node_frame){node->id, (uint32_t)i, add_func(profile, &resolver, node, category), category};
        if (!func_exists(frames[i].func))
            error_out_of_memory(reader->error);
    }
    location_resolver_free(&resolver);
    if (reader->error->code != 0)
        return reader->error->code;
    qsort(frames, count, sizeof *frames, compare_frames);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_node *node = &reader->nodes.items[frames[i].row];
        struct frame frame = {
            .address = COLUMN_ABSENT,
            .lib = lib_none(),
            .category = frames[i].category,
            .subcategory = 0,
            .func = frames[i].func,
            .native_symbol = native_symbol_none(),
            .implementation = STRING_NONE,
            .line = node->line,
            .column = node->column,
            .original_location = location_none(),
        };
        frame_of[frames[i].row] = frame_table_append(&profile->frames, &frame).i;
    }
    return 0;
}

/* Each node is a stack. They come in the order of the file, but parents always before their children. */
static int append_stacks(struct cpu_reader *reader, const uint32_t *frame_of, uint32_t *stack_of, uint32_t *path)
{
    struct stack_table *stacks = &reader->profile->stacks;
    size_t count = reader->nodes.count;
    for (size_t i = 0; i < count; i++)
        stack_of[i] = INDEX_NONE;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        uint32_t row = (uint32_t)i;
        for (; row != INDEX_NONE && stack_of[row] == INDEX_NONE; row = reader->nodes.items[row].parent) {
            if (length == count)
                return error_set(reader->error, -EINVAL, "node %u is its own ancestor", reader->nodes.items[row].id);
            path[length++] = row;
        }
        struct stack_index prefix = row == INDEX_NONE ? stack_none() : stack_at(stack_of[row]);
        while (length-- > 0) {
            prefix = stack_table_append(stacks, prefix, frame_at(frame_of[path[length]]));
            stack_of[path[length]] = prefix.i;
        }
    }
    return 0;
}

static int append_samples(struct cpu_reader *reader, const uint32_t *stack_of, struct sample_table *samples)
{
    double time = reader->start_time / 1000, last = 0;
    for (size_t i = 0; i < reader->samples.count; i++) {
        time = reader->has_deltas ? time + reader->deltas.items[i] / 1000 : reader->timestamps.items[i] / 1000;
        if (!(time - last >= INTERVAL))
            continue;
        uint32_t row = find_node(reader, reader->samples.items[i]);
        if (row == INDEX_NONE)
            return error_set(reader->error, -EINVAL, "sample %zu is of node %u, which does not exist", i,
                             reader->samples.items[i]);
        column_append_index(&samples->stack, stack_of[row]);
        column_append_number(&samples->time, time);
        last = time;
    }
    return 0;
}

static double in_milliseconds(const struct cpu_reader *reader, double time)
{
    return reader->is_nested ? time * 1000 : time / 1000;
}

static bool fill_meta(struct cpu_reader *reader, struct thread *thread)
{
    static const struct {
        const char *name, *color;
    } categories[] = {
        [OTHER] = {"Other", "grey"},       [IDLE] = {"Idle", "transparent"},   [JAVASCRIPT] = {"JavaScript", "yellow"},
        [GARBAGE] = {"GC / CC", "orange"}, [GRAPHICS] = {"Graphics", "green"}, [NATIVE] = {"Native", "blue"},
    };
    struct profile *profile = reader->profile;
    struct string_table *strings = &profile->strings;
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (!category_exists(
                category_list_add(&profile->categories, strings, slice_of(categories[i].name), slice_of(categories[i].color))))
            return false;
    profile->meta.interval = INTERVAL;
    profile->meta.profiling_start_time = in_milliseconds(reader, reader->start_time);
    profile->meta.profiling_end_time = in_milliseconds(reader, reader->end_time);
    profile->meta.symbolicated = true;
    profile->meta.product = string_table_add(strings, SLICE("Chrome Trace"));
    thread->name = string_table_add(strings, SLICE("Chrome Thread"));
    thread->process_type = string_table_add(strings, SLICE("unknown"));
    thread->pid = string_table_add(strings, SLICE("0"));
    thread->tid = string_table_add(strings, SLICE("0:0"));
    thread->tid_is_text = true;
    return string_exists(profile->meta.product) && string_exists(thread->name) && string_exists(thread->process_type) &&
           string_exists(thread->pid) && string_exists(thread->tid);
}

static int build_profile(struct cpu_reader *reader)
{
    size_t count = reader->nodes.count + 1; /* never 0 */
    struct node_frame *frames = memory_array(count, sizeof *frames);
    uint32_t *frame_of = memory_array(count, sizeof *frame_of);
    uint32_t *stack_of = memory_array(count, sizeof *stack_of);
    uint32_t *path = memory_array(count, sizeof *path);
    struct thread *thread = profile_add_thread(reader->profile);
    if (!frames || !frame_of || !stack_of || !path || !thread || !fill_meta(reader, thread))
        error_out_of_memory(reader->error);
    else if (!join_parents(reader) && !append_frames(reader, frames, frame_of) &&
             !append_stacks(reader, frame_of, stack_of, path) && !append_samples(reader, stack_of, &thread->samples))
        profile_finish(reader->profile, reader->error);
    memory_release(frames);
    memory_release(frame_of);
    memory_release(stack_of);
    memory_release(path);
    return reader->error->code;
}

int cpuprofile_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    struct cpu_reader reader = {.profile = profile, .error = error, .start_time = NAN, .end_time = NAN};
    reader.json = json_reader_open(source, error);
    if (reader.json && !read_file(&reader) && !check_file(&reader))
        build_profile(&reader);
    json_reader_close(reader.json);
    vec_free(&reader.nodes);
    vec_free(&reader.links);
    map_free(&reader.row_of_id);
    vec_free(&reader.samples);
    vec_free(&reader.deltas);
    vec_free(&reader.timestamps);
    return error->code;
}
