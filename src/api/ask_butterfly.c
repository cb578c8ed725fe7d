/* butterfly: what leads to a function, and what it leads to, as two flame graphs that grow away from it.
 *
 *     main    A A . B            callers of f    [f·········]        callees of f    [f·········]
 *     calls   f f . C                            [A···][C···]                        [g·][f·]
 *             g f . f                                   [B···]
 *
 * A sample counts once, by the outermost f in it: that is where both begin, so both are as wide as the total of f. */
#include "api/flame_boxes.h"

#include "tree/first_times.h"

#include <errno.h>
#include <math.h>

struct butterfly {
    const struct ask *ask;
    const uint8_t *matches;
    const double *first; /* FLAME_BY_TIME: of each call node of the state */
    double total, self;  /* of the function */
};

static struct flame flame_of(const struct asking *asking, const struct butterfly *of, uint32_t until)
{
    return (struct flame){
        .funcs = asking->whole->funcs,
        .order = of->ask->order,
        .matches = of->matches,
        .width = of->ask->width,
        .until = until,
    };
}

/* What the function has; `outermost` becomes the total of call nodes of it that are in no other one. */
static void add_up(const struct call_tree *tree, uint32_t func, struct butterfly *of, double *outermost)
{
    const struct call_node_table *nodes = tree->nodes;
    for (uint32_t node = 0, end = 0; node < nodes->count; node++) {
        bool is_func = nodes->func[node] == func, is_outermost = is_func && node >= end;
        outermost[node] = is_outermost ? tree->total[node] : 0;
        of->total += outermost[node];
        of->self += is_func ? tree->self[node] : 0;
        if (is_outermost)
            end = nodes->subtree_end[node];
    }
}

static int draw(struct asking *asking, struct flame *flame)
{
    bool drawn = flame_draw(flame, &(struct path){0});
    return drawn ? flame_put(asking, flame) : asking_failed(asking, &flame->error);
}

/* ---- callers ---- */

/* The inverted tree of samples that end where the function begins. */
static int put_callers(struct asking *asking, const struct butterfly *of, double *outermost)
{
    const struct answer *answer = &asking->kept->answer;
    const struct call_node_table *nodes = &answer->nodes;
    double *first = of->first ? asking_array(asking, nodes->count, sizeof *first) : NULL;
    if (of->first && !first)
        return -ENOMEM;
    if (first) {
        memcpy(first, of->first, nodes->count * sizeof *first);
        first_times_add_up(nodes, first);
    }
    struct answer callers = {
        .nodes = *nodes,
        .tree = {.nodes = nodes, .self = outermost, .root_total = of->total},
    };
    struct flame flame = flame_of(asking, of, of->ask->callers_until);
    struct error error = {0};
    if (inverted_tree_build(&callers.tree, first, asking->whole->funcs->count, &callers.inverted, &error) != 0)
        return asking_failed(asking, &error);
    flame.tree = (struct ordered_tree){&callers, true};
    int status = draw(asking, &flame);
    flame_free(&flame);
    inverted_tree_free(&callers.inverted);
    return status;
}

/* ---- callees ---- */

/* When each node below the function was first seen: as the stacks were that it is made of. */
static int read_first_times(struct asking *asking, const struct butterfly *of, const struct answer *callees,
                            const double **first)
{
    const struct answer *answer = &asking->kept->answer;
    double *of_stack = asking_array(asking, answer->weights.count, sizeof *of_stack);
    double *of_node = asking_array(asking, callees->nodes.count, sizeof *of_node);
    if (!of_stack || !of_node)
        return -ENOMEM;
    for (uint32_t source = 0; source < answer->weights.count; source++) {
        uint32_t stack = view_sample_stack(&answer->view, source);
        of_stack[source] = stack == INDEX_NONE ? INFINITY : of->first[answer->nodes.of_stack[stack]];
    }
    call_node_first_times(&callees->view, &callees->nodes, &answer->weights, of_stack, of_node);
    first_times_add_up(&callees->nodes, of_node);
    *first = of_node;
    return 0;
}

static int draw_callees(struct asking *asking, const struct butterfly *of, struct answer *callees)
{
    struct flame flame = flame_of(asking, of, of->ask->callees_until);
    flame.tree = (struct ordered_tree){callees, false};
    int status = of->first ? read_first_times(asking, of, callees, &flame.first) : 0;
    reply_put_count(asking->reply, "levels", flame_levels(&callees->tree));
    if (status == 0)
        status = draw(asking, &flame);
    flame_free(&flame);
    return status;
}

/* The tree of the view that is focused on the function. */
static int put_callees(struct asking *asking, const struct butterfly *of)
{
    const struct answer *answer = &asking->kept->answer;
    const struct query *query = &asking->state.query;
    struct transform focus = {.type = FOCUS_FUNCTION, .implementation = query->implementation, .func = of->ask->func};
    struct answer callees = {0};
    struct error error = {0};
    int status = transform_apply(&focus, &answer->view, query->threads, query->thread_count, &callees.view, &error);
    if (status == 0)
        status = call_node_table_build(&callees.view, &callees.nodes, &error);
    if (status == 0)
        status = call_tree_build(&callees.view, &callees.nodes, &answer->weights, &callees.tree, &error);
    status = status == 0 ? draw_callees(asking, of, &callees) : asking_failed(asking, &error);
    answer_free(&callees);
    return status;
}

/* ---- the whole ---- */

static int put_sides(struct asking *asking, const struct butterfly *of, double *outermost)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "callers");
    json_write_begin_object(w);
    int status = put_callers(asking, of, outermost);
    json_write_end_object(w);
    if (status != 0)
        return status;
    json_write_key(w, "callees");
    json_write_begin_object(w);
    status = put_callees(asking, of);
    json_write_end_object(w);
    return status;
}

int ask_butterfly(struct asking *asking, const struct ask *ask)
{
    struct butterfly of = {.ask = ask};
    struct error error = {0};
    int status = asking_answer(asking);
    if (status == 0)
        status = asking_highlight(asking, ask, &of.matches);
    if (status != 0)
        return status;
    if (ask->func >= asking->whole->funcs->count)
        return asking_refuse(asking, "func", "there is no function %u", ask->func);
    if (ask->order == FLAME_BY_TIME && kept_answer_first_times(asking->kept, &of.first, &error) != 0)
        return asking_failed(asking, &error);
    const struct answer *answer = &asking->kept->answer;
    double *outermost = asking_array(asking, answer->nodes.count, sizeof *outermost);
    if (!outermost)
        return -ENOMEM;
    add_up(&answer->tree, ask->func, &of, outermost);
    reply_put_count(asking->reply, "func", ask->func);
    reply_put_text(asking->reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(asking->reply, "root_total", answer->tree.root_total);
    reply_put_number(asking->reply, "total", of.total);
    reply_put_number(asking->reply, "self", of.self);
    return put_sides(asking, &of, outermost);
}
