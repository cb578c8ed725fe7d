#include "cli/hot_memory.h"

#include "cli/cut.h"
#include "cli/memory_use.h"
#include "print/estimate.h"
#include "print/func_name.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATHS = 5, CALLERS = 3 };

/* The nodes with the largest selfs, largest first; how many there are. */
static size_t find_largest(const struct call_tree *tree, uint32_t largest[PATHS])
{
    size_t count = 0;
    for (uint32_t node = 0; node < tree->nodes->count; node++) {
        if (!(tree->self[node] > 0))
            continue;
        size_t at = count < PATHS ? count++ : PATHS;
        for (; at > 0 && tree->self[node] > tree->self[largest[at - 1]]; at--)
            if (at < PATHS)
                largest[at] = largest[at - 1];
        if (at < PATHS)
            largest[at] = node;
    }
    return count;
}

static void print_path(const struct answer *answer, uint32_t node, struct line *line, const struct terminal *terminal,
                       struct text_buffer *scratch)
{
    const struct call_tree *tree = &answer->tree;
    struct uncertainty none = {0};
    struct estimate_text text = estimate_text(tree->self[node], tree->self_uncertainty ? tree->self_uncertainty[node] : none,
                                              answer->weights.type, true);
    line_add(line, slice_of(text.text), text.width);
    size_t shown = 0;
    for (uint32_t at = node; at != INDEX_NONE && shown < 1 + CALLERS && line->width + 12 < terminal->width; shown++) {
        if (shown > 0)
            line_add(line, SLICE(" ← "), 3);
        struct slice name = func_name_shown(terminal, func_list_name(answer->view.funcs, answer->nodes.func[at]), scratch);
        line_add_func_name(line, name, terminal->width - line->width);
        at = answer->nodes.parent[at];
    }
    output_line(line);
}

static int print_largest(struct selection *selection, struct query *query, enum strategy strategy, const char *title,
                         const struct terminal *terminal)
{
    struct answer answer;
    uint32_t largest[PATHS];
    query->strategy = strategy;
    if (query_run(&selection->whole, query, &answer, &selection->error) != 0)
        return selection_report(selection);
    struct line line = {0};
    struct text_buffer scratch = {0};
    size_t count = find_largest(&answer.tree, largest);
    if (count > 0)
        printf("\n%s\n", title);
    for (size_t i = 0; i < count; i++)
        print_path(&answer, largest[i], &line, terminal, &scratch);
    bool failed = line.failed || scratch.failed;
    line_free(&line);
    text_free(&scratch);
    answer_free(&answer);
    return output_finish(failed);
}

int hot_memory_print(struct selection *selection)
{
    const struct profile *profile = &selection->profile;
    struct terminal terminal = terminal_of_options(selection->options);
    struct memory_use use;
    VEC(struct thread_index) threads = {0};
    if (memory_use_find(profile, selection_zero(selection), &use, &selection->error) != 0)
        return selection_report(selection);
    if (!memory_use_is_known(&use))
        return EXIT_OK;
    memory_use_print(&use);
    for (size_t i = 0; i < profile->threads.count; i++)
        if (strategy_is_of_thread(profile, &profile->threads.items[i], STRATEGY_NATIVE_PEAK) &&
            !vec_push(&threads, thread_at(i)))
            break;
    struct query query = selection->query;
    query.threads = threads.items;
    query.thread_count = threads.count;
    int status = EXIT_OK;
    if (threads.count > 0)
        status = print_largest(selection, &query, STRATEGY_NATIVE_PEAK, "held at the peak, by call path", &terminal);
    if (threads.count > 0 && status == EXIT_OK)
        status =
            print_largest(selection, &query, STRATEGY_NATIVE_TEMPORARY, "allocated and freed again within 1 ms", &terminal);
    putchar('\n');
    vec_free(&threads);
    return status;
}
