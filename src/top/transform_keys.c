/* The transforms of the page, by the same keys. */
#include "top/panel.h"

#include "print/func_name.h"
#include "tree/search_terms.h"

#include <errno.h>
#include <string.h>

/* What the keys are about: a node of the tree, or a function of the list, which has no path. */
struct chosen {
    uint32_t func;
    uint32_t pair; /* of the node; INDEX_NONE */
    struct path path;
};

static bool recurses(const struct path *path, uint32_t func)
{
    size_t count = 0;
    for (size_t i = 0; i < path->funcs.count; i++)
        count += path->funcs.items[i] == func;
    return count > 1;
}

static bool recurses_directly(const struct path *path)
{
    for (size_t i = 1; i < path->funcs.count; i++)
        if (path->funcs.items[i] == path->funcs.items[i - 1])
            return true;
    return false;
}

/* Why a transform does not go with what is chosen; NULL where it does. */
static const char *refusal(const struct top *top, enum transform_type type, const struct chosen *of)
{
    const struct func_list *funcs = top->look.answer->view.funcs;
    bool has_path = of->path.funcs.count > 0;
    switch (type) {
    case FOCUS_SUBTREE:
    case FOCUS_CATEGORY:
        return has_path ? NULL : "that is for a node of the tree (Tab)";
    case MERGE_CALL_NODE:
        if (!has_path)
            return "that is for a node of the tree (Tab)";
        return top->look.query.inverted ? "a node can only be merged top-down (i)" : NULL;
    case COLLAPSE_RESOURCE:
        return funcs->resource[of->func] == INDEX_NONE ? "its library is not known" : NULL;
    case COLLAPSE_RECURSION:
        return has_path && !recurses(&of->path, of->func) ? "the function is on this path only once" : NULL;
    case COLLAPSE_DIRECT_RECURSION:
        return has_path && !recurses_directly(&of->path) ? "no function of this path calls itself" : NULL;
    default:
        return NULL;
    }
}

static bool make(const struct top *top, enum transform_type type, struct chosen *of, struct transform *transform)
{
    const struct func_list *funcs = top->look.answer->view.funcs;
    *transform = (struct transform){
        .type = type,
        .implementation = top->look.query.implementation,
        .func = of->func,
        .resource = INDEX_NONE,
        .category = INDEX_NONE,
    };
    if (type == FOCUS_CATEGORY)
        transform->category = pair_category(of->pair);
    if (type == COLLAPSE_RESOURCE) {
        transform->resource = funcs->resource[of->func];
        transform->func = func_list_collapsed(funcs, transform->resource);
    }
    if (type != FOCUS_SUBTREE && type != MERGE_CALL_NODE)
        return true;
    transform->inverted = type == FOCUS_SUBTREE && top->look.query.inverted;
    return path_copy(&transform->path, &of->path);
}

static bool find_chosen(struct top *top, struct chosen *of)
{
    *of = (struct chosen){.func = panel_func(top), .pair = INDEX_NONE};
    if (of->func == INDEX_NONE || top->panel != PANEL_TREE)
        return true;
    struct ordered_tree tree = look_tree(&top->look);
    of->pair = ordered_tree_node(&tree, look_row(&top->look)->node).pair;
    return look_path(&top->look, top->look.chosen, &of->path);
}

static void add(struct top *top, enum transform_type type)
{
    struct chosen of;
    struct transform transform;
    bool fits = find_chosen(top, &of);
    const char *why_not = fits && of.func != INDEX_NONE ? refusal(top, type, &of) : NULL;
    if (why_not)
        top_say(top, "%s", why_not);
    else if (!fits || (of.func != INDEX_NONE && !make(top, type, &of, &transform)))
        top_worked(top, error_out_of_memory(&top->look.error));
    else if (of.func != INDEX_NONE && top_worked(top, look_add(&top->look, &transform)) &&
             top->look.answer->tree.root_total == 0)
        top_say(top, "no samples are left; Backspace takes it back");
    path_free(&of.path);
}

bool top_transform(struct top *top, int key)
{
    static const struct {
        char key;
        enum transform_type type;
    } keys[] = {
        {'m', MERGE_FUNCTION},
        {'M', MERGE_CALL_NODE},
        {'f', FOCUS_FUNCTION},
        {'F', FOCUS_SUBTREE},
        {'S', FOCUS_SELF},
        {'g', FOCUS_CATEGORY},
        {'c', COLLAPSE_FUNCTION_SUBTREE},
        {'C', COLLAPSE_RESOURCE},
        {'r', COLLAPSE_RECURSION},
        {'R', COLLAPSE_DIRECT_RECURSION},
        {'d', DROP_FUNCTION},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key) {
            add(top, keys[i].type);
            return true;
        }
    return false;
}

void top_keep(struct top *top, struct slice text)
{
    struct error wrong = {0};
    if (search_change_check(SEARCH_KEEP, text, &wrong) != 0) {
        top_say(top, "%s", wrong.message);
        return;
    }
    struct transform transform = {.type = KEEP_MATCHING, .func = INDEX_NONE, .resource = INDEX_NONE, .category = INDEX_NONE};
    transform.text = memory_array(text.length + 1, 1);
    if (!transform.text) {
        top_worked(top, error_out_of_memory(&top->look.error));
        return;
    }
    memcpy(transform.text, text.text, text.length);
    transform.text[text.length] = '\0';
    if (top_worked(top, look_add(&top->look, &transform)) && top->look.answer->tree.root_total == 0)
        top_say(top, "no samples are left; Backspace takes it back");
}

/* ---- crumbs ---- */

static const char *crumb_name(const struct transform *transform)
{
    static const char *const names[TRANSFORM_TYPES] = {
        [FOCUS_SUBTREE] = "Focus Node",
        [FOCUS_FUNCTION] = "Focus",
        [FOCUS_SELF] = "Focus Self",
        [FOCUS_CATEGORY] = "Focus category",
        [MERGE_CALL_NODE] = "Merge Node",
        [MERGE_FUNCTION] = "Merge",
        [DROP_FUNCTION] = "Drop",
        [COLLAPSE_RESOURCE] = "Collapse",
        [COLLAPSE_DIRECT_RECURSION] = "Collapse direct recursion only",
        [COLLAPSE_RECURSION] = "Collapse recursion",
        [COLLAPSE_FUNCTION_SUBTREE] = "Collapse subtree",
        [FILTER_SAMPLES] = "Only samples",
        [KEEP_MATCHING] = "Only stacks with",
        [DROP_MATCHING] = "Drop stacks with",
        [MERGE_MATCHING] = "Merge all",
        [COLLAPSE_MATCHING] = "Collapse all",
    };
    return names[transform->type];
}

void top_crumb(const struct top *top, const struct transform *transform, struct line *line)
{
    enum { NAME_WIDTH = 32 };
    const struct func_list *funcs = top->look.whole->funcs;
    const struct profile *profile = top->look.profile;
    line_print(line, "%s: ", crumb_name(transform));
    if (transform->text)
        line_add_name(line, slice_of(transform->text), NAME_WIDTH);
    else if (transform->category < profile->categories.rows.count)
        line_add_name(line, profile_text(profile, profile->categories.rows.items[transform->category].name), NAME_WIDTH);
    else if (transform->path.funcs.count > 0)
        line_add_func(line, &top->terminal, func_list_name(funcs, transform->path.funcs.items[transform->path.funcs.count - 1]),
                      NAME_WIDTH);
    else
        line_add_func(line, &top->terminal, func_list_name(funcs, transform->func), NAME_WIDTH);
}
