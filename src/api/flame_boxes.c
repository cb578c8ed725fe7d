#include "api/flame_boxes.h"

#include "api/func_texts.h"
#include "api/heavy_path.h"
#include "api/row_flags.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FLAME_MOST_BOXES = 500000 };

static bool out_of_memory(struct flame *flame)
{
    error_out_of_memory(&flame->error);
    return false;
}

/* ---- order ---- */

static int compare_names(const void *a, const void *b, void *data)
{
    const struct flame *flame = data;
    uint32_t x = ordered_tree_node(&flame->tree, *(const uint32_t *)a).func;
    uint32_t y = ordered_tree_node(&flame->tree, *(const uint32_t *)b).func;
    int order = slice_compare(func_list_name(flame->funcs, x), func_list_name(flame->funcs, y));
    return order != 0 ? order : (x > y) - (x < y);
}

static double first_time(const struct flame *flame, uint32_t node)
{
    return flame->tree.inverted ? flame->tree.answer->inverted.nodes.items[node].first : flame->first[node];
}

static int compare_times(const void *a, const void *b, void *data)
{
    double x = first_time(data, *(const uint32_t *)a), y = first_time(data, *(const uint32_t *)b);
    return x != y ? (x > y) - (x < y) : compare_names(a, b, data);
}

/* Larger ones come first anyway. */
static void sort_children(struct flame *flame)
{
    struct node_list *children = &flame->children;
    if (children->nodes.count > 1 && flame->order != FLAME_BY_WEIGHT)
        qsort_r(children->nodes.items, children->nodes.count, sizeof(uint32_t),
                flame->order == FLAME_BY_NAME ? compare_names : compare_times, flame);
}

/* ---- boxes ---- */

/* The children of a node (INDEX_NONE: the roots), side by side from `left` on, `per_total` pixels for each unit. */
static bool push_children(struct flame *flame, uint32_t node, uint32_t depth, double left, double per_total)
{
    if (depth >= flame->until)
        return true;
    if (ordered_tree_children(&flame->tree, node, &flame->children, &flame->error) != 0)
        return false;
    size_t count = flame->children.nodes.count, first = flame->pending.count;
    sort_children(flame);
    for (size_t i = 0; i < count; i++) {
        uint32_t child = flame->children.nodes.items[i];
        double width = fabs(ordered_tree_total(&flame->tree, child)) * per_total;
        if (width >= 1 && !vec_push(&flame->pending, ((struct flame_box){child, depth, left, width})))
            return out_of_memory(flame);
        left += width;
    }
    for (size_t i = first, k = flame->pending.count; i + 1 < k; i++) {
        struct flame_box box = flame->pending.items[i];
        flame->pending.items[i] = flame->pending.items[--k];
        flame->pending.items[k] = box;
    }
    return true;
}

static bool show(struct flame *flame, struct flame_box box)
{
    /* Weights of both signs may be more than their sum is wide. */
    if (box.depth < flame->from || box.left >= flame->width)
        return true;
    if (flame->boxes.count == FLAME_MOST_BOXES) {
        error_set(&flame->error, -E2BIG, "there are more than %d boxes", FLAME_MOST_BOXES);
        return false;
    }
    return vec_push(&flame->boxes, box) || out_of_memory(flame);
}

static bool draw_below(struct flame *flame, uint32_t node, uint32_t depth, double total)
{
    double per_total = total != 0 ? flame->width / fabs(total) : 0;
    bool fits = push_children(flame, node, depth, 0, per_total);
    while (fits && flame->pending.count > 0) {
        struct flame_box box = flame->pending.items[--flame->pending.count];
        fits = show(flame, box) && push_children(flame, box.node, box.depth + 1, box.left, per_total);
    }
    return fits;
}

/* The nodes on the zoom path, each as wide as all; then what is below it. */
bool flame_draw(struct flame *flame, const struct path *zoom)
{
    struct path path = {0};
    uint32_t node = INDEX_NONE, depth = 0;
    double total = flame->tree.answer->tree.root_total;
    bool fits = true;
    for (size_t i = 0; i < zoom->funcs.count && fits; i++) {
        uint32_t next;
        fits = path_push(&path, zoom->funcs.items[i]) || out_of_memory(flame);
        fits = fits && path_find_node(&flame->tree, &path, &next, &flame->error) == 0;
        if (!fits || next == INDEX_NONE)
            break;
        node = next;
        if (depth < flame->until)
            fits = show(flame, (struct flame_box){node, depth, 0, flame->width});
        depth++;
        total = ordered_tree_total(&flame->tree, node);
    }
    path_free(&path);
    return fits && draw_below(flame, node, depth, total);
}

/* ---- columns ---- */

static uint16_t pixel(double x, uint32_t width)
{
    return (uint16_t)fmin(width, floor(x + 0.5));
}

struct box_columns {
    uint32_t *node, *func, *depth, *name, *library;
    uint16_t *left, *width, *category;
    uint8_t *flags;
    double *total, *self;
};

static bool make_columns(struct asking *asking, struct box_columns *columns, size_t count)
{
    uint32_t **const numbers[] = {&columns->node, &columns->func, &columns->depth, &columns->name, &columns->library};
    uint16_t **const shorts[] = {&columns->left, &columns->width, &columns->category};
    bool fits = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits &= (*numbers[i] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++)
        fits &= (*shorts[i] = asking_array(asking, count, sizeof(uint16_t))) != NULL;
    columns->flags = asking_array(asking, count, 1);
    columns->total = asking_array(asking, count, sizeof(double));
    columns->self = asking_array(asking, count, sizeof(double));
    return fits && columns->flags && columns->total && columns->self;
}

static void fill_box(struct asking *asking, const struct flame *flame, const struct box_columns *columns, size_t i)
{
    const struct flame_box *box = &flame->boxes.items[i];
    struct ordered_node node = ordered_tree_node(&flame->tree, box->node);
    struct func_texts texts = func_texts_of(flame->funcs, node.func);
    columns->node[i] = box->node;
    columns->func[i] = node.func;
    columns->depth[i] = box->depth;
    columns->name[i] = texts.name.i;
    columns->library[i] = texts.library.i;
    columns->left[i] = pixel(box->left, flame->width);
    columns->width[i] = (uint16_t)(pixel(box->left + box->width, flame->width) - columns->left[i]);
    columns->category[i] = (uint16_t)pair_category(node.pair);
    columns->total[i] = node.total;
    columns->self[i] = node.self;
    columns->flags[i] = row_inlined_flag(node.inlined);
    columns->flags[i] |= ordered_tree_has_children(&flame->tree, box->node) ? ROW_HAS_CHILDREN : 0;
    columns->flags[i] |= func_is_label(&texts) ? ROW_LABEL : 0;
    columns->flags[i] |= flame->matches && flame->matches[node.func] ? ROW_HIGHLIGHTED : 0;
    reply_use_string(asking->reply, texts.name);
    reply_use_string(asking->reply, texts.library);
}

int flame_put(struct asking *asking, const struct flame *flame)
{
    struct reply *reply = asking->reply;
    size_t count = flame->boxes.count;
    struct box_columns columns;
    if (!make_columns(asking, &columns, count))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        fill_box(asking, flame, &columns, i);
    reply_begin_columns(reply);
    reply_column(reply, "node", REPLY_U32, columns.node, count);
    reply_column(reply, "func", REPLY_U32, columns.func, count);
    reply_column(reply, "depth", REPLY_U32, columns.depth, count);
    reply_column(reply, "name", REPLY_ID, columns.name, count);
    reply_column(reply, "library", REPLY_ID, columns.library, count);
    reply_column(reply, "flags", REPLY_U8, columns.flags, count);
    reply_column(reply, "left", REPLY_U16, columns.left, count);
    reply_column(reply, "width", REPLY_U16, columns.width, count);
    reply_column(reply, "category", REPLY_U16, columns.category, count);
    reply_column(reply, "total", REPLY_F64, columns.total, count);
    reply_column(reply, "self", REPLY_F64, columns.self, count);
    reply_end_columns(reply);
    return 0;
}

void flame_free(struct flame *flame)
{
    vec_free(&flame->children.nodes);
    vec_free(&flame->pending);
    vec_free(&flame->boxes);
}

uint32_t flame_levels(const struct call_tree *tree)
{
    uint32_t levels = 0;
    for (uint32_t node = 0; node < tree->nodes->count; node++)
        if (tree->shown[node] && tree->nodes->depth[node] + 1 > levels)
            levels = tree->nodes->depth[node] + 1;
    return levels;
}
