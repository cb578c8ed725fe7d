/* The state of a request made into a query of the engine, and a text that equal states have in common. */
#ifndef SONDE_API_STATE_H
#define SONDE_API_STATE_H

#include "api/generations.h"
#include "api/request.h"
#include "tree/query.h"

struct state {
    struct query query; /* points at what follows: a state must not move */
    VEC(struct thread_index) threads;
    struct transform_list transforms;
    bool inverted;              /* not in the query: one answer serves both directions */
    struct slice marker_search; /* nor this: markers are not of the answer */
    struct text_buffer key;
};

/* `initial` are the threads of a state that names none, `start` is the time that times of requests count from;
 * with `carrying`
 * (NULL = of now) transforms are of an earlier generation; one that is wrong there makes the request stale. 0, -EINVAL with
 * `fault` filled, or -ENOMEM. `state` needs no initialisation and is to be freed in any case. */
int state_read(const struct view_state *read, const struct view *whole, const struct thread_index *initial,
               size_t initial_count, double start, const struct carrying *carrying, struct state *state, struct fault *fault);
void state_free(struct state *state);

/* Appends what tells the query from others, with its ranges or without. */
void state_add_key(const struct query *query, const struct view *whole, bool with_ranges, struct text_buffer *key);

#endif
