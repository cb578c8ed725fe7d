/* What the asks of one request have in common, and one function for each kind of ask.
 *
 * An ask writes the fields of its part of the reply; the object around them is there already. It returns 0, -EINVAL with
 * `fault` filled, -EAGAIN where a source has to be looked for first, or -ENOMEM: in all these cases what was written is thrown
 * away. */
#ifndef SONDE_API_ASK_H
#define SONDE_API_ASK_H

#include "api/answers.h"
#include "api/comparisons.h"
#include "api/first_view.h"
#include "api/marker_sets.h"
#include "api/reply.h"
#include "api/sources.h"

#include <math.h>

struct asking {
    const struct profile *profile;
    const struct view *whole;
    struct answers *answers;
    const struct first_view *first;
    const struct thread_index *initial; /* threads to be seen first */
    size_t initial_count;
    double start;      /* the time, on the profile's own clock, that times in requests and replies count from */
    double root_start; /* the range without a range, on the same clock */
    double root_end;
    struct state state;
    struct kept_answer *kept; /* to that state; NULL until asking_answer() */
    struct marker_store *markers;
    struct marker_sets *marker_sets;
    struct base_profile *base; /* NULL = there is nothing to compare with */
    struct kept_comparison *comparison;
    struct reply *reply;
    struct fault *fault;
    const struct api_sources *sources; /* NULL = nobody has files */
    bool symbols_arrive;               /* of modules that nothing is noted of yet */
    struct arena *arena;               /* for what lives until the reply is complete */
    size_t number;                     /* of the ask: its place in the request */
};

/* The rows of the marker chart, as the ask arranges them, of the markers of the state. What asks return. */
int asking_marker_layout(struct asking *asking, const struct ask *ask, struct marker_set **set,
                         const struct marker_layout **layout);

/* Makes asking->kept. */
int asking_answer(struct asking *asking);

/* The committed range, else that of the profile; with `preview` what the preview range leaves of it. The timeline ignores
 * that, it is the panels' alone. */
struct time_range asking_range(const struct asking *asking, bool preview);

/* Nothing can be drawn in it. */
bool range_is_empty(struct time_range range);

/* `range` of a part. */
void asking_put_range(struct asking *asking, struct time_range range);

/* Opens asking->markers; the reply may name texts of theirs from now on. */
int asking_markers(struct asking *asking);

/* The markers of the state. */
int asking_marker_set(struct asking *asking, struct marker_set **set);

/* Says what is wrong with a field of the ask (NULL: the ask as a whole). Returns -EINVAL. */
int asking_refuse(struct asking *asking, const char *field, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An error of the engine as what asks return. */
int asking_failed(struct asking *asking, const struct error *error);

/* For each func whether the ask highlights it; NULL where the ask highlights nothing. */
int asking_highlight(struct asking *asking, const struct ask *ask, const uint8_t **matches);

/* `count` items of `size` bytes in the arena; NULL when the heap is empty. */
void *asking_array(struct asking *asking, size_t count, size_t size);

int ask_open(struct asking *asking, const struct ask *ask);
int ask_rows(struct asking *asking, const struct ask *ask);
int ask_open_rows(struct asking *asking, const struct ask *ask); /* toggle, open_all, open_heavy */
int ask_find(struct asking *asking, const struct ask *ask);
int ask_node(struct asking *asking, const struct ask *ask);
int ask_tracks(struct asking *asking, const struct ask *ask);
int ask_sample_at(struct asking *asking, const struct ask *ask);
int ask_flame(struct asking *asking, const struct ask *ask);
int ask_butterfly(struct asking *asking, const struct ask *ask);
int ask_stack_chart(struct asking *asking, const struct ask *ask);
int ask_range(struct asking *asking, const struct ask *ask);
int ask_export(struct asking *asking, const struct ask *ask);
int ask_call_sites(struct asking *asking, const struct ask *ask);
int ask_groups(struct asking *asking, const struct ask *ask);
int ask_lines(struct asking *asking, const struct ask *ask);
int ask_keys(struct asking *asking, const struct ask *ask);
int ask_funcs(struct asking *asking, const struct ask *ask);
int ask_marker_rows(struct asking *asking, const struct ask *ask);
int ask_marker_chart(struct asking *asking, const struct ask *ask);
int ask_marker_table(struct asking *asking, const struct ask *ask);
int ask_marker(struct asking *asking, const struct ask *ask);
int ask_marker_stats(struct asking *asking, const struct ask *ask);
int ask_marker_lanes(struct asking *asking, const struct ask *ask);
int ask_source(struct asking *asking, const struct ask *ask);
int ask_instructions(struct asking *asking, const struct ask *ask);
int ask_modules(struct asking *asking, const struct ask *ask);
int ask_compare(struct asking *asking, const struct ask *ask);

#endif
