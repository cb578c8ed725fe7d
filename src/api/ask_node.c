/* node: what the sidebar says of one node. */
#include "api/ask.h"

#include "api/func_texts.h"
#include "api/node_places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { NODE_MOST_THREADS = 100 };

struct sums {
    double total, self;
    struct uncertainty total_uncertainty, self_uncertainty; /* of sampled allocations */
};

struct category_sums {
    uint32_t pair;
    struct sums sums;
};

struct node_sums {
    const struct answer *answer;
    const uint8_t *places; /* for each call node */
    uint32_t node;         /* the call node that has self; INDEX_NONE: all that are selected have */
    struct sums whole;
    VEC(struct category_sums) categories;
    struct map by_pair;
};

static struct sums *sums_of_pair(struct node_sums *sums, uint32_t pair)
{
    uint32_t at;
    for (struct map_probe probe = map_probe(&sums->by_pair, hash_u64(pair)); map_probe_next(&probe, &at);)
        if (sums->categories.items[at].pair == pair)
            return &sums->categories.items[at].sums;
    if (!vec_push(&sums->categories, ((struct category_sums){.pair = pair})) ||
        !map_insert(&sums->by_pair, hash_u64(pair), (uint32_t)sums->categories.count - 1))
        return NULL;
    return &sums->categories.items[sums->categories.count - 1].sums;
}

static void add(struct sums *sums, double weight, bool self)
{
    sums->total += weight;
    sums->self += self ? weight : 0;
}

static void add_uncertainty(struct sums *sums, struct uncertainty uncertainty, bool self)
{
    uncertainty_add(&sums->total_uncertainty, uncertainty);
    if (self)
        uncertainty_add(&sums->self_uncertainty, uncertainty);
}

/* Adds what is counted under the node; the category is that of the function that was running. With `categories` false only the
 * whole. */
static bool add_weights(struct node_sums *sums, const struct stack_weights *weights, bool categories)
{
    const struct view *view = &sums->answer->view;
    for (uint32_t source = 0; source < weights->count; source++) {
        uint32_t stack = weights->rows[source] > 0 ? view_sample_stack(view, source) : INDEX_NONE;
        if (stack == INDEX_NONE)
            continue;
        uint32_t node = sums->answer->nodes.of_stack[stack];
        if (sums->places[node] != NODE_SELECTED)
            continue;
        bool self = sums->node == INDEX_NONE || sums->node == node;
        add(&sums->whole, weights->weight[source], self);
        if (weights->uncertainty)
            add_uncertainty(&sums->whole, weights->uncertainty[source], self);
        struct sums *of = categories ? sums_of_pair(sums, view->pair[stack]) : &(struct sums){0};
        if (!of)
            return false;
        add(of, weights->weight[source], self);
    }
    return true;
}

static int compare_categories(const void *a, const void *b)
{
    const struct category_sums *x = a, *y = b;
    if (x->sums.total != y->sums.total)
        return x->sums.total > y->sums.total ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static int put_categories(struct asking *asking, struct node_sums *sums)
{
    struct category_sums *items = sums->categories.items;
    size_t count = sums->categories.count;
    uint16_t *category = asking_array(asking, count, sizeof *category), *sub = asking_array(asking, count, sizeof *sub);
    double *total = asking_array(asking, count, sizeof *total), *self = asking_array(asking, count, sizeof *self);
    if (!category || !sub || !total || !self)
        return -ENOMEM;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_categories);
    for (size_t i = 0; i < count; i++) {
        category[i] = (uint16_t)pair_category(items[i].pair);
        sub[i] = (uint16_t)pair_subcategory(items[i].pair);
        total[i] = items[i].sums.total;
        self[i] = items[i].sums.self;
    }
    reply_column(asking->reply, "category", REPLY_U16, category, count);
    reply_column(asking->reply, "subcategory", REPLY_U16, sub, count);
    reply_column(asking->reply, "category_total", REPLY_F64, total, count);
    reply_column(asking->reply, "category_self", REPLY_F64, self, count);
    return 0;
}

/* The same node on each of the threads alone. */
static int put_threads(struct asking *asking, const struct node_sums *sums)
{
    const struct query *query = &asking->state.query;
    size_t count = query->thread_count <= NODE_MOST_THREADS ? query->thread_count : 0;
    uint32_t *thread = asking_array(asking, count, sizeof *thread);
    double *total = asking_array(asking, count, sizeof *total), *self = asking_array(asking, count, sizeof *self);
    if (!thread || !total || !self)
        return -ENOMEM;
    struct row_selection selection = query_rows(asking->whole, query, &asking->kept->answer.view);
    for (size_t i = 0; i < count; i++) {
        struct node_sums of = {.answer = sums->answer, .places = sums->places, .node = sums->node};
        struct stack_weights weights;
        struct error error = {0};
        selection.threads = &query->threads[i];
        selection.thread_count = 1;
        /* A thread may have nothing of what is counted. */
        int status = strategy_weigh(asking->whole, &selection, query->strategy, &weights, &error);
        if (status == 0)
            add_weights(&of, &weights, false);
        else if (status != -ENODATA)
            return asking_failed(asking, &error);
        stack_weights_free(&weights);
        thread[i] = query->threads[i].i;
        total[i] = of.whole.total;
        self[i] = of.whole.self;
    }
    reply_column(asking->reply, "thread", REPLY_U32, thread, count);
    reply_column(asking->reply, "thread_total", REPLY_F64, total, count);
    reply_column(asking->reply, "thread_self", REPLY_F64, self, count);
    return 0;
}

/* Two standard errors; null where sums are exact or nobody knows, and each where there are too few samples to tell. */
static void put_errors(struct asking *asking, const struct sums *sums)
{
    const struct uncertainty *of[] = {&sums->total_uncertainty, &sums->self_uncertainty};
    static const char *const keys[] = {"total", "self"};
    struct reply *reply = asking->reply;
    if (!asking->kept->answer.tree.self_uncertainty) {
        reply_put_text(reply, "errors", NULL);
        return;
    }
    json_write_key(reply->json, "errors");
    json_write_begin_object(reply->json);
    for (int i = 0; i < 2; i++)
        reply_put_number(reply, keys[i], uncertainty_is_few(*of[i]) ? NAN : uncertainty_error(*of[i]));
    json_write_end_object(reply->json);
}

/* The function with its texts in full, and what it has anywhere in the tree. */
static int put_function(struct asking *asking, uint32_t func)
{
    struct reply *reply = asking->reply;
    const struct func_list *funcs = asking->whole->funcs;
    const struct function_list *list;
    struct error error = {0};
    if (kept_answer_functions(asking->kept, FUNCTIONS_BY_SELF, &list, &error) != 0)
        return asking_failed(asking, &error);
    struct sums anywhere = {0};
    for (size_t i = 0; i < list->rows.count; i++)
        if (list->rows.items[i].func == func)
            anywhere = (struct sums){list->rows.items[i].total, list->rows.items[i].self, list->rows.items[i].total_uncertainty,
                                     list->rows.items[i].self_uncertainty};
    const struct answer *answer = &asking->kept->answer;
    size_t nodes = 0;
    for (uint32_t node = 0; node < answer->nodes.count; node++)
        nodes += answer->nodes.func[node] == func && answer->tree.shown[node];
    json_write_key(reply->json, "function");
    json_write_begin_object(reply->json);
    reply_put_count(reply, "func", func);
    json_write_key(reply->json, "name");
    json_write_string(reply->json, func_list_name(funcs, func));
    json_write_key(reply->json, "library");
    json_write_string(reply->json, func_list_resource_name(funcs, func));
    json_write_key(reply->json, "file");
    json_write_string(reply->json, func_list_filename(funcs, func));
    uint32_t line = func < funcs->own_count ? func_table_get(&asking->profile->funcs, func_at(func)).line : INDEX_NONE;
    reply_put_id(reply, "line", line);
    reply_put_number(reply, "total", anywhere.total);
    reply_put_number(reply, "self", anywhere.self);
    put_errors(asking, &anywhere);
    reply_put_count(reply, "nodes", nodes);
    json_write_end_object(reply->json);
    return 0;
}

static int put_node(struct asking *asking, const struct ask *ask, struct node_sums *sums)
{
    struct reply *reply = asking->reply;
    const struct answer *answer = &asking->kept->answer;
    if (!add_weights(sums, &answer->weights, true))
        return -ENOMEM;
    int status = put_function(asking, ask->path.funcs.items[ask->path.funcs.count - 1]);
    if (status != 0)
        return status;
    reply_put_text(reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(reply, "root_total", answer->tree.root_total);
    reply_put_number(reply, "total", sums->whole.total);
    reply_put_number(reply, "self", sums->whole.self);
    put_errors(asking, &sums->whole);
    reply_begin_columns(reply);
    status = put_categories(asking, sums);
    if (status == 0)
        status = put_threads(asking, sums);
    reply_end_columns(reply);
    return status;
}

int ask_node(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    size_t count = ask->path.funcs.count;
    if (count == 0 && ask->has_since) {
        reply_put_text(asking->reply, "function", NULL);
        return 0;
    }
    if (count == 0 || ask->path.funcs.items[count - 1] >= asking->whole->funcs->count)
        return asking_refuse(asking, "path", "it does not lead to a function");
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    bool inverted = asking->state.inverted;
    uint8_t *places = asking_array(asking, nodes->count, 1);
    if (!places)
        return -ENOMEM;
    node_places_find(nodes, &ask->path, inverted, places);
    struct node_sums sums = {.answer = &asking->kept->answer, .places = places, .node = INDEX_NONE};
    /* Only roots of the inverted tree have a self value, which is their total. */
    if (!inverted)
        sums.node = call_node_find(nodes, ask->path.funcs.items, count);
    else if (count > 1)
        sums.node = INDEX_NONE - 1;
    status = put_node(asking, ask, &sums);
    vec_free(&sums.categories);
    map_free(&sums.by_pair);
    return status;
}
