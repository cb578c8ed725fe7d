/* One question about a profile, and everything that is needed to show the answer.
 *
 *     range ─▶ transforms ─▶ implementation ─▶ search ─▶ preview range, idle, strategy ─▶ call nodes ─▶ tree
 *
 *     struct view whole;
 *     view_open(profile, &whole, &error);
 *     struct query query = query_default();
 *     query.threads = &thread, query.thread_count = 1;
 *     transform_parse(whole.funcs, SLICE("merge-function:main"), …);
 *     struct answer answer;
 *     if (query_run(&whole, &query, &answer, &error) == 0) {
 *         … answer.tree, answer.inverted, function_list_build(&answer.tree, …)
 *         answer_free(&answer);
 *     }
 */
#ifndef SONDE_TREE_QUERY_H
#define SONDE_TREE_QUERY_H

#include "tree/call_tree.h"
#include "tree/filter.h"
#include "tree/function_list.h"
#include "tree/grouping.h"
#include "tree/inverted_tree.h"
#include "tree/line_timings.h"
#include "tree/range.h"
#include "tree/transform.h"

struct query {
    const struct thread_index *threads;
    size_t thread_count;
    struct time_range range;   /* ms of the profile's own time; a NaN side is that of the root range */
    struct time_range preview; /* a range within the range, applied after all filters */
    enum implementation implementation;
    struct slice search;
    const struct transform *transforms;
    size_t transform_count;
    bool inverted;
    bool exclude_idle;
    enum strategy strategy;
    bool blocks;                 /* of allocations these are counted, not bytes */
    double younger_than;         /* ms that temporary allocations lived, at most */
    bool with_variance;          /* of every sum, also where its weights are exact: for comparisons */
    enum grouping group;         /* what stands for functions in the answer, whose view then has funcs of its own */
    const struct path *selected; /* a node to follow, as it is before the first transform; NULL = none */
};

/* Everything, top-down, of no thread yet. */
struct query query_default(void);

struct answer {
    struct view view; /* after all filters */
    struct stack_weights weights;
    struct call_node_table nodes;
    struct call_tree tree;
    struct inverted_tree inverted; /* its roots, where the query asks for it; otherwise empty */

    /* The selected path after all transforms, empty where it is gone; leaf first if inverted. */
    struct path selected;
    /* Its node in `nodes` (in `inverted.nodes` if inverted); where filters took it away, that of the nearest caller that is
     * still there, or INDEX_NONE. */
    uint32_t selected_node;
    bool selected_is_exact; /* selected_node is the selected path itself */
};

/* `whole` is the view that view_open() made; it may serve any number of queries. `answer` needs no initialisation; it must not
 * move while in use (its trees point at its tables). On failure it is empty. */
int query_run(const struct view *whole, const struct query *query, struct answer *answer, struct error *error);
void answer_free(struct answer *answer);

/* The first half alone, for who wants samples one by one (sample_stacks.h): the view after all filters but those of rows, and
 * what became of the selected path. Both need no initialisation; on failure they are empty. */
int query_view(const struct view *whole, const struct query *query, struct view *view, struct path *selected,
               struct error *error);

/* What becomes of paths that were taken down when only the first `since` transforms of the query were there: those that are
 * gone are empty. On failure some are rewritten. */
int query_follow(const struct view *whole, const struct query *query, size_t since, struct path *paths, size_t count,
                 struct error *error);

/* The rows that a query counts, for who weighs them another way; `view` is its view. It points into both. */
struct row_selection query_rows(const struct view *whole, const struct query *query, const struct view *view);

#endif
