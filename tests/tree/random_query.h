/* Random questions about a profile, and their answers as text. */
#ifndef SONDE_TESTS_TREE_RANDOM_QUERY_H
#define SONDE_TESTS_TREE_RANDOM_QUERY_H

#include "support/random_profile.h"

#include "common/text_buffer.h"
#include "tree/query.h"

enum { SEARCH_ROOM = 100 };

struct random_query {
    struct query query; /* points at what follows */
    struct thread_index threads[3];
    struct transform_list transforms;
    char search[SEARCH_ROOM];
};

/* Any transform, of funcs and resources that exist. */
struct transform random_transform(struct random *random, const struct view *whole);

/* Up to four transforms, any threads, range, implementation, search and strategy. It must not move. */
void random_query_make(struct random_query *random_query, struct random *random, const struct view *whole);
void random_query_free(struct random_query *random_query);

/* The answer, everything that is shown of it: the tree, or the inverted tree, with categories, and the functions. An error is
 * its message. To be given to free(). */
char *query_text(const struct view *whole, const struct query *query);

#endif
