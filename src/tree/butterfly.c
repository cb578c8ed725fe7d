#include "tree/butterfly.h"

int butterfly_open(const struct answer *answer, uint32_t func, struct butterfly *of, struct error *error)
{
    const struct call_tree *tree = &answer->tree;
    const struct call_node_table *nodes = &answer->nodes;
    *of = (struct butterfly){.answer = answer, .func = func};
    of->outermost = memory_array((size_t)nodes->count + 1, sizeof *of->outermost);
    if (tree->self_uncertainty)
        of->outermost_uncertainty = memory_zeroed((size_t)nodes->count + 1, sizeof *of->outermost_uncertainty);
    if (!of->outermost || (tree->self_uncertainty && !of->outermost_uncertainty)) {
        butterfly_free(of);
        return error_out_of_memory(error);
    }
    for (uint32_t node = 0, end = 0; node < nodes->count; node++) {
        bool is_func = nodes->func[node] == func, is_outermost = is_func && node >= end;
        of->outermost[node] = is_outermost ? tree->total[node] : 0;
        of->total += of->outermost[node];
        of->self += is_func ? tree->self[node] : 0;
        if (tree->self_uncertainty && is_func)
            uncertainty_add(&of->self_uncertainty, tree->self_uncertainty[node]);
        if (tree->self_uncertainty && is_outermost) {
            of->outermost_uncertainty[node] = tree->total_uncertainty[node];
            uncertainty_add(&of->total_uncertainty, tree->total_uncertainty[node]);
        }
        if (is_outermost)
            end = nodes->subtree_end[node];
    }
    return 0;
}

void butterfly_free(struct butterfly *of)
{
    memory_release(of->outermost);
    memory_release(of->outermost_uncertainty);
    *of = (struct butterfly){0};
}

int butterfly_callers(const struct butterfly *of, const double *first, struct answer *callers, struct error *error)
{
    const struct answer *answer = of->answer;
    *callers = (struct answer){
        .view = answer->view,
        .weights = answer->weights,
        .nodes = answer->nodes,
        .selected_node = INDEX_NONE,
    };
    callers->tree = (struct call_tree){
        .nodes = &callers->nodes,
        .self = of->outermost,
        .self_uncertainty = of->outermost_uncertainty,
        .root_total = of->total,
    };
    return inverted_tree_build(&callers->tree, first, answer->view.funcs->count, &callers->inverted, error);
}

void butterfly_free_callers(struct answer *callers)
{
    inverted_tree_free(&callers->inverted);
    *callers = (struct answer){.selected_node = INDEX_NONE};
}

int butterfly_callees(const struct butterfly *of, const struct query *query, struct answer *callees, struct error *error)
{
    const struct answer *answer = of->answer;
    struct transform focus = {.type = FOCUS_FUNCTION, .implementation = query->implementation, .func = of->func};
    *callees = (struct answer){.selected_node = INDEX_NONE, .weights = {.type = answer->weights.type}};
    int status = transform_apply(&focus, &answer->view, query->threads, query->thread_count, &callees->view, error);
    if (status == 0)
        status = call_node_table_build(&callees->view, &callees->nodes, error);
    if (status == 0)
        status = call_tree_build(&callees->view, &callees->nodes, &answer->weights, &callees->tree, error);
    if (status != 0)
        answer_free(callees);
    return status;
}
