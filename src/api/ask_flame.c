/* flame: the boxes of a flame graph that are at least one device pixel wide.
 *
 *     ┌──────────── width ───────────┐
 *     │ main                         │ depth 0      siblings by name, so that pictures of different ranges
 *     │ draw       │ load  │         │ depth 1      can be compared
 *     │ blend │    │ read│ │         │ depth 2
 *
 * With a zoom path its node is as wide as all, and so are the nodes above it. */
#include "api/ask.h"

#include "api/func_texts.h"
#include "api/heavy_path.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FLAME_MOST_BOXES = 500000 };

struct box {
    uint32_t node, depth;
    double left, width; /* in pixels */
};

struct flame {
    const struct ask *ask;
    struct ordered_tree tree;
    const struct func_list *funcs;
    struct error error;
    struct node_list children;
    VEC(struct box) pending; /* to be looked at, the leftmost one last */
    VEC(struct box) boxes;   /* to be shown */
};

static bool out_of_memory(struct flame *flame)
{
    error_out_of_memory(&flame->error);
    return false;
}

static int compare_names(const void *a, const void *b, void *data)
{
    const struct flame *flame = data;
    uint32_t x = ordered_tree_node(&flame->tree, *(const uint32_t *)a).func;
    uint32_t y = ordered_tree_node(&flame->tree, *(const uint32_t *)b).func;
    struct slice left = func_list_name(flame->funcs, x), right = func_list_name(flame->funcs, y);
    size_t shorter = left.length < right.length ? left.length : right.length;
    int order = shorter > 0 ? memcmp(left.text, right.text, shorter) : 0;
    if (order == 0)
        order = (left.length > right.length) - (left.length < right.length);
    return order != 0 ? order : (x > y) - (x < y);
}

/* The children of a node (INDEX_NONE: the roots), side by side from `left` on, `per_total` pixels for each unit. */
static bool push_children(struct flame *flame, uint32_t node, uint32_t depth, double left, double per_total)
{
    if (depth >= flame->ask->depth[1])
        return true;
    if (ordered_tree_children(&flame->tree, node, &flame->children, &flame->error) != 0)
        return false;
    size_t count = flame->children.nodes.count, first = flame->pending.count;
    if (count > 1)
        qsort_r(flame->children.nodes.items, count, sizeof(uint32_t), compare_names, flame);
    for (size_t i = 0; i < count; i++) {
        uint32_t child = flame->children.nodes.items[i];
        double width = fabs(ordered_tree_total(&flame->tree, child)) * per_total;
        if (width >= 1 && !vec_push(&flame->pending, ((struct box){child, depth, left, width})))
            return out_of_memory(flame);
        left += width;
    }
    for (size_t i = first, k = flame->pending.count; i + 1 < k; i++) {
        struct box box = flame->pending.items[i];
        flame->pending.items[i] = flame->pending.items[--k];
        flame->pending.items[k] = box;
    }
    return true;
}

static bool show(struct flame *flame, struct box box)
{
    /* Weights of both signs may be more than their sum is wide. */
    if (box.depth < flame->ask->depth[0] || box.left >= flame->ask->width)
        return true;
    if (flame->boxes.count == FLAME_MOST_BOXES) {
        error_set(&flame->error, -E2BIG, "there are more than %d boxes", FLAME_MOST_BOXES);
        return false;
    }
    return vec_push(&flame->boxes, box) || out_of_memory(flame);
}

static bool draw_below(struct flame *flame, uint32_t node, uint32_t depth, double total)
{
    double per_total = total != 0 ? flame->ask->width / fabs(total) : 0;
    bool fits = push_children(flame, node, depth, 0, per_total);
    while (fits && flame->pending.count > 0) {
        struct box box = flame->pending.items[--flame->pending.count];
        fits = show(flame, box) && push_children(flame, box.node, box.depth + 1, box.left, per_total);
    }
    return fits;
}

/* The nodes on the zoom path, each as wide as all; then what is below it. */
static bool draw(struct flame *flame)
{
    struct path path = {0};
    uint32_t node = INDEX_NONE, depth = 0;
    double total = flame->tree.answer->tree.root_total;
    bool fits = true;
    for (size_t i = 0; i < flame->ask->zoom.funcs.count && fits; i++) {
        uint32_t next;
        fits = path_push(&path, flame->ask->zoom.funcs.items[i]) || out_of_memory(flame);
        fits = fits && path_find_node(&flame->tree, &path, &next, &flame->error) == 0;
        if (!fits || next == INDEX_NONE)
            break;
        node = next;
        if (depth < flame->ask->depth[1])
            fits = show(flame, (struct box){node, depth, 0, flame->ask->width});
        depth++;
        total = ordered_tree_total(&flame->tree, node);
    }
    path_free(&path);
    return fits && draw_below(flame, node, depth, total);
}

static uint16_t pixel(double x, uint32_t width)
{
    return (uint16_t)fmin(width, floor(x + 0.5));
}

static int put_boxes(struct asking *asking, const struct flame *flame)
{
    struct reply *reply = asking->reply;
    size_t count = flame->boxes.count;
    uint32_t *numbers[5];
    uint16_t *left = asking_array(asking, count, sizeof *left), *width = asking_array(asking, count, sizeof *width);
    uint16_t *category = asking_array(asking, count, sizeof *category);
    double *total = asking_array(asking, count, sizeof *total), *self = asking_array(asking, count, sizeof *self);
    bool fits = left && width && category && total && self;
    for (size_t i = 0; i < 5; i++)
        fits &= (numbers[i] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    for (size_t i = 0; i < count && fits; i++) {
        const struct box *box = &flame->boxes.items[i];
        struct ordered_node node = ordered_tree_node(&flame->tree, box->node);
        struct func_texts texts = func_texts_of(flame->funcs, node.func);
        const uint32_t values[] = {box->node, node.func, box->depth, texts.name.i, texts.library.i};
        for (size_t k = 0; k < 5; k++)
            numbers[k][i] = values[k];
        left[i] = pixel(box->left, flame->ask->width);
        width[i] = (uint16_t)(pixel(box->left + box->width, flame->ask->width) - left[i]);
        category[i] = (uint16_t)pair_category(node.pair);
        total[i] = node.total;
        self[i] = node.self;
        reply_use_string(reply, texts.name);
        reply_use_string(reply, texts.library);
    }
    if (!fits)
        return -ENOMEM;
    static const char *const names[] = {"node", "func", "depth", "name", "library"};
    reply_begin_columns(reply);
    for (size_t k = 0; k < 5; k++)
        reply_column(reply, names[k], k < 3 ? REPLY_U32 : REPLY_ID, numbers[k], count);
    reply_column(reply, "left", REPLY_U16, left, count);
    reply_column(reply, "width", REPLY_U16, width, count);
    reply_column(reply, "category", REPLY_U16, category, count);
    reply_column(reply, "total", REPLY_F64, total, count);
    reply_column(reply, "self", REPLY_F64, self, count);
    reply_end_columns(reply);
    return 0;
}

/* How many levels the tree has; of the inverted one nobody knows before it is seen. */
static uint32_t count_levels(const struct ordered_tree *tree)
{
    uint32_t levels = 0;
    for (uint32_t node = 0; node < tree->answer->nodes.count; node++)
        if (tree->answer->tree.shown[node] && tree->answer->nodes.depth[node] + 1 > levels)
            levels = tree->answer->nodes.depth[node] + 1;
    return tree->inverted ? INDEX_NONE : levels;
}

int ask_flame(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    struct flame flame = {.ask = ask, .funcs = asking->whole->funcs};
    if (kept_answer_tree(asking->kept, asking->state.inverted, &flame.tree, &flame.error) != 0)
        return asking_failed(asking, &flame.error);
    if (draw(&flame)) {
        const struct answer *answer = &asking->kept->answer;
        reply_put_text(asking->reply, "weight_type", weight_type_name(answer->weights.type));
        reply_put_number(asking->reply, "root_total", answer->tree.root_total);
        reply_put_id(asking->reply, "levels", count_levels(&flame.tree));
        status = put_boxes(asking, &flame);
    } else {
        status = asking_failed(asking, &flame.error);
    }
    vec_free(&flame.children.nodes);
    vec_free(&flame.pending);
    vec_free(&flame.boxes);
    return status;
}
