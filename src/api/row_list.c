#include "api/row_list.h"

#include <errno.h>

/* A row that is to come, and where it stands among the rows that are open. */
struct pending_row {
    uint32_t node, depth;
    struct open_position at;
};

struct row_walk {
    const struct ordered_tree *tree;
    const struct func_list *funcs;
    const struct open_rows *open;
    enum row_order order;
    struct node_list children;
    VEC(struct pending_row) pending; /* the next one is the last */
};

static uint32_t func_of(const struct ordered_tree *tree, uint32_t node)
{
    return tree->inverted ? tree->answer->inverted.nodes.items[node].func : tree->answer->nodes.func[node];
}

static int push_children(struct row_walk *walk, uint32_t node, uint32_t depth, struct open_position at, struct error *error)
{
    int status = ordered_tree_children(walk->tree, node, &walk->children, error);
    size_t count = walk->children.nodes.count;
    if (status == 0 && !vec_reserve(&walk->pending, walk->pending.count + count))
        status = error_out_of_memory(error);
    if (status == 0)
        row_order_sort(walk->tree, walk->funcs, walk->order, &walk->children);
    for (size_t i = count; i-- > 0 && status == 0;) {
        uint32_t child = walk->children.nodes.items[i];
        struct open_position place = open_rows_child(walk->open, at, func_of(walk->tree, child));
        walk->pending.items[walk->pending.count++] = (struct pending_row){child, depth, place};
    }
    return status;
}

static int walk_rows(struct row_walk *walk, struct row_list *list, struct error *error)
{
    int status = push_children(walk, INDEX_NONE, 0, open_rows_top(walk->open), error);
    while (status == 0 && walk->pending.count > 0) {
        struct pending_row next = walk->pending.items[--walk->pending.count];
        bool open = next.at.open && ordered_tree_has_children(walk->tree, next.node);
        if (list->rows.count + walk->pending.count >= ROW_LIST_MOST)
            return error_set(error, -E2BIG, "more than %d rows would be open", ROW_LIST_MOST);
        if (!vec_push(&list->rows, ((struct shown_row){next.node, next.depth, open})))
            return error_out_of_memory(error);
        if (open)
            status = push_children(walk, next.node, next.depth + 1, next.at, error);
    }
    return status;
}

int row_list_build(const struct ordered_tree *tree, const struct func_list *funcs, const struct open_rows *open,
                   enum row_order order, struct row_list *list, struct error *error)
{
    *list = (struct row_list){0};
    struct row_walk walk = {.tree = tree, .funcs = funcs, .open = open, .order = order};
    int status = walk_rows(&walk, list, error);
    vec_free(&walk.children.nodes);
    vec_free(&walk.pending);
    if (status != 0)
        row_list_free(list);
    return status;
}

void row_list_free(struct row_list *list)
{
    vec_free(&list->rows);
}

size_t row_list_find(const struct row_list *list, const struct ordered_tree *tree, const struct path *path, size_t *length)
{
    size_t found = SIZE_MAX;
    *length = 0;
    for (size_t i = 0; i < list->rows.count && *length < path->funcs.count; i++) {
        const struct shown_row *row = &list->rows.items[i];
        if (row->depth < *length)
            break;
        if (row->depth == *length && func_of(tree, row->node) == path->funcs.items[*length]) {
            found = i;
            ++*length;
        }
    }
    return found;
}

bool row_list_above(const struct row_list *list, const struct ordered_tree *tree, size_t row, struct path *path)
{
    path->funcs.count = 0;
    if (row >= list->rows.count)
        return true;
    uint32_t depth = list->rows.items[row].depth;
    if (!vec_reserve(&path->funcs, depth))
        return false;
    path->funcs.count = depth;
    for (size_t i = row; i-- > 0 && depth > 0;)
        if (list->rows.items[i].depth == depth - 1)
            path->funcs.items[--depth] = func_of(tree, list->rows.items[i].node);
    return true;
}
