#include "api/answers.h"

#include "print/function_order.h"
#include "tree/first_times.h"

#include <errno.h>

void answers_init(struct answers *answers)
{
    *answers = (struct answers){.most_bytes = ANSWERS_MOST_BYTES};
}

static void kept_answer_free(struct kept_answer *kept)
{
    for (int i = 0; i < 2; i++) {
        row_list_free(&kept->rows[i].list);
        text_free(&kept->rows[i].open);
    }
    for (int order = 0; order < FUNCTION_ORDERS; order++)
        function_list_free(&kept->functions[order]);
    for (size_t i = 0; i < kept->stacks.count; i++)
        thread_stacks_free(&kept->stacks.items[i]);
    vec_free(&kept->stacks);
    ancestors_free(&kept->ancestors);
    answer_free(&kept->answer);
    vec_free(&kept->threads);
    memory_release(kept->first_times);
    text_free(&kept->key);
    memory_release(kept);
}

void answers_free(struct answers *answers)
{
    for (size_t i = 0; i < answers->count; i++)
        kept_answer_free(answers->items[i]);
    answers->count = 0;
    func_matches_free(&answers->matches);
}

/* ---- what to keep ---- */

/* Arrays that views share are counted for each: the sum is what it takes at most. */
static size_t kept_answer_bytes(const struct kept_answer *kept)
{
    const struct answer *answer = &kept->answer;
    const struct view *view = &answer->view;
    size_t nodes = answer->nodes.count, u32 = sizeof(uint32_t);
    size_t bytes = view->count * (6 * u32) + view_source_count(view) * (2 * u32);
    bytes += nodes * (6 * u32 + 2 * sizeof(double) + 1);
    bytes += answer->weights.count * (sizeof(double) + u32);
    bytes += kept->first_times ? nodes * sizeof *kept->first_times : 0;
    bytes += kept->ancestors.jump ? nodes * u32 : 0;
    for (size_t i = 0; i < kept->stacks.count; i++)
        bytes += thread_stacks_bytes(&kept->stacks.items[i], kept->whole->profile);
    if (kept->inverted_made) {
        const struct inverted_tree *inverted = &answer->inverted;
        bytes += inverted->nodes.capacity * sizeof *inverted->nodes.items + view->funcs->count * u32;
        bytes += nodes * (2 * sizeof *inverted->entries + 1);
    }
    for (int i = 0; i < 2; i++) {
        bytes += kept->rows[i].list.rows.capacity * sizeof *kept->rows[i].list.rows.items;
    }
    for (int order = 0; order < FUNCTION_ORDERS; order++)
        bytes += kept->functions[order].rows.capacity * sizeof *kept->functions[order].rows.items;
    return bytes;
}

static void drop_oldest(struct answers *answers)
{
    size_t oldest = 0;
    for (size_t i = 1; i < answers->count; i++)
        if (answers->items[i]->used < answers->items[oldest]->used)
            oldest = i;
    kept_answer_free(answers->items[oldest]);
    answers->items[oldest] = answers->items[--answers->count];
}

void answers_trim(struct answers *answers)
{
    while (answers->count > 1) {
        size_t bytes = 0;
        for (size_t i = 0; i < answers->count; i++)
            bytes += kept_answer_bytes(answers->items[i]);
        if (bytes <= answers->most_bytes)
            return;
        drop_oldest(answers);
    }
}

/* ---- finding ---- */

static uint64_t hash_of(struct slice key)
{
    uint64_t hash = key.length;
    for (size_t i = 0; i < key.length; i++)
        hash = (hash ^ (unsigned char)key.text[i]) * 0x100000001b3u;
    return hash;
}

/* What the answer counts, for parts that are made later. */
static bool keep_selection(struct kept_answer *kept, const struct query *query)
{
    if (!vec_reserve(&kept->threads, query->thread_count))
        return false;
    for (size_t i = 0; i < query->thread_count; i++)
        kept->threads.items[kept->threads.count++] = query->threads[i];
    kept->selection = query_rows(kept->whole, query, &kept->answer.view);
    kept->selection.threads = kept->threads.items;
    kept->strategy = query->strategy;
    return true;
}

static struct kept_answer *make_answer(const struct view *whole, const struct state *state, struct error *error)
{
    struct kept_answer *kept = memory_zeroed(1, sizeof *kept);
    if (!kept) {
        error_out_of_memory(error);
        return NULL;
    }
    kept->whole = whole;
    kept->answer.selected_node = INDEX_NONE;
    text_add(&kept->key, text_slice(&state->key));
    if (kept->key.failed)
        error_out_of_memory(error);
    else if (query_run(whole, &state->query, &kept->answer, error) == 0 && !keep_selection(kept, &state->query))
        error_out_of_memory(error);
    if (error->code != 0) {
        kept_answer_free(kept);
        return NULL;
    }
    return kept;
}

struct kept_answer *answers_get(struct answers *answers, const struct view *whole, const struct state *state,
                                struct error *error)
{
    struct slice key = text_slice(&state->key);
    uint64_t hash = hash_of(key);
    answers->used++;
    for (size_t i = 0; i < answers->count; i++) {
        struct kept_answer *kept = answers->items[i];
        if (kept->hash == hash && slice_equal(text_slice(&kept->key), key)) {
            kept->used = answers->used;
            return kept;
        }
    }
    struct kept_answer *made = make_answer(whole, state, error);
    if (!made)
        return NULL;
    made->hash = hash;
    made->used = answers->used;
    if (answers->count == ANSWERS_MOST)
        drop_oldest(answers);
    answers->items[answers->count++] = made;
    return made;
}

/* ---- parts ---- */

int kept_answer_first_times(struct kept_answer *kept, const double **first, struct error *error)
{
    const struct answer *answer = &kept->answer;
    *first = kept->first_times;
    if (*first)
        return 0;
    double *of_stack = memory_array(kept->whole->count, sizeof *of_stack);
    double *of_node = memory_array(answer->nodes.count, sizeof *of_node);
    int status = of_stack && of_node ? stack_first_times(kept->whole, &kept->selection, kept->strategy, of_stack, error)
                                     : error_out_of_memory(error);
    if (status == 0) {
        call_node_first_times(&answer->view, &answer->nodes, &answer->weights, of_stack, of_node);
        *first = kept->first_times = of_node;
    } else {
        memory_release(of_node);
    }
    memory_release(of_stack);
    return status;
}

int kept_answer_tree(struct kept_answer *kept, bool inverted, struct ordered_tree *tree, struct error *error)
{
    const double *first;
    *tree = (struct ordered_tree){&kept->answer, inverted};
    if (!inverted || kept->inverted_made)
        return 0;
    int status = kept_answer_first_times(kept, &first, error);
    if (status == 0)
        status = inverted_tree_build(&kept->answer.tree, first, kept->answer.view.funcs->count, &kept->answer.inverted, error);
    kept->inverted_made = status == 0;
    return status;
}

int kept_answer_rows(struct kept_answer *kept, bool inverted, const struct open_rows *open, enum row_order order,
                     const struct row_list **rows, struct error *error)
{
    struct kept_rows *of = &kept->rows[inverted];
    struct text_buffer text = {0};
    open_rows_print(open, &text);
    if (text.failed) {
        text_free(&text);
        return error_out_of_memory(error);
    }
    *rows = &of->list;
    if (of->made && of->order == order && slice_equal(text_slice(&text), text_slice(&of->open))) {
        text_free(&text);
        return 0;
    }
    row_list_free(&of->list);
    text_free(&of->open);
    of->open = text;
    of->order = order;
    struct ordered_tree tree;
    int status = kept_answer_tree(kept, inverted, &tree, error);
    if (status == 0)
        status = row_list_build(&tree, kept->whole->funcs, open, order, &of->list, error);
    of->made = status == 0;
    return status;
}

int kept_answer_stacks(struct kept_answer *kept, struct thread_index thread, const struct thread_stacks **stacks,
                       struct error *error)
{
    for (size_t i = 0; i < kept->stacks.count; i++)
        if (kept->stacks.items[i].thread.i == thread.i) {
            *stacks = &kept->stacks.items[i];
            return 0;
        }
    int status = kept->ancestors.jump ? 0 : ancestors_build(&kept->answer.nodes, &kept->ancestors, error);
    struct thread_stacks made = {0};
    if (status == 0)
        status = thread_stacks_read(kept->whole, &kept->answer, &kept->selection, &kept->ancestors, thread, &made, error);
    if (status == 0 && !vec_push(&kept->stacks, made)) {
        thread_stacks_free(&made);
        status = error_out_of_memory(error);
    }
    if (status == 0)
        *stacks = &kept->stacks.items[kept->stacks.count - 1];
    return status;
}

int kept_answer_functions(struct kept_answer *kept, enum function_order order, const struct function_list **functions,
                          struct error *error)
{
    *functions = &kept->functions[order];
    if (kept->functions_made[order])
        return 0;
    int status = function_list_build(&kept->answer.tree, kept->answer.view.funcs->count, order, &kept->functions[order], error);
    if (status == 0)
        function_list_order(&kept->functions[order], kept->answer.view.funcs, order);
    kept->functions_made[order] = status == 0;
    return status;
}
