#include "tree/call_node_table.h"

uint32_t pair_merge(uint32_t a, uint32_t b, uint32_t default_pair)
{
    if (a == b)
        return a;
    return pair_category(a) == pair_category(b) ? pair_of(pair_category(a), 0) : default_pair;
}

/* ---- building ----
 *
 * First the nodes are found in one pass over the stacks and numbered as they come (parents first). Then each gets its final
 * number: nodes sorted by func, and those by parent, are all sibling lists in their order; a node's number is its parent's plus
 * one plus the sizes of the subtrees of the siblings before it. */

/* Nodes as they are found. */
struct draft {
    uint32_t count;
    uint32_t *parent, *func, *pair, *inlined;
    uint32_t *slots; /* open addressing: node + 1, by parent and func; 0 = free */
    uint32_t slot_mask;
    uint32_t *frame_inlined; /* for each frame; NULL where nothing is inlined */
};

static void draft_free(struct draft *draft)
{
    memory_release(draft->parent);
    memory_release(draft->func);
    memory_release(draft->pair);
    memory_release(draft->inlined);
    memory_release(draft->slots);
    memory_release(draft->frame_inlined);
}

/* For each frame the native symbol it was inlined into, INLINED_NOT for others; NULL where no frame was inlined at all. */
static int read_inlined(const struct frame_table *frames, uint32_t **inlined, struct error *error)
{
    size_t count = frame_count(frames);
    uint32_t *symbol = NULL;
    uint32_t *depth = memory_array(count, sizeof *depth);
    if (!depth)
        return error_out_of_memory(error);
    column_read_u32(&frames->inline_depth, 0, count, depth);
    bool any = false;
    for (size_t i = 0; i < count && !any; i++)
        any = depth[i] != 0;
    if (any) {
        symbol = memory_array(count, sizeof *symbol);
        if (!symbol) {
            memory_release(depth);
            return error_out_of_memory(error);
        }
        column_read_u32(&frames->native_symbol, 0, count, symbol);
        for (size_t i = 0; i < count; i++)
            if (depth[i] == 0 || symbol[i] == INDEX_NONE)
                symbol[i] = INLINED_NOT;
    }
    memory_release(depth);
    *inlined = symbol;
    return 0;
}

static int draft_begin(struct draft *draft, const struct view *view, struct error *error)
{
    size_t slots = 16;
    while (slots < (size_t)view->count * 2)
        slots *= 2;
    *draft = (struct draft){.slot_mask = (uint32_t)(slots - 1)};
    int status = read_inlined(&view->profile->frames, &draft->frame_inlined, error);
    if (status != 0)
        return status;
    draft->parent = memory_array(view->count, sizeof(uint32_t));
    draft->func = memory_array(view->count, sizeof(uint32_t));
    draft->pair = memory_array(view->count, sizeof(uint32_t));
    draft->inlined = memory_array(draft->frame_inlined ? view->count : 0, sizeof(uint32_t));
    draft->slots = memory_zeroed(slots, sizeof(uint32_t));
    if (draft->parent && draft->func && draft->pair && draft->inlined && draft->slots)
        return 0;
    return error_out_of_memory(error);
}

static uint32_t draft_node(struct draft *draft, uint32_t parent, uint32_t func, bool *is_new)
{
    uint64_t hash = hash_u64((uint64_t)parent << 32 | func);
    for (uint32_t at = (uint32_t)(hash >> 32) & draft->slot_mask;; at = (at + 1) & draft->slot_mask) {
        uint32_t node = draft->slots[at];
        *is_new = node == 0;
        if (node == 0) {
            draft->parent[draft->count] = parent;
            draft->func[draft->count] = func;
            draft->slots[at] = ++draft->count;
            return draft->count - 1;
        }
        if (draft->parent[node - 1] == parent && draft->func[node - 1] == func)
            return node - 1;
    }
}

static void draft_collect(struct draft *draft, const struct view *view, uint32_t *of_stack)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        uint32_t prefix = view->prefix[stack], pair = view->pair[stack];
        bool is_new;
        uint32_t node = draft_node(draft, prefix == INDEX_NONE ? INDEX_NONE : of_stack[prefix], view->func[stack], &is_new);
        of_stack[stack] = node;
        draft->pair[node] = is_new ? pair : pair_merge(draft->pair[node], pair, view->default_pair);
        if (draft->frame_inlined) {
            uint32_t inlined = draft->frame_inlined[view->frame[stack]];
            draft->inlined[node] = is_new ? inlined : inlined_merge(draft->inlined[node], inlined);
        }
    }
}

/* The nodes in the order of `key` plus `offset`, equal ones in the order of `nodes` (NULL: of their numbers). `starts` has room
 * for `keys` + 1 numbers. */
static void counting_sort(const uint32_t *nodes, const uint32_t *key, uint32_t offset, uint32_t count, size_t keys,
                          uint32_t *starts, uint32_t *sorted)
{
    memset(starts, 0, (keys + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; i++)
        starts[key[i] + offset + 1]++;
    for (size_t k = 1; k <= keys; k++)
        starts[k] += starts[k - 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes ? nodes[i] : i;
        sorted[starts[key[node] + offset]++] = node;
    }
}

/* What numbers nodes. A profile has millions of them, and this is when most memory is needed: arrays are used twice. */
struct numbering {
    uint32_t *by_func;   /* … and then the final number of each node */
    uint32_t *by_parent; /* siblings together, in the order of their funcs */
    uint32_t *starts;    /* … and then the size of each node's subtree */
};

static int numbering_begin(struct numbering *numbering, size_t count, size_t funcs, struct error *error)
{
    numbering->by_func = memory_array(count + 1, sizeof(uint32_t));
    numbering->by_parent = memory_array(count + 1, sizeof(uint32_t));
    numbering->starts = memory_array((count > funcs ? count : funcs) + 2, sizeof(uint32_t));
    return numbering->by_func && numbering->by_parent && numbering->starts ? 0 : error_out_of_memory(error);
}

static void numbering_free(struct numbering *numbering)
{
    memory_release(numbering->by_func);
    memory_release(numbering->by_parent);
    memory_release(numbering->starts);
}

static void number_nodes(const struct draft *draft, uint32_t func_count, struct numbering *numbering)
{
    uint32_t count = draft->count, *size = numbering->starts, *number = numbering->by_func;
    counting_sort(NULL, draft->func, 0, count, func_count, numbering->starts, numbering->by_func);
    /* Roots are children of one more node before all others: INDEX_NONE + 1 is 0. */
    counting_sort(numbering->by_func, draft->parent, 1, count, (size_t)count + 1, numbering->starts, numbering->by_parent);
    for (uint32_t node = 0; node < count; node++)
        size[node] = 1;
    for (uint32_t node = count; node-- > 0;)
        if (draft->parent[node] != INDEX_NONE)
            size[draft->parent[node]] += size[node];
    uint32_t parent = INDEX_NONE, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = numbering->by_parent[i];
        if (draft->parent[node] != parent) {
            parent = draft->parent[node];
            next = number[parent] + 1;
        }
        number[node] = next;
        next += size[node];
    }
}

/* A column of the table from that of the draft, which is given back. */
static uint32_t *renumbered(uint32_t **column, const uint32_t *number, uint32_t count)
{
    uint32_t *sorted = memory_array(count, sizeof *sorted);
    for (uint32_t i = 0; sorted && i < count; i++)
        sorted[number[i]] = (*column)[i];
    memory_release(*column);
    *column = NULL;
    return sorted;
}

static bool fill_table(struct draft *draft, const struct numbering *numbering, struct call_node_table *nodes)
{
    const uint32_t *number = numbering->by_func, *size = numbering->starts;
    nodes->func = renumbered(&draft->func, number, nodes->count);
    nodes->pair = renumbered(&draft->pair, number, nodes->count);
    nodes->inlined = draft->frame_inlined ? renumbered(&draft->inlined, number, nodes->count) : NULL;
    nodes->parent = memory_array(nodes->count, sizeof(uint32_t));
    nodes->subtree_end = memory_array(nodes->count, sizeof(uint32_t));
    nodes->depth = memory_array(nodes->count, sizeof(uint32_t));
    if (!nodes->func || !nodes->pair || !nodes->parent || !nodes->subtree_end || !nodes->depth ||
        (draft->frame_inlined && !nodes->inlined))
        return false;
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint32_t node = number[i], parent = draft->parent[i];
        nodes->parent[node] = parent == INDEX_NONE ? INDEX_NONE : number[parent];
        nodes->subtree_end[node] = node + size[i];
    }
    /* Parents come before their children. */
    for (uint32_t node = 0; node < nodes->count; node++)
        nodes->depth[node] = nodes->parent[node] == INDEX_NONE ? 0 : nodes->depth[nodes->parent[node]] + 1;
    return true;
}

static int number_and_fill(struct draft *draft, const struct view *view, struct call_node_table *nodes, struct error *error)
{
    struct numbering numbering;
    nodes->count = draft->count;
    int status = numbering_begin(&numbering, draft->count, view->funcs->count, error);
    if (status == 0) {
        number_nodes(draft, view->funcs->count, &numbering);
        memory_release(numbering.by_parent);
        numbering.by_parent = NULL;
        for (uint32_t stack = 0; stack < view->count; stack++)
            nodes->of_stack[stack] = numbering.by_func[nodes->of_stack[stack]];
        status = fill_table(draft, &numbering, nodes) ? 0 : error_out_of_memory(error);
    }
    numbering_free(&numbering);
    return status;
}

int call_node_table_build(const struct view *view, struct call_node_table *nodes, struct error *error)
{
    struct draft draft;
    *nodes = (struct call_node_table){.default_pair = view->default_pair};
    int status = draft_begin(&draft, view, error);
    if (status == 0) {
        nodes->of_stack = memory_array(view->count, sizeof *nodes->of_stack);
        status = nodes->of_stack ? 0 : error_out_of_memory(error);
    }
    if (status == 0) {
        draft_collect(&draft, view, nodes->of_stack);
        memory_release(draft.slots);
        draft.slots = NULL;
        status = number_and_fill(&draft, view, nodes, error);
    }
    draft_free(&draft);
    if (status != 0)
        call_node_table_free(nodes);
    return status;
}

void call_node_table_free(struct call_node_table *nodes)
{
    memory_release(nodes->parent);
    memory_release(nodes->func);
    memory_release(nodes->subtree_end);
    memory_release(nodes->depth);
    memory_release(nodes->pair);
    memory_release(nodes->inlined);
    memory_release(nodes->of_stack);
    *nodes = (struct call_node_table){0};
}

/* ---- paths ---- */

uint32_t call_node_find(const struct call_node_table *nodes, const uint32_t *funcs, size_t count)
{
    uint32_t found = INDEX_NONE, child = 0, end = nodes->count;
    for (size_t i = 0; i < count; i++) {
        while (child < end && nodes->func[child] != funcs[i])
            child = nodes->subtree_end[child];
        if (child >= end)
            return INDEX_NONE;
        found = child;
        end = nodes->subtree_end[child];
        child++;
    }
    return found;
}
