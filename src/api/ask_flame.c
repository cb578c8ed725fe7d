/* flame: the boxes of a flame graph. */
#include "api/flame_boxes.h"

#include "tree/first_times.h"

#include <errno.h>
#include <math.h>

/* When each call node, or one below it, was first seen. */
static int read_first_times(struct asking *asking, const double **first)
{
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    struct error error = {0};
    const double *of_node;
    if (kept_answer_first_times(asking->kept, &of_node, &error) != 0)
        return asking_failed(asking, &error);
    double *all = asking_array(asking, nodes->count, sizeof *all);
    if (!all)
        return -ENOMEM;
    memcpy(all, of_node, nodes->count * sizeof *all);
    first_times_add_up(nodes, all);
    *first = all;
    return 0;
}

/* The weight of what has a function in its stack that is highlighted. */
static void put_matched(struct asking *asking, const uint8_t *matches)
{
    const struct call_tree *tree = &asking->kept->answer.tree;
    const struct call_node_table *nodes = tree->nodes;
    double matched = 0;
    for (uint32_t node = 0, end = 0; node < nodes->count; node++) {
        if (node >= end && matches[nodes->func[node]])
            end = nodes->subtree_end[node];
        matched += node < end ? fabs(tree->self[node]) : 0;
    }
    reply_put_number(asking->reply, "matched", matched);
}

static int put_flame(struct asking *asking, const struct ask *ask, struct flame *flame)
{
    const struct answer *answer = &asking->kept->answer;
    bool inverted = asking->state.inverted;
    if (kept_answer_tree(asking->kept, inverted, &flame->tree, &flame->error) != 0 || !flame_draw(flame, &ask->zoom))
        return asking_failed(asking, &flame->error);
    reply_put_text(asking->reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(asking->reply, "root_total", answer->tree.root_total);
    /* Of the inverted tree nobody knows before it is seen. */
    reply_put_id(asking->reply, "levels", inverted ? INDEX_NONE : flame_levels(&answer->tree));
    if (flame->matches)
        put_matched(asking, flame->matches);
    return flame_put(asking, flame);
}

int ask_flame(struct asking *asking, const struct ask *ask)
{
    struct flame flame = {
        .funcs = asking->whole->funcs,
        .order = ask->order,
        .width = ask->width,
        .from = ask->depth[0],
        .until = ask->depth[1],
    };
    int status = asking_answer(asking);
    if (status == 0)
        status = asking_highlight(asking, ask, &flame.matches);
    if (status == 0 && ask->order == FLAME_BY_TIME)
        status = read_first_times(asking, &flame.first);
    if (status == 0)
        status = put_flame(asking, ask, &flame);
    flame_free(&flame);
    return status;
}
