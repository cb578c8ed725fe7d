#include "import/cpuprofile_file.h"

#include "common/json_reader.h"

#include <errno.h>
#include <math.h>

struct cpu_reader {
    struct cpuprofile_file *file;
    struct string_table *strings;
    struct json_reader *json;
    struct error *error;
};

static void fail_out_of_memory(struct cpu_reader *reader)
{
    if (json_ok(reader->json)) {
        error_out_of_memory(reader->error);
        json_fail(reader->json, "%s", reader->error->message);
    }
}

uint32_t cpuprofile_file_find(const struct cpuprofile_file *file, uint32_t id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&file->row_of_id, hash_u64(id)); map_probe_next(&probe, &row);)
        if (file->nodes.items[row].id == id)
            return row;
    return INDEX_NONE;
}

/* ---- reading ---- */

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
    struct string_index string = string_table_add(reader->strings, text);
    if (!string_exists(string))
        fail_out_of_memory(reader);
    return string;
}

/* Lines and columns count from 0, with -1 for none; from 1 in the older form. */
static uint32_t read_position(struct cpu_reader *reader)
{
    int64_t position = json_integer_or_null(reader->json, -1);
    if (reader->file->is_nested)
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
        if (json_ok(reader->json) && !vec_push(&reader->file->links, link))
            fail_out_of_memory(reader);
    }
}

/* 0 where it says nothing that makes sense. */
static uint32_t read_count(struct cpu_reader *reader)
{
    if (json_peek(reader->json) != JSON_NUMBER) {
        json_skip(reader->json);
        return 0;
    }
    double count = json_number(reader->json);
    return count >= 1 && count < INDEX_NONE ? (uint32_t)count : 0;
}

static void read_tick(struct cpu_reader *reader)
{
    struct line_tick tick = {0};
    if (!json_begin_object(reader->json))
        return;
    for (struct slice key; json_next_key(reader->json, &key);)
        if (slice_is(key, "line"))
            tick.line = read_count(reader);
        else if (slice_is(key, "ticks"))
            tick.ticks = read_count(reader);
        else
            json_skip(reader->json);
    if (json_ok(reader->json) && tick.line > 0 && tick.ticks > 0 &&
        (reader->file->ticks.ticks.count >= INDEX_NONE - 1 || !vec_push(&reader->file->ticks.ticks, tick)))
        fail_out_of_memory(reader);
}

static void read_ticks(struct cpu_reader *reader, struct node_ticks *node)
{
    struct line_ticks *ticks = &reader->file->ticks;
    node->first = (uint32_t)ticks->ticks.count;
    if (!json_null(reader->json) && json_begin_array(reader->json))
        while (json_next_item(reader->json))
            read_tick(reader);
    node->count = (uint32_t)ticks->ticks.count - node->first;
}

static void add_node(struct cpu_reader *reader, uint32_t row, const struct cpu_node *node)
{
    if (!json_ok(reader->json))
        return;
    if (node->id == INDEX_NONE)
        json_fail(reader->json, "a node has no id");
    else if (cpuprofile_file_find(reader->file, node->id) != INDEX_NONE)
        json_fail(reader->json, "node %u occurs twice", node->id);
    else if (!map_insert(&reader->file->row_of_id, hash_u64(node->id), row))
        fail_out_of_memory(reader);
    reader->file->nodes.items[row] = *node;
}

/* The nesting of the older form is as deep as that of the JSON, which the JSON reader limits. */
static void read_node(struct cpu_reader *reader, uint32_t parent)
{
    struct cpu_node node = {
        .id = INDEX_NONE,
        .parent_id = INDEX_NONE,
        .parent = parent,
        .name = STRING_NONE,
        .url = STRING_NONE,
        .lib = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
    };
    uint32_t row = (uint32_t)reader->file->nodes.count;
    struct node_ticks ticks = {.node = row};
    if (!vec_push(&reader->file->nodes, node)) {
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
        else if (slice_is(key, "positionTicks"))
            read_ticks(reader, &ticks);
        else if (slice_is(key, "hitCount"))
            ticks.hit_count = read_count(reader);
        else if (!read_call_frame_key(reader, key, &node))
            json_skip(reader->json);
    }
    add_node(reader, row, &node);
    if (ticks.count > 0 && json_ok(reader->json) && !vec_push(&reader->file->ticks.nodes, ticks))
        fail_out_of_memory(reader);
}

static void read_nodes(struct cpu_reader *reader)
{
    reader->file->has_nodes = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json))
            read_node(reader, INDEX_NONE);
}

static void read_head(struct cpu_reader *reader)
{
    reader->file->has_nodes = true;
    reader->file->is_nested = true;
    read_node(reader, INDEX_NONE);
}

static void read_samples(struct cpu_reader *reader)
{
    reader->file->has_samples = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json)) {
            uint32_t id = read_id(reader);
            if (json_ok(reader->json) && !vec_push(&reader->file->samples, id))
                fail_out_of_memory(reader);
        }
}

static void read_deltas(struct cpu_reader *reader)
{
    reader->file->has_deltas = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json))
            if (!vec_push(&reader->file->deltas, json_number(reader->json)))
                fail_out_of_memory(reader);
}

static void read_timestamps(struct cpu_reader *reader)
{
    reader->file->has_timestamps = true;
    if (json_begin_array(reader->json))
        while (json_next_item(reader->json))
            if (!vec_push(&reader->file->timestamps, json_number(reader->json)))
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
                reader->file->start_time = json_number(r);
            else if (slice_is(key, "endTime"))
                reader->file->end_time = json_number(r);
            else
                json_skip(r);
        }
    return json_finish(r);
}

/* What is there must make a whole. */
static int check_file(struct cpu_reader *reader)
{
    struct error *error = reader->error;
    size_t times = reader->file->has_deltas ? reader->file->deltas.count : reader->file->timestamps.count;
    if (!reader->file->has_nodes)
        return error_set(error, -EINVAL, "the CPU profile has no `nodes`");
    if (!reader->file->has_samples)
        return error_set(error, -EINVAL, "the CPU profile has no `samples`");
    if (!reader->file->has_deltas && !reader->file->has_timestamps)
        return error_set(error, -EINVAL, "the CPU profile has no `timeDeltas`");
    if (reader->file->has_deltas && isnan(reader->file->start_time))
        return error_set(error, -EINVAL, "the CPU profile has no `startTime`");
    if (times < reader->file->samples.count)
        return error_set(error, -EINVAL, "the CPU profile has times for %zu of %zu samples", times,
                         reader->file->samples.count);
    return 0;
}

static int join_parents(struct cpu_reader *reader)
{
    for (size_t i = 0; i < reader->file->links.count; i++) {
        uint32_t child = cpuprofile_file_find(reader->file, reader->file->links.items[i].child_id);
        if (child != INDEX_NONE)
            reader->file->nodes.items[child].parent = reader->file->links.items[i].parent;
    }
    for (size_t i = 0; i < reader->file->nodes.count; i++) {
        struct cpu_node *node = &reader->file->nodes.items[i];
        if (node->parent_id == INDEX_NONE)
            continue;
        node->parent = cpuprofile_file_find(reader->file, node->parent_id);
        if (node->parent == INDEX_NONE)
            return error_set(reader->error, -EINVAL, "node %u: its parent %u does not exist", node->id, node->parent_id);
    }
    return 0;
}

int cpuprofile_file_read(struct cpuprofile_file *file, struct byte_source *source, struct string_table *strings,
                         struct error *error)
{
    *file = (struct cpuprofile_file){.start_time = NAN, .end_time = NAN};
    struct cpu_reader reader = {file, strings, json_reader_open(source, error), error};
    if (reader.json && !read_file(&reader) && !check_file(&reader))
        join_parents(&reader);
    json_reader_close(reader.json);
    return error->code;
}

void cpuprofile_file_free(struct cpuprofile_file *file)
{
    vec_free(&file->nodes);
    vec_free(&file->links);
    line_ticks_free(&file->ticks);
    map_free(&file->row_of_id);
    vec_free(&file->samples);
    vec_free(&file->deltas);
    vec_free(&file->timestamps);
}
