/* find: the next or previous row that a text is found in, and how many there are.
 *
 * Of the top-down tree all nodes are looked at, open or not, in the order they are shown. Nodes are numbered depth first, so
 * the matches of a subtree are the difference of two counts:
 *
 *     node  matches  before      matches in the subtree of 0: before[4] - before[0]
 *     0     yes      0
 *     1     no       1           rank of a node: the matches above it, and in the subtrees of siblings shown before it
 *     2     yes      1
 *     3     no       2
 *     4              2
 *
 * Of the inverted tree, whose nodes are made when they are seen, and of functions it is the rows that there are. */
#include "api/ask.h"

#include "api/heavy_path.h"

#include <errno.h>

struct find {
    const struct func_matches *matches;
    bool backwards;
    size_t count; /* matches */
    size_t index; /* of the one found, in their order; SIZE_MAX = none */
};

/* A row matches if any term is found in its function, or in its category. */
static bool row_matches(const struct find *find, uint32_t func, uint32_t pair)
{
    uint32_t category = pair_category(pair);
    return find->matches->of_func[func] || (category < find->matches->category_count && find->matches->of_category[category]);
}

/* Which match follows where `rank` come before the place to start from, and whether that place is one itself. */
static void choose(struct find *find, bool has_from, size_t rank, bool is_match)
{
    if (find->count == 0)
        find->index = SIZE_MAX;
    else if (!has_from)
        find->index = find->backwards ? find->count - 1 : 0;
    else if (find->backwards)
        find->index = (rank + find->count - 1) % find->count;
    else
        find->index = (rank + is_match) % find->count;
}

static void put_found(struct asking *asking, const struct find *find, const uint32_t *funcs, size_t count)
{
    reply_put_count(asking->reply, "count", find->count);
    reply_put_id(asking->reply, "index", find->index == SIZE_MAX ? INDEX_NONE : (uint32_t)find->index);
    reply_put_funcs(asking->reply, "path", funcs, count);
}

/* ---- the top-down tree ---- */

struct tree_find {
    const struct call_tree *tree;
    struct ordered_tree ordered;
    const struct func_list *funcs;
    enum row_order order;
    const struct find *find;
    uint32_t *before; /* for each node, and the one after the last: matches among the nodes before it */
    struct node_list children;
};

/* As they are shown. */
static bool list_children(struct tree_find *of, uint32_t node)
{
    if (!call_tree_children(of->tree, node, &of->children))
        return false;
    row_order_sort(&of->ordered, of->funcs, of->order, &of->children);
    return true;
}

static size_t matches_below(const struct tree_find *of, uint32_t node)
{
    return of->before[of->tree->nodes->subtree_end[node]] - of->before[node];
}

static bool node_matches(const struct tree_find *of, uint32_t node)
{
    return of->before[node + 1] > of->before[node];
}

/* Matches that are shown before a node. */
static bool rank_of(struct tree_find *of, uint32_t node, size_t *rank)
{
    *rank = 0;
    while (node != INDEX_NONE) {
        uint32_t parent = of->tree->nodes->parent[node];
        if (!list_children(of, parent))
            return false;
        for (size_t i = 0; of->children.nodes.items[i] != node; i++)
            *rank += matches_below(of, of->children.nodes.items[i]);
        if (parent != INDEX_NONE)
            *rank += node_matches(of, parent);
        node = parent;
    }
    return true;
}

/* The path to the match with so many before it. */
static bool path_to(struct tree_find *of, size_t index, struct path *path)
{
    uint32_t node = INDEX_NONE;
    for (;;) {
        if (!list_children(of, node))
            return false;
        size_t i = 0;
        for (size_t below; index >= (below = matches_below(of, of->children.nodes.items[i])); i++)
            index -= below;
        node = of->children.nodes.items[i];
        if (!path_push(path, of->tree->nodes->func[node]))
            return false;
        if (node_matches(of, node) && index-- == 0)
            return true;
    }
}

/* The node of a path, or of its longest part that is shown. */
static uint32_t nearest_node(const struct call_tree *tree, const struct path *path)
{
    for (size_t count = path->funcs.count; count > 0; count--) {
        uint32_t node = call_node_find(tree->nodes, path->funcs.items, count);
        if (node != INDEX_NONE && tree->shown[node])
            return node;
    }
    return INDEX_NONE;
}

static int find_in_tree(struct asking *asking, const struct ask *ask, struct find *find)
{
    const struct call_tree *tree = &asking->kept->answer.tree;
    const struct call_node_table *nodes = tree->nodes;
    struct tree_find of = {
        .tree = tree,
        .ordered = {.answer = &asking->kept->answer},
        .funcs = asking->whole->funcs,
        .order = ask->siblings,
        .find = find,
    };
    of.before = asking_array(asking, (size_t)nodes->count + 1, sizeof(uint32_t));
    if (!of.before)
        return -ENOMEM;
    of.before[0] = 0;
    for (uint32_t node = 0; node < nodes->count; node++)
        of.before[node + 1] = of.before[node] + (tree->shown[node] && row_matches(find, nodes->func[node], nodes->pair[node]));
    find->count = of.before[nodes->count];
    uint32_t from = nearest_node(tree, &ask->anchor);
    size_t rank = 0;
    struct path path = {0};
    bool fits = rank_of(&of, from, &rank);
    choose(find, from != INDEX_NONE, rank, from != INDEX_NONE && node_matches(&of, from));
    if (fits && find->index != SIZE_MAX)
        fits = path_to(&of, find->index, &path);
    if (fits)
        put_found(asking, find, path.funcs.items, path.funcs.count);
    path_free(&path);
    vec_free(&of.children.nodes);
    return fits ? 0 : -ENOMEM;
}

/* ---- rows ---- */

/* The row of the match that is chosen; SIZE_MAX where there is none. `matches` says whether a row of the list is one. */
static size_t find_row(struct find *find, size_t count, size_t from,
                       bool (*matches)(const struct find *find, const void *list, size_t row), const void *list)
{
    size_t rank = 0;
    find->count = 0;
    for (size_t row = 0; row < count; row++) {
        bool is_match = matches(find, list, row);
        rank += is_match && from != SIZE_MAX && row < from;
        find->count += is_match;
    }
    choose(find, from != SIZE_MAX, rank, from != SIZE_MAX && matches(find, list, from));
    size_t left = find->index;
    for (size_t row = 0; row < count && find->index != SIZE_MAX; row++)
        if (matches(find, list, row) && left-- == 0)
            return row;
    return SIZE_MAX;
}

/* Functions have no category of their own. */
static bool function_matches(const struct find *find, const void *list, size_t row)
{
    return find->matches->of_func[((const struct function_list *)list)->rows.items[row].func];
}

static int find_in_functions(struct asking *asking, const struct ask *ask, struct find *find)
{
    struct error error = {0};
    const struct function_list *list;
    if (kept_answer_functions(asking->kept, ask->sort, &list, &error) != 0)
        return asking_failed(asking, &error);
    size_t from = SIZE_MAX;
    for (size_t i = 0; i < list->rows.count && ask->anchor.funcs.count > 0; i++)
        if (list->rows.items[i].func == ask->anchor.funcs.items[ask->anchor.funcs.count - 1])
            from = i;
    size_t row = find_row(find, list->rows.count, from, function_matches, list);
    put_found(asking, find, row == SIZE_MAX ? NULL : &list->rows.items[row].func, row != SIZE_MAX);
    return 0;
}

struct listed_tree {
    const struct row_list *list;
    const struct ordered_tree *tree;
};

static bool inverted_row_matches(const struct find *find, const void *listed, size_t row)
{
    const struct listed_tree *of = listed;
    const struct inverted_node *node = &of->tree->answer->inverted.nodes.items[of->list->rows.items[row].node];
    return row_matches(find, node->func, node->pair);
}

static int find_in_inverted(struct asking *asking, const struct ask *ask, struct find *find)
{
    struct error error = {0};
    struct open_rows open;
    struct ordered_tree tree;
    const struct row_list *list;
    if (!open_rows_read(&open, ask->open.steps.items, ask->open.steps.count))
        return -ENOMEM;
    int status = kept_answer_tree(asking->kept, true, &tree, &error);
    if (status == 0)
        status = kept_answer_rows(asking->kept, true, &open, ask->siblings, &list, &error);
    open_rows_free(&open);
    if (status != 0)
        return asking_failed(asking, &error);
    size_t length, from = row_list_find(list, &tree, &ask->anchor, &length);
    size_t row = find_row(find, list->rows.count, from, inverted_row_matches, &(struct listed_tree){list, &tree});
    struct path path = {0};
    bool fits = row == SIZE_MAX || (row_list_above(list, &tree, row, &path) &&
                                    path_push(&path, tree.answer->inverted.nodes.items[list->rows.items[row].node].func));
    if (fits)
        put_found(asking, find, path.funcs.items, path.funcs.count);
    path_free(&path);
    return fits ? 0 : -ENOMEM;
}

int ask_find(struct asking *asking, const struct ask *ask)
{
    struct func_matches *matches = &asking->answers->matches;
    struct error error = {0};
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    if (func_matches_make(matches, asking->whole->funcs, ask->text, &error) != 0)
        return asking_failed(asking, &error);
    struct find find = {.matches = matches, .backwards = ask->backwards};
    if (ask->of == ROWS_OF_FUNCTIONS)
        return find_in_functions(asking, ask, &find);
    return asking->state.inverted ? find_in_inverted(asking, ask, &find) : find_in_tree(asking, ask, &find);
}
