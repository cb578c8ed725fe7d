/* The last answers of the engine, so that scrolling, opening rows and going back compute nothing anew.
 *
 * An answer is found by the text that its state is made of, and has with it what was derived from it: the inverted tree, rows,
 * lists of functions. The ones used longest ago go first. */
#ifndef SONDE_API_ANSWERS_H
#define SONDE_API_ANSWERS_H

#include "api/func_matches.h"
#include "api/row_list.h"
#include "api/state.h"
#include "api/thread_stacks.h"
#include "tree/query.h"

enum { ANSWERS_MOST = 16, ANSWERS_MOST_BYTES = 256 << 20 };

/* Rows of one direction, and for which open rows they are. */
struct kept_rows {
    bool made;
    enum row_order order;
    struct row_list list;
    struct text_buffer open;
};

struct kept_answer {
    struct text_buffer key;
    uint64_t hash;
    uint64_t used; /* when, by the count of requests */
    struct answer answer;
    const struct view *whole;
    VEC(struct thread_index) threads;
    struct row_selection selection; /* what is counted; points at `threads` and into the view of the answer */
    enum strategy strategy;
    double *first_times; /* of each call node (tree/first_times.h); NULL = not made yet */
    bool inverted_made;
    struct kept_rows rows[2];         /* top-down, inverted */
    struct ancestors ancestors;       /* of the call nodes; `jump` NULL = not made yet */
    VEC(struct thread_stacks) stacks; /* of the threads that were asked for */
    bool functions_made[FUNCTION_ORDERS];
    struct function_list functions[FUNCTION_ORDERS];
};

struct answers {
    struct kept_answer *items[ANSWERS_MOST];
    size_t count;
    uint64_t used;
    size_t most_bytes;
    struct func_matches matches;
};

void answers_init(struct answers *answers);
void answers_free(struct answers *answers);

/* The answer to a state; it lives until answers_trim(), or until ANSWERS_MOST other states were asked for. NULL with `error`
 * filled where the engine has none. */
struct kept_answer *answers_get(struct answers *answers, const struct view *whole, const struct state *state,
                                struct error *error);

/* After a request: gives back what is too much. */
void answers_trim(struct answers *answers);

/* Parts of an answer, made when they are first asked for. 0 or a negative errno. */
int kept_answer_first_times(struct kept_answer *kept, const double **first, struct error *error);
int kept_answer_tree(struct kept_answer *kept, bool inverted, struct ordered_tree *tree, struct error *error);
int kept_answer_rows(struct kept_answer *kept, bool inverted, const struct open_rows *open, enum row_order order,
                     const struct row_list **rows, struct error *error);
/* `stacks` lives until those of another thread are asked for. */
int kept_answer_stacks(struct kept_answer *kept, struct thread_index thread, const struct thread_stacks **stacks,
                       struct error *error);
int kept_answer_functions(struct kept_answer *kept, enum function_order order, const struct function_list **functions,
                          struct error *error);

#endif
