/* The engine works on tables of stacks, for all samples at once. Here every filter and transform is done once more in the
 * simplest way, on the list of functions of one sample at a time, and the trees must agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "naive_search.h"
#include "random_query.h"

enum { PROFILES = 300, QUESTIONS = 20, MAX_DEPTH = 128 };

/* The frames of a sample, root first. */
struct chain {
    size_t length;
    struct {
        uint32_t func, category;
    } frames[MAX_DEPTH];
};

static void chain_push(struct chain *chain, uint32_t func, uint32_t category)
{
    assert_true(chain->length < MAX_DEPTH);
    chain->frames[chain->length].func = func;
    chain->frames[chain->length++].category = category;
}

static void chain_copy(struct chain *to, const struct chain *from, size_t i)
{
    chain_push(to, from->frames[i].func, from->frames[i].category);
}

/* Frames without a category have that of their caller. */
static void chain_of_stack(const struct profile *profile, struct stack_index stack, struct chain *chain)
{
    struct stack_index prefix = stack_prefix(&profile->stacks, stack);
    if (stack_exists(prefix))
        chain_of_stack(profile, prefix, chain);
    struct frame frame = frame_table_get(&profile->frames, stack_frame(&profile->stacks, stack));
    uint32_t inherited = chain->length > 0 ? chain->frames[chain->length - 1].category : 0;
    chain_push(chain, frame.func.i, category_exists(frame.category) ? frame.category.i : inherited);
}

/* ---- functions ---- */

struct oracle {
    const struct profile *profile;
    uint32_t func_count; /* of the profile; behind them are those that stand for resources */
    const struct func_list *funcs;
    const struct thread *thread; /* that the sample is of */
};

static uint32_t resource_of(const struct oracle *oracle, uint32_t func)
{
    return func < oracle->func_count ? func_resource(&oracle->profile->funcs, func_at(func)).i : func - oracle->func_count;
}

static bool is_shown(const struct oracle *oracle, uint32_t func, enum implementation implementation)
{
    const struct profile *profile = oracle->profile;
    bool is_js, relevant, is_jit = false;
    if (func >= oracle->func_count) {
        is_js = relevant = resource_is_script(profile->resources.rows.items[func - oracle->func_count].type);
    } else {
        struct func row = func_table_get(&profile->funcs, func_at(func));
        is_js = row.is_js;
        relevant = row.relevant_for_js;
        is_jit = !resource_exists(row.resource) && slice_starts_with(profile_text(profile, row.name), SLICE("0x"));
    }
    return implementation == IMPLEMENTATION_COMBINED || (implementation == IMPLEMENTATION_JS && (is_js || relevant)) ||
           (implementation == IMPLEMENTATION_CPP && !is_js && !is_jit);
}

static bool contains(const struct chain *chain, uint32_t func)
{
    for (size_t i = 0; i < chain->length; i++)
        if (chain->frames[i].func == func)
            return true;
    return false;
}

/* ---- transforms: from one chain to the next, which is empty to begin with ---- */

static void focus_subtree(const struct oracle *oracle, const struct transform *t, const struct chain *from, struct chain *to)
{
    size_t matched = 0, length = t->path.funcs.count;
    for (size_t i = 0; i < from->length; i++) {
        uint32_t func = from->frames[i].func;
        if (matched < length && func == t->path.funcs.items[matched])
            matched++;
        else if (matched < length && is_shown(oracle, func, t->implementation))
            return;
        if (matched == length)
            chain_copy(to, from, i);
    }
}

static void focus_inverted_subtree(const struct oracle *oracle, const struct transform *t, const struct chain *from,
                                   struct chain *to)
{
    size_t matched = 0, length = t->path.funcs.count;
    for (size_t i = from->length; i-- > 0 && matched < length;) {
        uint32_t func = from->frames[i].func;
        if (func == t->path.funcs.items[matched])
            matched++;
        else if (is_shown(oracle, func, t->implementation))
            return;
        if (matched == length)
            for (size_t k = 0; k <= i; k++)
                chain_copy(to, from, k);
    }
}

static void merge_call_node(const struct oracle *oracle, const struct transform *t, const struct chain *from, struct chain *to)
{
    size_t matched = 0, length = t->path.funcs.count;
    for (size_t i = 0; i < from->length; i++) {
        uint32_t func = from->frames[i].func;
        bool matches = matched < length && func == t->path.funcs.items[matched];
        if (matches)
            matched++;
        else if (is_shown(oracle, func, t->implementation))
            matched = length; /* another node, or below the merged one: nothing is merged from here on */
        if (!(matches && matched == length))
            chain_copy(to, from, i);
    }
}

static void focus_function(const struct transform *t, const struct chain *from, struct chain *to)
{
    for (size_t i = 0; i < from->length; i++)
        if (to->length > 0 || from->frames[i].func == t->func)
            chain_copy(to, from, i);
}

static void focus_self(const struct oracle *oracle, const struct transform *t, const struct chain *from, struct chain *to)
{
    for (size_t i = 0; i < from->length; i++) {
        uint32_t func = from->frames[i].func;
        bool is_hidden_below = to->length > 0 && !is_shown(oracle, func, t->implementation);
        if (func == t->func || !is_hidden_below)
            to->length = 0;
        if (func == t->func || is_hidden_below)
            chain_copy(to, from, i);
    }
}

static void focus_category(const struct transform *t, const struct chain *from, struct chain *to)
{
    for (size_t i = 0; i < from->length; i++)
        if (from->frames[i].category == t->category)
            chain_copy(to, from, i);
}

static void merge_function(const struct transform *t, const struct chain *from, struct chain *to)
{
    for (size_t i = 0; i < from->length; i++)
        if (from->frames[i].func != t->func)
            chain_copy(to, from, i);
}

static void collapse_direct_recursion(const struct oracle *oracle, const struct transform *t, const struct chain *from,
                                      struct chain *to)
{
    bool in_recursion = false;
    size_t outermost = 0;
    for (size_t i = 0; i < from->length; i++) {
        uint32_t func = from->frames[i].func;
        if (!in_recursion) {
            in_recursion = func == t->func;
            outermost = to->length;
        } else if (is_shown(oracle, func, t->implementation)) {
            in_recursion = func == t->func;
            if (in_recursion)
                to->length = outermost;
        }
        chain_copy(to, from, i);
    }
}

static void collapse_resource(const struct oracle *oracle, const struct transform *t, const struct chain *from,
                              struct chain *to)
{
    struct chain renamed = *from;
    for (size_t i = 0; i < renamed.length; i++)
        if (resource_of(oracle, renamed.frames[i].func) == t->resource)
            renamed.frames[i].func = t->func;
    collapse_direct_recursion(oracle, t, &renamed, to);
}

static void collapse_recursion(const struct transform *t, const struct chain *from, struct chain *to)
{
    size_t outermost = SIZE_MAX;
    for (size_t i = 0; i < from->length; i++) {
        if (from->frames[i].func == t->func && outermost == SIZE_MAX)
            outermost = to->length;
        else if (from->frames[i].func == t->func)
            to->length = outermost;
        chain_copy(to, from, i);
    }
}

static void collapse_function_subtree(const struct transform *t, const struct chain *from, struct chain *to)
{
    for (size_t i = 0; i < from->length; i++) {
        chain_copy(to, from, i);
        if (from->frames[i].func == t->func)
            return;
    }
}

static bool is_kept(const struct transform *t, const struct chain *from)
{
    size_t count = t->path.funcs.count;
    bool found = false;
    switch (t->filter) {
    case FILTER_FUNCTION_INCLUDE:
        for (size_t i = 0; i < count; i++)
            found |= contains(from, t->path.funcs.items[i]);
        return found;
    case FILTER_STACK_PREFIX:
        for (size_t i = 0; i < count; i++)
            if (i >= from->length || from->frames[i].func != t->path.funcs.items[i])
                return false;
        return true;
    case FILTER_STACK_SUFFIX:
        return from->length > 0 && from->frames[from->length - 1].func == t->path.funcs.items[0];
    default:
        fail();
        return false;
    }
}

/* ---- searches ---- */

static struct naive_frame naive_frame_of(const struct oracle *oracle, const struct chain *chain, size_t i)
{
    const struct func_list *funcs = oracle->funcs;
    const struct category_list *categories = &oracle->profile->categories;
    uint32_t func = chain->frames[i].func;
    return (struct naive_frame){
        func_list_name(funcs, func),
        func_list_resource_name(funcs, func),
        func_list_filename(funcs, func),
        profile_text(oracle->profile, categories->rows.items[chain->frames[i].category].name),
    };
}

static bool search_keeps(const struct oracle *oracle, const char *search, const struct chain *chain)
{
    struct naive_frame frames[MAX_DEPTH];
    for (size_t i = 0; i < chain->length; i++)
        frames[i] = naive_frame_of(oracle, chain, i);
    return naive_search_keeps(search, frames, chain->length, profile_text(oracle->profile, oracle->thread->name));
}

static void change_chosen(const struct oracle *oracle, const struct transform *t, const struct chain *from, struct chain *to)
{
    for (size_t i = 0; i < from->length; i++) {
        struct naive_frame frame = naive_frame_of(oracle, from, i);
        bool is_chosen = naive_search_chooses(t->text, &frame);
        if (!is_chosen || t->type == COLLAPSE_MATCHING)
            chain_copy(to, from, i);
        if (is_chosen && t->type == COLLAPSE_MATCHING)
            return;
    }
}

static void transform_chain(const struct oracle *oracle, const struct transform *t, struct chain *chain)
{
    struct chain from = *chain;
    chain->length = 0;
    switch (t->type) {
    case FOCUS_SUBTREE:
        (t->inverted ? focus_inverted_subtree : focus_subtree)(oracle, t, &from, chain);
        break;
    case FOCUS_FUNCTION:
        focus_function(t, &from, chain);
        break;
    case FOCUS_SELF:
        focus_self(oracle, t, &from, chain);
        break;
    case FOCUS_CATEGORY:
        focus_category(t, &from, chain);
        break;
    case MERGE_CALL_NODE:
        merge_call_node(oracle, t, &from, chain);
        break;
    case MERGE_FUNCTION:
        merge_function(t, &from, chain);
        break;
    case DROP_FUNCTION:
        if (!contains(&from, t->func))
            *chain = from;
        break;
    case COLLAPSE_RESOURCE:
        collapse_resource(oracle, t, &from, chain);
        break;
    case COLLAPSE_DIRECT_RECURSION:
        collapse_direct_recursion(oracle, t, &from, chain);
        break;
    case COLLAPSE_RECURSION:
        collapse_recursion(t, &from, chain);
        break;
    case COLLAPSE_FUNCTION_SUBTREE:
        collapse_function_subtree(t, &from, chain);
        break;
    case FILTER_SAMPLES:
        if (is_kept(t, &from))
            *chain = from;
        break;
    case KEEP_MATCHING:
    case DROP_MATCHING:
        if (search_keeps(oracle, t->text, &from) == (t->type == KEEP_MATCHING))
            *chain = from;
        break;
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
        change_chosen(oracle, t, &from, chain);
        break;
    default:
        fail();
    }
}

static void hide_frames(const struct oracle *oracle, enum implementation implementation, struct chain *chain)
{
    struct chain from = *chain;
    chain->length = 0;
    for (size_t i = 0; i < from.length; i++)
        if (is_shown(oracle, from.frames[i].func, implementation))
            chain_copy(chain, &from, i);
}

/* ---- the tree ---- */

struct sums {
    double *self, *total;           /* by call node */
    double *func_self, *func_total; /* by func; recursion counts once */
};

static void count_chain(const struct answer *answer, const struct chain *chain, double weight, struct sums *sums)
{
    uint32_t funcs[MAX_DEPTH], node = INDEX_NONE;
    for (size_t i = 0; i < chain->length; i++) {
        funcs[i] = chain->frames[i].func;
        node = call_node_find(&answer->nodes, funcs, i + 1);
        assert_int_not_equal(node, INDEX_NONE);
        sums->total[node] += weight;
        bool is_first = true;
        for (size_t k = 0; k < i; k++)
            is_first &= funcs[k] != funcs[i];
        if (is_first)
            sums->func_total[funcs[i]] += weight;
    }
    if (node != INDEX_NONE) {
        sums->self[node] += weight;
        sums->func_self[funcs[chain->length - 1]] += weight;
    }
}

static bool in_range(const struct time_range *range, double time)
{
    return !(time < range->start) && !(time >= range->end);
}

static void count_thread(const struct oracle *oracle, const struct query *query, struct thread_index index,
                         const struct answer *answer, struct sums *sums)
{
    const struct sample_table *samples = &oracle->profile->threads.items[index.i].samples;
    struct category_index idle = category_list_find(&oracle->profile->categories, &oracle->profile->strings, SLICE("Idle"));
    double *times = calloc(sample_count(samples) + 1, sizeof *times);
    assert_non_null(times);
    sample_table_read_times(samples, times);
    for (size_t i = 0; i < sample_count(samples); i++) {
        struct chain chain = {0};
        struct stack_index stack = stack_at(column_get_index(&samples->stack, i));
        if (!stack_exists(stack) || !in_range(&query->range, times[i]) || !in_range(&query->preview, times[i]))
            continue;
        chain_of_stack(oracle->profile, stack, &chain);
        if (query->exclude_idle && chain.frames[chain.length - 1].category == idle.i)
            continue;
        for (size_t k = 0; k < query->transform_count; k++)
            transform_chain(oracle, &query->transforms[k], &chain);
        hide_frames(oracle, query->implementation, &chain);
        if (!search_keeps(oracle, query->search.text, &chain))
            continue;
        double weight = sample_table_has(&samples->weight) ? column_get_number(&samples->weight, i) : 1;
        count_chain(answer, &chain, weight, sums);
    }
    free(times);
}

static void assert_sums(const struct answer *answer, const struct sums *sums)
{
    struct error error = {0};
    struct function_list list;
    for (uint32_t node = 0; node < answer->nodes.count; node++) {
        assert_true(answer->tree.self[node] == sums->self[node]);
        assert_true(answer->tree.total[node] == sums->total[node]);
    }
    assert_int_equal(function_list_build(&answer->tree, answer->view.funcs->count, FUNCTIONS_BY_TOTAL, &list, &error), 0);
    for (size_t i = 0; i < list.rows.count; i++) {
        const struct function_row *row = &list.rows.items[i];
        assert_true(row->self == sums->func_self[row->func]);
        assert_true(row->total == sums->func_total[row->func]);
        sums->func_total[row->func] = 0;
    }
    for (uint32_t func = 0; func < answer->view.funcs->count; func++)
        assert_true(sums->func_total[func] == 0); /* those that are not listed have nothing */
    function_list_free(&list);
}

static void assert_answer(const struct view *whole, const struct query *query)
{
    struct error error = {0};
    struct answer answer;
    struct oracle oracle = {whole->profile, (uint32_t)func_count(&whole->profile->funcs), whole->funcs, NULL};
    if (query_run(whole, query, &answer, &error) != 0)
        fail_msg("%s", error.message);
    struct sums sums = {
        .self = calloc(answer.nodes.count + 1, sizeof(double)),
        .total = calloc(answer.nodes.count + 1, sizeof(double)),
        .func_self = calloc(whole->funcs->count + 1, sizeof(double)),
        .func_total = calloc(whole->funcs->count + 1, sizeof(double)),
    };
    for (size_t i = 0; i < query->thread_count; i++) {
        oracle.thread = &whole->profile->threads.items[query->threads[i].i];
        count_thread(&oracle, query, query->threads[i], &answer, &sums);
    }
    assert_sums(&answer, &sums);
    free(sums.self);
    free(sums.total);
    free(sums.func_self);
    free(sums.func_total);
    answer_free(&answer);
}

/* What the lists above do not do: markers, allocations. */
static bool is_of_samples(const struct random_query *asked)
{
    for (size_t i = 0; i < asked->query.transform_count; i++) {
        const struct transform *transform = &asked->query.transforms[i];
        if (transform->type == FILTER_SAMPLES &&
            (transform->filter == FILTER_MARKER_SEARCH || transform->filter == FILTER_OUTSIDE_MARKER))
            return false;
    }
    return true;
}

static void trees_are_what_is_counted_sample_by_sample(void **state)
{
    (void)state;
    unsigned asked_count = 0;
    for (uint64_t seed = 1; seed <= PROFILES; seed++) {
        struct error error = {0};
        struct random random = {seed};
        struct profile profile;
        struct view whole;
        random_profile(&profile, &random, RANDOM_WEIGHTS_ANY);
        assert_int_equal(view_open(&profile, &whole, &error), 0);
        for (size_t i = 0; i < QUESTIONS; i++) {
            struct random_query asked;
            random_query_make(&asked, &random, &whole);
            asked.query.strategy = STRATEGY_TIMING;
            asked.query.inverted = false;
            if (is_of_samples(&asked)) {
                assert_answer(&whole, &asked.query);
                asked_count++;
            }
            random_query_free(&asked);
        }
        view_free(&whole);
        profile_free(&profile);
    }
    assert_true(asked_count > PROFILES * QUESTIONS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_what_is_counted_sample_by_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
