#include "tree/function_list.h"

#include <math.h>
#include <stdlib.h>

/* What is known of a func while the nodes are walked. */
struct sums {
    double self, total;
    struct uncertainty self_uncertainty, total_uncertainty;
    uint32_t inside_until; /* nodes below this one are called from another node of this func */
    bool listed;
};

static void sum_nodes(const struct call_tree *tree, struct sums *sums)
{
    const struct call_node_table *nodes = tree->nodes;
    for (uint32_t node = 0; node < nodes->count; node++) {
        struct sums *of = &sums[nodes->func[node]];
        of->self += tree->self[node];
        if (tree->self_uncertainty)
            uncertainty_add(&of->self_uncertainty, tree->self_uncertainty[node]);
        if (node < of->inside_until)
            continue;
        of->inside_until = nodes->subtree_end[node];
        of->total += tree->total[node];
        if (tree->self_uncertainty)
            uncertainty_add(&of->total_uncertainty, tree->total_uncertainty[node]);
        of->listed |= tree->total[node] != 0;
    }
}

static int compare_magnitudes(double a, double b)
{
    a = fabs(a);
    b = fabs(b);
    return (a < b) - (a > b);
}

static int compare_by_total(const void *a, const void *b)
{
    const struct function_row *x = a, *y = b;
    int order = compare_magnitudes(x->total, y->total);
    return order != 0 ? order : (x->func > y->func) - (x->func < y->func);
}

static int compare_by_self(const void *a, const void *b)
{
    const struct function_row *x = a, *y = b;
    int order = compare_magnitudes(x->self, y->self);
    return order != 0 ? order : compare_by_total(a, b);
}

int function_list_build(const struct call_tree *tree, uint32_t func_count, enum function_order order,
                        struct function_list *list, struct error *error)
{
    *list = (struct function_list){0};
    struct sums *sums = memory_zeroed(func_count, sizeof *sums);
    if (!sums)
        return error_out_of_memory(error);
    sum_nodes(tree, sums);
    bool fits = true;
    for (uint32_t func = 0; func < func_count && fits; func++)
        if (sums[func].listed)
            fits = vec_push(&list->rows, ((struct function_row){func, sums[func].self, sums[func].total,
                                                                sums[func].self_uncertainty, sums[func].total_uncertainty}));
    memory_release(sums);
    if (!fits) {
        function_list_free(list);
        return error_out_of_memory(error);
    }
    if (list->rows.count > 1)
        qsort(list->rows.items, list->rows.count, sizeof *list->rows.items,
              order == FUNCTIONS_BY_TOTAL ? compare_by_total : compare_by_self);
    return 0;
}

void function_list_free(struct function_list *list)
{
    vec_free(&list->rows);
}
