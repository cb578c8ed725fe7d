/* butterfly: what leads to a function, and what it leads to, as two flame graphs that grow away from it. */
#include "api/flame_boxes.h"

#include "tree/butterfly.h"
#include "tree/first_times.h"

#include <errno.h>
#include <math.h>

struct two_flames {
    const struct ask *ask;
    const uint8_t *matches;
    const double *first; /* FLAME_BY_TIME: of each call node of the state */
    struct butterfly butterfly;
};

static struct flame flame_of(const struct asking *asking, const struct two_flames *of, uint32_t until)
{
    return (struct flame){
        .funcs = asking->whole->funcs,
        .order = of->ask->order,
        .matches = of->matches,
        .width = of->ask->width,
        .until = until,
    };
}

static int draw(struct asking *asking, struct flame *flame)
{
    bool drawn = flame_draw(flame, &(struct path){0});
    return drawn ? flame_put(asking, flame) : asking_failed(asking, &flame->error);
}

/* ---- callers ---- */

static int draw_callers(struct asking *asking, const struct two_flames *of, struct answer *callers)
{
    struct flame flame = flame_of(asking, of, of->ask->callers_until);
    flame.tree = (struct ordered_tree){callers, true};
    int status = draw(asking, &flame);
    flame_free(&flame);
    return status;
}

static int put_callers(struct asking *asking, const struct two_flames *of)
{
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    double *first = of->first ? asking_array(asking, nodes->count, sizeof *first) : NULL;
    if (of->first && !first)
        return -ENOMEM;
    if (first) {
        memcpy(first, of->first, nodes->count * sizeof *first);
        first_times_add_up(nodes, first);
    }
    struct answer callers;
    struct error error = {0};
    int status = butterfly_callers(&of->butterfly, first, &callers, &error);
    status = status == 0 ? draw_callers(asking, of, &callers) : asking_failed(asking, &error);
    butterfly_free_callers(&callers);
    return status;
}

/* ---- callees ---- */

/* When each node below the function was first seen: as the stacks were that it is made of. */
static int read_first_times(struct asking *asking, const struct two_flames *of, const struct answer *callees,
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

static int draw_callees(struct asking *asking, const struct two_flames *of, struct answer *callees)
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

static int put_callees(struct asking *asking, const struct two_flames *of)
{
    struct answer callees;
    struct error error = {0};
    int status = butterfly_callees(&of->butterfly, &asking->state.query, &callees, &error);
    if (status != 0)
        return asking_failed(asking, &error);
    status = draw_callees(asking, of, &callees);
    answer_free(&callees);
    return status;
}

/* ---- the whole ---- */

static int put_sides(struct asking *asking, const struct two_flames *of)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "callers");
    json_write_begin_object(w);
    int status = put_callers(asking, of);
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
    struct two_flames of = {.ask = ask};
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
    if (butterfly_open(answer, ask->func, &of.butterfly, &error) != 0)
        return asking_failed(asking, &error);
    reply_put_count(asking->reply, "func", ask->func);
    reply_put_text(asking->reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(asking->reply, "root_total", answer->tree.root_total);
    reply_put_number(asking->reply, "total", of.butterfly.total);
    reply_put_number(asking->reply, "self", of.butterfly.self);
    status = put_sides(asking, &of);
    butterfly_free(&of.butterfly);
    return status;
}
