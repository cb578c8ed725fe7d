/* Samples in a Chrome trace.
 *
 *     stacks of the profile            paths                     nodes of a thread
 *     main+0x10                        main                      1 (root)
 *     main+0x10 draw+0x8               main draw                 2 main   parent 1
 *     main+0x24                                                  3 draw   parent 2
 *     main+0x24 draw+0x8
 *
 * A node is a function in its calling context, so stacks that differ in places inside of functions only are one path. Paths are
 * found once for all threads; each thread then has nodes of the paths it uses, numbered on through all threads, since some
 * readers keep one table of nodes for the whole trace.
 *
 * Every tree needs one root. Where all samples of a thread stand on one `(root)` already, as those of V8 do, it is that;
 * otherwise one is added, of kind "root", by which the importer knows it and takes it away again. A sample without a
 * stack is a sample of the root. */
#include "export/chrome_trace_layout.h"
#include "export/chrome_trace_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* So many samples are in one event. */
enum { CHUNK_SAMPLES = 4096 };

struct path {
    uint32_t parent; /* INDEX_NONE for roots */
    uint32_t func;
    uint32_t root; /* the path it begins with */
    uint32_t node;
    uint32_t node_thread; /* for which `node` is; INDEX_NONE = for none yet */
};

struct sampler {
    struct chrome_writer *out;
    VEC(struct path) paths;
    struct map by_key;
    uint32_t *path_of_stack;
    uint32_t node_count; /* of all threads so far */
    /* the thread at hand */
    uint32_t thread;
    uint32_t root_path; /* that is the root; INDEX_NONE = it is added */
    uint32_t root_node;
    double last;   /* µs: time of the sample before; NaN = there is none */
    bool is_timed; /* its samples weigh the time that they stand for, which the chunks say */
    /* the chunk at hand */
    bool needs_root;
    VEC(uint32_t) nodes; /* paths that are new, outer first */
    VEC(uint32_t) samples;
    VEC(double) deltas;           /* µs */
    VEC(uint32_t) lines, columns; /* from 1 on; 0 = unknown, or that of the func */
    bool has_lines;
};

/* ---- paths ---- */

static uint32_t path_add(struct sampler *sampler, uint32_t parent, uint32_t func)
{
    uint64_t hash = hash_combine(parent, func);
    uint32_t row;
    for (struct map_probe probe = map_probe(&sampler->by_key, hash); map_probe_next(&probe, &row);)
        if (sampler->paths.items[row].parent == parent && sampler->paths.items[row].func == func)
            return row;
    row = (uint32_t)sampler->paths.count;
    uint32_t root = parent == INDEX_NONE ? row : sampler->paths.items[parent].root;
    struct path path = {parent, func, root, 0, INDEX_NONE};
    return map_insert(&sampler->by_key, hash, row) && vec_push(&sampler->paths, path) ? row : INDEX_NONE;
}

static bool build_paths(struct sampler *sampler)
{
    const struct profile *profile = sampler->out->profile;
    size_t count = stack_count(&profile->stacks);
    sampler->path_of_stack = memory_array(count + 1, sizeof *sampler->path_of_stack);
    for (size_t i = 0; sampler->path_of_stack && i < count; i++) {
        struct stack_index prefix = stack_prefix(&profile->stacks, stack_at(i));
        struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack_at(i)));
        uint32_t parent = stack_exists(prefix) ? sampler->path_of_stack[prefix.i] : INDEX_NONE;
        sampler->path_of_stack[i] = path_add(sampler, parent, func.i);
        if (sampler->path_of_stack[i] == INDEX_NONE)
            return false;
    }
    return sampler->path_of_stack != NULL;
}

/* The `(root)` that all samples stand on, or INDEX_NONE. */
static uint32_t find_root(const struct sampler *sampler, const struct sample_table *samples)
{
    const struct profile *profile = sampler->out->profile;
    uint32_t root = INDEX_NONE;
    for (size_t i = 0; i < sample_count(samples); i++) {
        uint32_t stack = column_get_index(&samples->stack, i);
        if (stack == INDEX_NONE)
            continue;
        uint32_t its_root = sampler->paths.items[sampler->path_of_stack[stack]].root;
        if (root != INDEX_NONE && root != its_root)
            return INDEX_NONE;
        root = its_root;
    }
    if (root == INDEX_NONE)
        return root;
    struct string_index name = func_name(&profile->funcs, func_at(sampler->paths.items[root].func));
    return slice_is(profile_text(profile, name), "(root)") ? root : INDEX_NONE;
}

/* ---- writing ---- */

static void begin_event(struct sampler *sampler, const char *name, double microseconds)
{
    struct chrome_writer *out = sampler->out;
    char id[16];
    snprintf(id, sizeof id, "0x%" PRIx32, sampler->thread + 1);
    chrome_begin_event(out, 'P', slice_of(name), SLICE("disabled-by-default-v8.cpu_profiler"), out->ids[sampler->thread],
                       microseconds / 1000 - out->shift);
    json_write_key(out->w, "id");
    json_write_text(out->w, id);
    json_write_key(out->w, "args");
    json_write_begin_object(out->w);
    json_write_key(out->w, "data");
    json_write_begin_object(out->w);
}

static void end_event(struct sampler *sampler)
{
    for (size_t i = 0; i < 3; i++)
        json_write_end_object(sampler->out->w);
}

static void write_added_root(struct sampler *sampler)
{
    struct json_writer *w = sampler->out->w;
    json_write_begin_object(w);
    json_write_key(w, "id");
    json_write_integer(w, sampler->root_node);
    json_write_key(w, "callFrame");
    json_write_begin_object(w);
    json_write_key(w, "functionName");
    json_write_text(w, "(root)");
    json_write_key(w, "scriptId");
    json_write_integer(w, 0);
    json_write_key(w, "codeType");
    json_write_text(w, "other");
    json_write_key(w, "kind");
    json_write_text(w, "root");
    json_write_end_object(w);
    json_write_end_object(w);
}

static void write_node(struct sampler *sampler, const struct path *path)
{
    struct json_writer *w = sampler->out->w;
    json_write_begin_object(w);
    json_write_key(w, "id");
    json_write_integer(w, path->node);
    if (path->node != sampler->root_node) {
        json_write_key(w, "parent");
        json_write_integer(w, path->parent == INDEX_NONE ? sampler->root_node : sampler->paths.items[path->parent].node);
    }
    json_write_key(w, "callFrame");
    json_write_begin_object(w);
    chrome_write_func(sampler->out, func_at(path->func));
    json_write_end_object(w);
    json_write_end_object(w);
}

static void write_integers(struct json_writer *w, const char *key, const uint32_t *items, size_t count)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < count; i++)
        json_write_integer(w, items[i]);
    json_write_end_array(w);
}

static void write_chunk(struct sampler *sampler, double microseconds)
{
    struct json_writer *w = sampler->out->w;
    if (sampler->samples.count == 0)
        return;
    begin_event(sampler, "ProfileChunk", microseconds);
    json_write_key(w, "cpuProfile");
    json_write_begin_object(w);
    if (sampler->needs_root || sampler->nodes.count > 0) {
        json_write_key(w, "nodes");
        json_write_begin_array(w);
        if (sampler->needs_root)
            write_added_root(sampler);
        for (size_t i = 0; i < sampler->nodes.count; i++)
            write_node(sampler, &sampler->paths.items[sampler->nodes.items[i]]);
        json_write_end_array(w);
    }
    write_integers(w, "samples", sampler->samples.items, sampler->samples.count);
    if (sampler->is_timed) {
        json_write_key(w, "kind");
        json_write_text(w, "time");
    }
    json_write_end_object(w);
    json_write_key(w, "timeDeltas");
    json_write_begin_array(w);
    for (size_t i = 0; i < sampler->deltas.count; i++)
        json_write_number(w, sampler->deltas.items[i]);
    json_write_end_array(w);
    if (sampler->has_lines) {
        write_integers(w, "lines", sampler->lines.items, sampler->lines.count);
        write_integers(w, "columns", sampler->columns.items, sampler->columns.count);
    }
    end_event(sampler);
    sampler->needs_root = sampler->has_lines = false;
    sampler->nodes.count = sampler->samples.count = sampler->deltas.count = 0;
    sampler->lines.count = sampler->columns.count = 0;
}

/* ---- samples ---- */

/* The node of a path in the thread at hand; those it is called from get theirs before it. */
static bool node_of(struct sampler *sampler, uint32_t leaf, uint32_t *node)
{
    size_t first = sampler->nodes.count;
    for (uint32_t at = leaf; at != INDEX_NONE; at = sampler->paths.items[at].parent) {
        if (sampler->paths.items[at].node_thread == sampler->thread)
            break;
        if (!vec_push(&sampler->nodes, at))
            return false;
    }
    for (size_t a = first, b = sampler->nodes.count; a + 1 < b; a++) {
        uint32_t outer = sampler->nodes.items[--b];
        sampler->nodes.items[b] = sampler->nodes.items[a];
        sampler->nodes.items[a] = outer;
    }
    for (size_t i = first; i < sampler->nodes.count; i++) {
        struct path *path = &sampler->paths.items[sampler->nodes.items[i]];
        path->node_thread = sampler->thread;
        path->node = ++sampler->node_count;
    }
    *node = sampler->paths.items[leaf].node;
    return true;
}

/* Where in the function: said only if it is not where the function begins, which the node says. */
static bool add_place(struct sampler *sampler, uint32_t stack)
{
    const struct profile *profile = sampler->out->profile;
    uint32_t line = INDEX_NONE, column = INDEX_NONE;
    if (stack != INDEX_NONE) {
        struct frame_index index = stack_frame(&profile->stacks, stack_at(stack));
        struct func_index func = frame_func(&profile->frames, index);
        line = column_get_index(&profile->frames.line, index.i);
        column = column_get_index(&profile->frames.column, index.i);
        if (line == column_get_index(&profile->funcs.line, func.i) &&
            column == column_get_index(&profile->funcs.column, func.i))
            line = INDEX_NONE;
    }
    sampler->has_lines |= line != INDEX_NONE;
    return vec_push(&sampler->lines, line == INDEX_NONE ? 0 : line) &&
           vec_push(&sampler->columns, line == INDEX_NONE || column == INDEX_NONE ? 0 : column);
}

static bool add_sample(struct sampler *sampler, uint32_t stack, double delta)
{
    uint32_t node = sampler->root_node;
    if (stack != INDEX_NONE && !node_of(sampler, sampler->path_of_stack[stack], &node))
        return false;
    return vec_push(&sampler->samples, node) && vec_push(&sampler->deltas, delta) && add_place(sampler, stack);
}

/* The root is the first node of the first chunk. */
static bool begin_thread(struct sampler *sampler, uint32_t thread, const struct sample_table *samples)
{
    sampler->thread = thread;
    sampler->is_timed = sample_table_weights_follow(samples) || sample_table_weights_precede(samples);
    sampler->root_path = find_root(sampler, samples);
    sampler->needs_root = sampler->root_path == INDEX_NONE;
    if (!sampler->needs_root)
        return node_of(sampler, sampler->root_path, &sampler->root_node);
    sampler->root_node = ++sampler->node_count;
    return true;
}

/* Samples are on whole µs, as those of V8: readers add the distances up, some of them in whole numbers. */
static double in_microseconds(const struct chrome_writer *out, double milliseconds)
{
    return round((milliseconds + out->shift) * 1000);
}

/* Older releases of DevTools look at threads only that have events, too. */
static void write_event_of_thread(struct sampler *sampler, double microseconds)
{
    struct chrome_writer *out = sampler->out;
    if (marker_count(&out->profile->threads.items[sampler->thread].markers) > 0)
        return;
    chrome_begin_event(out, 'I', SLICE("SampledThread"), SLICE("sonde"), out->ids[sampler->thread],
                       microseconds / 1000 - out->shift);
    json_write_key(out->w, "s");
    json_write_text(out->w, "t");
    json_write_end_object(out->w);
}

/* What the thread was on from this time on, in µs. */
static bool write_sample(struct sampler *sampler, uint32_t stack, double time)
{
    struct chrome_writer *out = sampler->out;
    if (!isfinite(time))
        return true;
    if (isnan(sampler->last)) {
        begin_event(sampler, "Profile", time);
        json_write_key(out->w, "startTime");
        json_write_number(out->w, time);
        end_event(sampler);
        write_event_of_thread(sampler, time);
        sampler->last = time;
    }
    if (!add_sample(sampler, stack, time - sampler->last))
        return false;
    sampler->last = time;
    if (sampler->samples.count >= CHUNK_SAMPLES)
        write_chunk(sampler, time);
    return true;
}

static bool write_samples(struct sampler *sampler, const struct sample_table *samples)
{
    double times[COLUMN_BLOCK_ROWS], sum = 0;
    size_t row = 0;
    for (size_t n; (n = column_next_times(&samples->time, samples->time_is_deltas, row, &sum, times)) > 0; row += n)
        for (size_t i = 0; i < n; i++)
            if (!write_sample(sampler, column_get_index(&samples->stack, row + i), in_microseconds(sampler->out, times[i])))
                return false;
    return true;
}

/* A sample without a stack stands where none of the rows is, and ends the last. */
static bool write_rows(struct sampler *sampler, const struct sample_table *samples)
{
    const struct chrome_writer *out = sampler->out;
    struct chrome_row *rows = chrome_rows_in_order(samples);
    double end = NAN; /* of the row before */
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < sample_count(samples); i++) {
        double start = in_microseconds(out, rows[i].start);
        if (isnan(start))
            continue;
        if (start > end)
            ok = write_sample(sampler, INDEX_NONE, end);
        end = in_microseconds(out, rows[i].end);
        ok = ok && write_sample(sampler, column_get_index(&samples->stack, i), start);
    }
    ok = ok && write_sample(sampler, INDEX_NONE, end);
    memory_release(rows);
    return ok;
}

static bool write_thread(struct sampler *sampler, uint32_t thread)
{
    const struct sample_table *samples = &sampler->out->profile->threads.items[thread].samples;
    if (sample_count(samples) == 0)
        return true;
    if (!begin_thread(sampler, thread, samples))
        return false;
    sampler->last = NAN;
    if (!(sample_table_weights_precede(samples) ? write_rows : write_samples)(sampler, samples))
        return false;
    write_chunk(sampler, sampler->last);
    sampler->nodes.count = 0;
    return true;
}

bool chrome_write_samples(struct chrome_writer *out)
{
    struct sampler sampler = {.out = out};
    bool ok = build_paths(&sampler);
    for (size_t i = 0; ok && i < out->profile->threads.count && json_writer_ok(out->w); i++)
        ok = write_thread(&sampler, (uint32_t)i);
    vec_free(&sampler.paths);
    map_free(&sampler.by_key);
    memory_release(sampler.path_of_stack);
    vec_free(&sampler.nodes);
    vec_free(&sampler.samples);
    vec_free(&sampler.deltas);
    vec_free(&sampler.lines);
    vec_free(&sampler.columns);
    return ok;
}
