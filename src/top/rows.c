#include "top/look.h"

#include "api/heavy_path.h"
#include "print/text.h"

#include <math.h>
#include <stdlib.h>

/* Nobody scrolls through more; the inverted tree of a large profile has hundreds of millions. */
enum { MOST_ROWS = 2000000 };

struct ordered_tree look_tree(const struct look *look)
{
    return (struct ordered_tree){look->answer, look->query.inverted};
}

const struct look_row *look_row(const struct look *look)
{
    return look->chosen < look->rows.count ? &look->rows.items[look->chosen] : NULL;
}

uint32_t look_func(const struct look *look)
{
    const struct look_row *row = look_row(look);
    struct ordered_tree tree = look_tree(look);
    return row ? ordered_tree_node(&tree, row->node).func : INDEX_NONE;
}

static uint32_t parent_of(const struct look *look, uint32_t node)
{
    return look->query.inverted ? look->answer->inverted.nodes.items[node].parent : look->answer->nodes.parent[node];
}

static bool path_of_node(const struct look *look, uint32_t node, struct path *path)
{
    struct ordered_tree tree = look_tree(look);
    size_t depth = 0;
    for (uint32_t at = node; at != INDEX_NONE; at = parent_of(look, at))
        depth++;
    path->funcs.count = 0;
    if (!vec_reserve(&path->funcs, depth))
        return false;
    path->funcs.count = depth;
    for (uint32_t at = node; at != INDEX_NONE; at = parent_of(look, at))
        path->funcs.items[--depth] = ordered_tree_node(&tree, at).func;
    return true;
}

bool look_path(const struct look *look, size_t row, struct path *path)
{
    path->funcs.count = 0;
    return row >= look->rows.count || path_of_node(look, look->rows.items[row].node, path);
}

struct sorting {
    const struct look *look;
    struct ordered_tree tree;
};

static int compare_nodes(const void *left, const void *right, void *context)
{
    const struct sorting *sorting = context;
    struct ordered_node a = ordered_tree_node(&sorting->tree, *(const uint32_t *)left),
                        b = ordered_tree_node(&sorting->tree, *(const uint32_t *)right);
    const struct func_list *funcs = sorting->look->answer->view.funcs;
    int order = 0;
    if (sorting->look->sort == SORT_NAME)
        order = text_order(func_list_name(funcs, a.func), func_list_name(funcs, b.func));
    else if (fabs(a.self) != fabs(b.self))
        order = fabs(a.self) > fabs(b.self) ? -1 : 1;
    if (order == 0 && fabs(a.total) != fabs(b.total))
        order = fabs(a.total) > fabs(b.total) ? -1 : 1;
    return order != 0 ? order : (a.func > b.func) - (a.func < b.func);
}

int look_children(struct look *look, uint32_t node, struct node_list *children)
{
    struct sorting sorting = {look, look_tree(look)};
    int status = ordered_tree_children(&sorting.tree, node, children, &look->error);
    if (status == 0 && look->sort != SORT_TOTAL && children->nodes.count > 1)
        qsort_r(children->nodes.items, children->nodes.count, sizeof *children->nodes.items, compare_nodes, &sorting);
    return status;
}

/* Rows that are to be visited: the children of what is open, the last one first. */
struct waiting_row {
    uint32_t node, depth, sibling, siblings;
    struct open_position position; /* of what called it */
};

struct rows_builder {
    VEC(struct waiting_row) waiting;
    struct node_list children;
};

static int wait_for_children(struct look *look, struct rows_builder *builder, uint32_t node, uint32_t depth,
                             struct open_position position)
{
    int status = look_children(look, node, &builder->children);
    size_t count = status == 0 ? builder->children.nodes.count : 0;
    if (!vec_reserve(&builder->waiting, builder->waiting.count + count))
        return error_out_of_memory(&look->error);
    for (size_t i = count; i > 0; i--) {
        struct waiting_row row = {builder->children.nodes.items[i - 1], depth, (uint32_t)(i - 1), (uint32_t)count, position};
        builder->waiting.items[builder->waiting.count++] = row;
    }
    return status;
}

static int add_rows(struct look *look, struct rows_builder *builder)
{
    struct ordered_tree tree = look_tree(look);
    int status = wait_for_children(look, builder, INDEX_NONE, 0, open_rows_top(&look->open));
    while (status == 0 && builder->waiting.count > 0 && look->rows.count < MOST_ROWS) {
        struct waiting_row next = builder->waiting.items[--builder->waiting.count];
        struct open_position position = open_rows_child(&look->open, next.position, ordered_tree_node(&tree, next.node).func);
        struct look_row row = {next.node, next.depth, next.sibling, next.siblings, false, false};
        row.has_children = ordered_tree_has_children(&tree, next.node);
        row.open = row.has_children && position.open;
        if (!vec_push(&look->rows, row))
            return error_out_of_memory(&look->error);
        if (row.open)
            status = wait_for_children(look, builder, next.node, next.depth + 1, position);
    }
    look->rows_are_cut = builder->waiting.count > 0;
    return status;
}

int look_show_node(struct look *look, uint32_t node)
{
    struct rows_builder builder = {0};
    look->rows.count = 0;
    int status = add_rows(look, &builder);
    vec_free(&builder.waiting);
    vec_free(&builder.children.nodes);
    look->chosen = 0;
    for (size_t i = 0; i < look->rows.count; i++)
        if (look->rows.items[i].node == node)
            look->chosen = i;
    return status;
}

/* Rows anew, where the chosen node stays. */
static int remake_rows(struct look *look)
{
    const struct look_row *row = look_row(look);
    return look_show_node(look, row ? row->node : INDEX_NONE);
}

static bool open_around(struct look *look, struct path *path)
{
    size_t count = path->funcs.count;
    if (count < 2)
        return true;
    path->funcs.count--;
    bool fits = open_rows_open(&look->open, path);
    path->funcs.count++;
    return fits;
}

int look_show_path(struct look *look, struct path *path)
{
    struct ordered_tree tree = look_tree(look);
    uint32_t node = INDEX_NONE;
    int status = path_find_node(&tree, path, &node, &look->error);
    while (status == 0 && node == INDEX_NONE && path->funcs.count > 0) {
        path->funcs.count--;
        status = path_find_node(&tree, path, &node, &look->error);
    }
    if (status == 0 && !open_around(look, path))
        status = error_out_of_memory(&look->error);
    return status == 0 ? look_show_node(look, node) : status;
}

int look_go_to(struct look *look, uint32_t node)
{
    struct path path = {0};
    int status = path_of_node(look, node, &path) && open_around(look, &path) ? look_show_node(look, node)
                                                                             : error_out_of_memory(&look->error);
    path_free(&path);
    return status;
}

int look_go_to_func(struct look *look, uint32_t func)
{
    uint32_t best = INDEX_NONE;
    if (look->query.inverted) {
        for (uint32_t i = 0; i < look->answer->inverted.root_count; i++)
            if (look->answer->inverted.nodes.items[i].func == func)
                best = i;
    } else {
        const struct call_tree *tree = &look->answer->tree;
        for (uint32_t i = 0; i < tree->nodes->count; i++)
            if (tree->nodes->func[i] == func && tree->shown[i] &&
                (best == INDEX_NONE || fabs(tree->total[i]) > fabs(tree->total[best])))
                best = i;
    }
    return best == INDEX_NONE ? 0 : look_go_to(look, best);
}

/* What opens or closes rows by the path of the chosen one. */
static int change_rows(struct look *look, bool (*change)(struct open_rows *, const struct path *))
{
    struct path path = {0};
    int status = 0;
    if (look_row(look))
        status = look_path(look, look->chosen, &path) && change(&look->open, &path) ? remake_rows(look)
                                                                                    : error_out_of_memory(&look->error);
    path_free(&path);
    return status;
}

int look_toggle(struct look *look)
{
    const struct look_row *row = look_row(look);
    return row && row->has_children ? change_rows(look, open_rows_toggle) : 0;
}

int look_fold(struct look *look)
{
    const struct look_row *row = look_row(look);
    return row && row->open ? look_toggle(look) : 0;
}

int look_open_below(struct look *look)
{
    return change_rows(look, open_rows_open_below);
}

int look_unfold(struct look *look)
{
    const struct look_row *row = look_row(look);
    struct path path = {0};
    struct node_list children = {0};
    int status = 0;
    if (!row || !row->has_children || row->open)
        return 0;
    bool fits = look_path(look, look->chosen, &path);
    struct ordered_tree tree = look_tree(look);
    for (uint32_t node = row->node; status == 0 && fits && ordered_tree_has_children(&tree, node);) {
        fits = open_rows_open(&look->open, &path);
        status = look_children(look, node, &children);
        if (status != 0 || children.nodes.count != 1)
            break;
        node = children.nodes.items[0];
        fits = fits && path_push(&path, ordered_tree_node(&tree, node).func);
    }
    if (status == 0)
        status = fits ? remake_rows(look) : error_out_of_memory(&look->error);
    vec_free(&children.nodes);
    path_free(&path);
    return status;
}

int look_heavy_path(struct look *look)
{
    struct path path = {0};
    struct ordered_tree tree = look_tree(look);
    int status = look_path(look, look->chosen, &path) ? heavy_path_extend(&tree, HEAVY_SPLIT, &path, &look->error)
                                                      : error_out_of_memory(&look->error);
    if (status == 0)
        status = look_show_path(look, &path);
    path_free(&path);
    return status;
}

void look_to_parent(struct look *look)
{
    const struct look_row *row = look_row(look);
    size_t at = look->chosen;
    while (row && at > 0 && look->rows.items[at].depth >= row->depth)
        at--;
    if (row && look->rows.items[at].depth < row->depth)
        look->chosen = at;
}

int look_sort(struct look *look, enum look_sort sort)
{
    look->sort = sort;
    return remake_rows(look);
}
