#include "import/cpu_nodes.h"

#include "common/count.h"
#include "import/location.h"

#include <errno.h>
#include <stdlib.h>

bool cpu_nodes_add_categories(struct profile *profile)
{
    static const struct {
        const char *name, *color;
    } categories[] = {
        [CPU_NODES_OTHER] = {"Other", "grey"},
        [CPU_NODES_IDLE] = {"Idle", "transparent"},
        [CPU_NODES_JAVASCRIPT] = {"JavaScript", "yellow"},
        [CPU_NODES_GARBAGE] = {"GC / CC", "orange"},
        [CPU_NODES_GRAPHICS] = {"Graphics", "green"},
        [CPU_NODES_NATIVE] = {"Native", "blue"},
    };
    for (size_t i = 0; i < COUNT(categories); i++)
        if (!category_exists(category_list_add(&profile->categories, &profile->strings, slice_of(categories[i].name),
                                               slice_of(categories[i].color))))
            return false;
    return true;
}

/* ---- funcs ---- */

static enum cpu_node_kind node_kind(struct slice name, const struct cpu_node *node)
{
    if (node->kind != CPU_NODE_UNTOLD)
        return node->kind;
    if (slice_is(name, "(idle)") || slice_is(name, "(root)") || slice_is(name, "(program)") ||
        slice_is(name, "(garbage collector)"))
        return CPU_NODE_NATIVE;
    bool has_place = string_exists(node->url) || node->line != INDEX_NONE;
    bool is_script = has_place || slice_is(name, "<WASM UNNAMED>") || slice_is(name, "(unresolved function)");
    return is_script ? CPU_NODE_SCRIPT : CPU_NODE_LABEL;
}

static struct category_index node_category(struct slice name, enum cpu_node_kind kind)
{
    if (kind == CPU_NODE_SCRIPT)
        return category_at(CPU_NODES_JAVASCRIPT);
    if (slice_is(name, "(idle)"))
        return category_at(CPU_NODES_IDLE);
    if (slice_is(name, "(root)") || slice_is(name, "(program)"))
        return category_at(CPU_NODES_OTHER);
    if (slice_is(name, "(garbage collector)"))
        return category_at(CPU_NODES_GARBAGE);
    return category_at(CPU_NODES_NATIVE);
}

/* Where scripts are that do not say it. */
static const struct slice unknown_uri = {"<unknown>", 9};

/* False when the heap is empty. */
static bool find_place(struct profile *profile, struct location_resolver *resolver, const struct cpu_node *node,
                       enum cpu_node_kind kind, struct func *func)
{
    bool has_lib = string_exists(node->lib), has_url = string_exists(node->url);
    struct slice uri = has_url ? profile_text(profile, node->url) : unknown_uri;
    /* Without a kind of their own only scripts are somewhere; a library can stand for the file. */
    bool has_source = has_url && (kind == CPU_NODE_SCRIPT || node->kind != CPU_NODE_UNTOLD) &&
                      !(has_lib && string_same(node->lib, node->url)) && !slice_equal(uri, unknown_uri);
    if (has_source) {
        struct source source = {STRING_NONE, node->url, 1, 1, STRING_NONE, STRING_NONE};
        func->source = source_table_add(&profile->sources, &source);
        if (!source_exists(func->source))
            return false;
    }
    if (has_lib) {
        struct resource resource = {node->lib, STRING_NONE, RESOURCE_LIBRARY};
        func->resource = resource_table_add(&profile->resources, &resource);
        return resource_exists(func->resource);
    }
    if (kind != CPU_NODE_SCRIPT || (node->kind == CPU_NODE_SCRIPT && !has_url))
        return true;
    func->resource = location_script_resource(resolver, uri);
    return resource_exists(func->resource);
}

static struct func_index add_func(struct profile *profile, struct location_resolver *resolver, const struct cpu_node *node,
                                  enum cpu_node_kind kind)
{
    struct func func = {
        .name = string_exists(node->name) ? node->name : string_table_add(&profile->strings, SLICE("(anonymous)")),
        .is_js = kind == CPU_NODE_SCRIPT,
        .relevant_for_js = kind == CPU_NODE_LABEL,
        .resource = resource_none(),
        .source = source_none(),
        .line = node->line,
        .column = node->column,
        .original_location = location_none(),
    };
    if (!string_exists(func.name) || !find_place(profile, resolver, node, kind, &func))
        return func_none();
    return func_table_add(&profile->funcs, &func);
}

/* ---- frames ---- */

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

/* False when the heap is empty. */
static bool add_funcs(struct profile *profile, const struct cpu_node *nodes, size_t count, struct node_frame *frames)
{
    struct location_resolver resolver;
    location_resolver_init(&resolver, profile);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct slice name = profile_text(profile, nodes[i].name);
        enum cpu_node_kind kind = node_kind(name, &nodes[i]);
        struct category_index category = node_category(name, kind);
        frames[i] = (struct node_frame){nodes[i].id, (uint32_t)i, add_func(profile, &resolver, &nodes[i], kind), category};
        ok = func_exists(frames[i].func);
    }
    location_resolver_free(&resolver);
    return ok;
}

/* Funcs come in the order of the nodes, frames in that of the ids. `frame_of` gets the frame of each node. */
static bool append_frames(struct profile *profile, const struct cpu_node *nodes, size_t count, uint32_t *frame_of)
{
    struct node_frame *frames = memory_array(count + 1, sizeof *frames);
    bool ok = frames && add_funcs(profile, nodes, count, frames);
    if (ok)
        qsort(frames, count, sizeof *frames, compare_frames);
    for (size_t i = 0; ok && i < count; i++) {
        const struct cpu_node *node = &nodes[frames[i].row];
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
    memory_release(frames);
    return ok;
}

/* ---- stacks ---- */

/* They come in the order of the nodes, but parents always before their children. */
static int append_stacks(struct profile *profile, const struct cpu_node *nodes, size_t count, const uint32_t *frame_of,
                         uint32_t *stack_of, uint32_t *path, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        stack_of[i] = INDEX_NONE;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        uint32_t row = (uint32_t)i;
        for (; row != INDEX_NONE && stack_of[row] == INDEX_NONE; row = nodes[row].parent) {
            if (length == count)
                return error_set(error, -EINVAL, "node %u is its own ancestor", nodes[row].id);
            path[length++] = row;
        }
        struct stack_index prefix = row == INDEX_NONE ? stack_none() : stack_at(stack_of[row]);
        while (length-- > 0) {
            prefix = stack_table_append(&profile->stacks, prefix, frame_at(frame_of[path[length]]));
            stack_of[path[length]] = prefix.i;
        }
    }
    return 0;
}

int cpu_nodes_append(struct profile *profile, const struct cpu_node *nodes, size_t count, uint32_t *stack_of,
                     struct error *error)
{
    uint32_t *frame_of = memory_array(count + 1, sizeof *frame_of);
    uint32_t *path = memory_array(count + 1, sizeof *path);
    if (!frame_of || !path || !append_frames(profile, nodes, count, frame_of))
        error_out_of_memory(error);
    else
        append_stacks(profile, nodes, count, frame_of, stack_of, path, error);
    memory_release(frame_of);
    memory_release(path);
    return error->code;
}
