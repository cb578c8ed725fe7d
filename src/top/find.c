/* The next function that has a text.
 *
 * Of the top-down tree all nodes are looked at, open or not, in the order they are shown; nodes are numbered depth first, so
 * how many were found in a subtree is the difference of two counts. Of the other panels it is the rows that there are: the
 * inverted tree is made where it is opened, and its roots are all functions that there are. */
#include "top/panel.h"

#include "print/number.h"
#include "tree/func_search.h"

#include <string.h>

/* ---- what was found ---- */

static void forget(struct top *top)
{
    memory_release(top->found);
    memory_release(top->found_before);
    top->found = NULL;
    top->found_before = NULL;
    top->found_count = 0;
}

static int mark(struct top *top)
{
    const struct answer *answer = top->look.answer;
    const struct call_node_table *nodes = &answer->nodes;
    forget(top);
    top->found = memory_zeroed((size_t)answer->view.funcs->count + 1, 1);
    top->found_before = memory_array((size_t)nodes->count + 1, sizeof *top->found_before);
    if (!top->found || !top->found_before)
        return error_out_of_memory(&top->look.error);
    int status = func_search_mark(answer->view.funcs, text_slice(&top->found_text), top->found, NULL, &top->look.error);
    uint32_t count = 0;
    for (uint32_t node = 0; node < nodes->count; node++) {
        top->found_before[node] = count;
        count += answer->tree.shown[node] && top->found[nodes->func[node]];
    }
    top->found_before[nodes->count] = count;
    top->found_count = count;
    return status;
}

/* ---- the top-down tree ---- */

struct walk {
    struct top *top;
    const struct call_tree *tree;
    struct node_list children;
};

static bool is_found(const struct walk *walk, uint32_t node)
{
    return walk->tree->shown[node] && walk->top->found[walk->tree->nodes->func[node]];
}

static bool has_found(const struct walk *walk, uint32_t node)
{
    const uint32_t *before = walk->top->found_before;
    return before[walk->tree->nodes->subtree_end[node]] > before[node];
}

static bool has_found_below(const struct walk *walk, uint32_t node)
{
    const uint32_t *before = walk->top->found_before;
    return before[walk->tree->nodes->subtree_end[node]] > before[node + 1];
}

/* Of the children of `parent` that come after `node` (before it), the nearest one with something found; INDEX_NONE. Without
 * `node`: the first (last) one. */
static uint32_t next_sibling(struct walk *walk, uint32_t parent, uint32_t node, bool backwards)
{
    if (look_children(&walk->top->look, parent, &walk->children) != 0)
        return INDEX_NONE;
    const uint32_t *nodes = walk->children.nodes.items;
    size_t count = walk->children.nodes.count;
    bool passed = node == INDEX_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t child = nodes[backwards ? count - 1 - i : i];
        if (passed && has_found(walk, child))
            return child;
        passed |= child == node;
    }
    return INDEX_NONE;
}

/* The first (last) node found in a subtree that has some. */
static uint32_t end_of_subtree(struct walk *walk, uint32_t node, bool backwards)
{
    while (node != INDEX_NONE && (backwards ? has_found_below(walk, node) : !is_found(walk, node)))
        node = next_sibling(walk, node, INDEX_NONE, backwards);
    return node;
}

static uint32_t next_node(struct walk *walk, uint32_t from, bool backwards)
{
    const uint32_t *parents = walk->tree->nodes->parent;
    if (from != INDEX_NONE && !backwards && has_found_below(walk, from))
        return end_of_subtree(walk, next_sibling(walk, from, INDEX_NONE, false), false);
    for (uint32_t at = from; at != INDEX_NONE;) {
        uint32_t parent = parents[at], sibling = next_sibling(walk, parent, at, backwards);
        if (sibling != INDEX_NONE)
            return end_of_subtree(walk, sibling, backwards);
        if (backwards && parent != INDEX_NONE && is_found(walk, parent))
            return parent;
        at = parent;
    }
    /* Around the end. */
    return end_of_subtree(walk, next_sibling(walk, INDEX_NONE, INDEX_NONE, backwards), backwards);
}

static void find_node(struct top *top, bool backwards)
{
    struct walk walk = {.top = top, .tree = &top->look.answer->tree};
    const struct look_row *row = look_row(&top->look);
    uint32_t node = next_node(&walk, row ? row->node : INDEX_NONE, backwards);
    vec_free(&walk.children.nodes);
    if (top_worked(top, top->look.error.code) && node != INDEX_NONE)
        top_worked(top, look_go_to(&top->look, node));
}

/* ---- rows of the other panels ---- */

static bool text_has(const struct top *top, struct slice line)
{
    return memmem(line.text, line.length, top->found_text.bytes.items, top->found_text.bytes.count) != NULL;
}

static bool row_is_found(const struct top *top, size_t row)
{
    struct ordered_tree tree = look_tree(&top->look);
    if (top->panel == PANEL_TREE)
        return top->found[ordered_tree_node(&tree, top->look.rows.items[row].node).func];
    if (top->panel == PANEL_FUNCTIONS)
        return top->found[top->functions.rows.items[row].func];
    return top->panel == PANEL_SOURCE && row < top->text.count && text_has(top, top->text.lines[row]);
}

/* Returns whether there is one. */
static bool find_row(struct top *top, bool backwards)
{
    size_t count = panel_of(top)->count(top), chosen = panel_chosen(top);
    for (size_t i = 1; i <= count; i++) {
        size_t row = (backwards ? chosen + count - i : chosen + i) % count;
        if (row_is_found(top, row)) {
            panel_choose(top, row);
            return true;
        }
    }
    return false;
}

/* ---- keys ---- */

void top_find(struct top *top, bool backwards)
{
    if (!top->found) {
        top_say(top, "/ finds functions");
        return;
    }
    bool whole_tree = top->panel == PANEL_TREE && !top->look.query.inverted;
    struct slice text = text_slice(&top->found_text);
    if (whole_tree && top->found_count > 0)
        find_node(top, backwards);
    else if (whole_tree || !find_row(top, backwards))
        top_say(top, "not found: %.*s", (int)(text.length < 200 ? text.length : 200), text.text);
    if (whole_tree && top->found_count > 0 && !top->message[0])
        top_say(top, "%s found; n next, N previous", number_grouped((double)top->found_count, 0).text);
}

void top_find_again(struct top *top)
{
    if (top->found && !top_worked(top, mark(top)))
        forget(top);
}

void top_find_text(struct top *top, struct slice text)
{
    struct error wrong = {0};
    if (search_terms_check(text, &wrong) != 0) {
        top_say(top, "%s", wrong.message);
        return;
    }
    text_cut(&top->found_text, 0);
    text_add(&top->found_text, text);
    if (text.length == 0 || !top_worked(top, mark(top))) {
        forget(top);
        return;
    }
    if (panel_of(top)->count(top) > 0 && row_is_found(top, panel_chosen(top)) && top->panel != PANEL_TREE)
        return;
    top_find(top, false);
}
