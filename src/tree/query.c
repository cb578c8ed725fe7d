#include "tree/query.h"

#include "profile/time_span.h"
#include "tree/path_rewrite.h"
#include "tree/row_class.h"

#include <errno.h>
#include <math.h>

struct query query_default(void)
{
    return (struct query){
        .range = {NAN, NAN},
        .preview = {NAN, NAN},
        .search = SLICE(""),
        .younger_than = 1,
    };
}

/* ---- the range ---- */

/* A profile that does not say when it was recorded is as long as its samples: its root span leaves nothing out. */
static struct time_range query_range(const struct profile *profile, const struct query *query)
{
    bool has_limits = !isnan(profile->meta.profiling_start_time) || !isnan(profile->meta.profiling_end_time);
    struct time_span root = {-INFINITY, INFINITY};
    struct time_range range = query->range;
    if (has_limits && (isnan(range.start) || isnan(range.end)))
        root = profile_root_span(profile);
    range.start = isnan(range.start) ? root.start : range.start;
    range.end = isnan(range.end) ? root.end : range.end;
    return range;
}

static struct time_range query_preview(const struct query *query)
{
    struct time_range preview = query->preview;
    preview.start = isnan(preview.start) ? -INFINITY : preview.start;
    preview.end = isnan(preview.end) ? INFINITY : preview.end;
    return preview;
}

/* ---- views ---- */

/* What is shown of `transformed`. */
static int show(const struct view *transformed, const struct query *query, struct view *shown, struct error *error)
{
    struct view filtered;
    int status = filter_implementation(transformed, query->implementation, &filtered, error);
    if (status != 0)
        return status;
    status = filter_search(&filtered, query->search, shown, error);
    view_free(&filtered);
    return status;
}

/* Paths that are followed through the transforms from `since` on. */
struct followed {
    struct path *paths;
    size_t count, since;
};

static int rewrite_all(const struct followed *followed, const struct transform *transform, const struct func_list *funcs,
                       const struct call_node_table *nodes, bool inverted, struct error *error)
{
    int status = 0;
    /* Many paths, but one search. */
    if (transform_is_search(transform))
        return search_change_paths(transform_search_change(transform), transform_search(transform), funcs, followed->paths,
                                   followed->count, error);
    for (size_t i = 0; i < followed->count && status == 0; i++) {
        struct error missing = {0};
        status = path_rewrite(&followed->paths[i], transform, funcs, nodes, inverted, &missing);
        /* A path that focus-category cannot look up is gone. */
        if (status == -ENOENT)
            status = 0;
        else if (status != 0)
            *error = missing;
    }
    return status;
}

/* The paths through one transform. `before` is the view that the transform is applied to. */
static int follow(const struct view *before, const struct query *query, const struct transform *transform,
                  const struct followed *followed, struct error *error)
{
    if (followed->count == 0)
        return 0;
    if (transform->type != FOCUS_CATEGORY)
        return rewrite_all(followed, transform, before->funcs, NULL, query->inverted, error);
    struct view shown;
    struct call_node_table nodes;
    int status = show(before, query, &shown, error);
    if (status != 0)
        return status;
    status = call_node_table_build(&shown, &nodes, error);
    if (status == 0) {
        status = rewrite_all(followed, transform, before->funcs, &nodes, query->inverted, error);
        call_node_table_free(&nodes);
    }
    view_free(&shown);
    return status;
}

static int transform_all(const struct view *whole, const struct query *query, struct view *view,
                         const struct followed *followed, struct error *error)
{
    *view = view_share(whole);
    int status = 0;
    for (size_t i = 0; i < query->transform_count && status == 0; i++) {
        struct view next = {0};
        if (i >= followed->since)
            status = follow(view, query, &query->transforms[i], followed, error);
        if (status == 0)
            status = transform_apply(&query->transforms[i], view, query->threads, query->thread_count, &next, error);
        view_free(view);
        *view = next;
    }
    return status;
}

/* ---- the selected node ---- */

/* The node of the selected path, else of its longest part that is there. */
static uint32_t find_shown(const struct answer *answer, size_t *length)
{
    const struct call_node_table *nodes = &answer->nodes;
    uint32_t found = INDEX_NONE, child = 0, end = nodes->count;
    for (*length = 0; *length < answer->selected.funcs.count; (*length)++) {
        while (child < end && !(nodes->func[child] == answer->selected.funcs.items[*length] && answer->tree.shown[child]))
            child = nodes->subtree_end[child];
        if (child >= end)
            break;
        found = child;
        end = nodes->subtree_end[child];
        child++;
    }
    return found;
}

static int find_selected(struct answer *answer, bool inverted, struct error *error)
{
    size_t length = 0;
    int status = 0;
    if (inverted)
        status = inverted_tree_find(&answer->inverted, &answer->selected, &answer->selected_node, &length, error);
    else
        answer->selected_node = find_shown(answer, &length);
    answer->selected_is_exact = length > 0 && length == answer->selected.funcs.count;
    return status;
}

/* ---- the whole ---- */

static int check_threads(const struct profile *profile, const struct query *query, struct error *error)
{
    for (size_t i = 0; i < query->thread_count; i++)
        if (query->threads[i].i >= profile->threads.count)
            return error_set(error, -EINVAL, "there is no thread t-%u", query->threads[i].i);
    return 0;
}

/* Classes of rows take the place of the view; the selected path is one of functions, and gone. */
static int weigh_classes(const struct view *whole, const struct query *query, struct row_selection *selection,
                         struct answer *answer, struct error *error)
{
    struct view classes;
    int status =
        strategy_weigh_classes(whole, &answer->view, selection, query->strategy, query->group, &answer->weights, error);
    if (status == 0)
        status = row_class_view(&answer->view, query->group, &classes, error);
    if (status != 0)
        return status;
    view_free(&answer->view);
    answer->view = classes;
    path_free(&answer->selected);
    *selection = query_rows(whole, query, &answer->view);
    return 0;
}

static int make_trees(const struct view *whole, const struct query *query, struct row_selection *selection,
                      struct answer *answer, struct error *error)
{
    int status = 0;
    if (grouping_is_of_rows(query->group))
        status = weigh_classes(whole, query, selection, answer, error);
    else
        status = strategy_weigh(whole, selection, query->strategy, &answer->weights, error);
    if (status == 0)
        status = call_node_table_build(&answer->view, &answer->nodes, error);
    if (status == 0)
        status = call_tree_build(&answer->view, &answer->nodes, &answer->weights, &answer->tree, error);
    if (status == 0 && query->inverted)
        status = inverted_tree_build(&answer->tree, NULL, answer->view.funcs->count, &answer->inverted, error);
    return status;
}

/* The selected path is one of functions, and gone. */
static int group_answer(struct answer *answer, enum grouping by, struct error *error)
{
    struct view grouped;
    int status = group_view(&answer->view, by, &grouped, error);
    if (status != 0)
        return status;
    view_free(&answer->view);
    answer->view = grouped;
    path_free(&answer->selected);
    return 0;
}

int query_view(const struct view *whole, const struct query *query, struct view *view, struct path *selected,
               struct error *error)
{
    *view = (struct view){0};
    *selected = (struct path){0};
    struct view transformed = {0};
    int status = check_threads(whole->profile, query, error);
    if (status == 0 && query->selected && !path_copy(selected, query->selected))
        status = error_out_of_memory(error);
    if (status == 0)
        status = transform_all(whole, query, &transformed, &(struct followed){selected, query->selected != NULL, 0}, error);
    if (status == 0)
        status = show(&transformed, query, view, error);
    view_free(&transformed);
    if (status != 0)
        path_free(selected);
    return status;
}

int query_follow(const struct view *whole, const struct query *query, size_t since, struct path *paths, size_t count,
                 struct error *error)
{
    struct view transformed = {0};
    int status = check_threads(whole->profile, query, error);
    if (status == 0)
        status = transform_all(whole, query, &transformed, &(struct followed){paths, count, since}, error);
    view_free(&transformed);
    return status;
}

struct row_selection query_rows(const struct view *whole, const struct query *query, const struct view *view)
{
    return (struct row_selection){
        .threads = query->threads,
        .thread_count = query->thread_count,
        .range = query_range(whole->profile, query),
        .preview = query_preview(query),
        .blocks = query->blocks,
        .younger_than = query->younger_than,
        .with_variance = query->with_variance,
        .exclude_idle = query->exclude_idle,
        .times = view->times,
        .hidden_threads = view->hidden_threads,
    };
}

int query_run(const struct view *whole, const struct query *query, struct answer *answer, struct error *error)
{
    *answer = (struct answer){.selected_node = INDEX_NONE};
    int status = query_view(whole, query, &answer->view, &answer->selected, error);
    if (status == 0 && query->group != GROUP_NONE && !grouping_is_of_rows(query->group))
        status = group_answer(answer, query->group, error);
    struct row_selection selection = query_rows(whole, query, &answer->view);
    if (status == 0)
        status = make_trees(whole, query, &selection, answer, error);
    if (status == 0)
        status = find_selected(answer, query->inverted, error);
    if (status != 0)
        answer_free(answer);
    return status;
}

void answer_free(struct answer *answer)
{
    inverted_tree_free(&answer->inverted);
    call_tree_free(&answer->tree);
    call_node_table_free(&answer->nodes);
    stack_weights_free(&answer->weights);
    view_free(&answer->view);
    path_free(&answer->selected);
    *answer = (struct answer){.selected_node = INDEX_NONE};
}
