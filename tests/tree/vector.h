/* A vector of the call tree: a profile, a question about it, and the answer the Firefox Profiler gives. */
#ifndef SONDE_TESTS_TREE_VECTOR_H
#define SONDE_TESTS_TREE_VECTOR_H

#include "support/json_document.h"

#include "tree/query.h"

/* What is asked, with everything that the query points to. */
struct question {
    struct query query;
    struct thread_index thread;
    struct transform_list transforms;
    struct path selected;
};

/* `options` holds `implementation`, `invert` and so on; names of functions are looked up in `whole`. Whatever goes wrong fails
 * the test. `question` must not move. */
void question_read(struct question *question, const struct view *whole, const struct json_document *document,
                   const uint8_t *options, const uint8_t *transforms);
void question_free(struct question *question);

struct vector {
    struct profile profile;
    struct view whole;
    struct question question;
};

/* Imports the profile and reads the question. */
void vector_open(struct vector *vector, const struct json_document *document, const uint8_t *json);
void vector_close(struct vector *vector);

/* Imports the processed profile that a JSON value is. */
void import_value(const struct json_document *document, const uint8_t *value, struct profile *profile);

/* The one func of that name; the func that stands for the resource of that name; INDEX_NONE. */
uint32_t func_named(const struct func_list *funcs, struct slice name);

/* Replaces `path` by the funcs with these names. */
void path_of_names(const struct json_document *document, const struct func_list *funcs, const uint8_t *names,
                   struct path *path);

/* Makes a test of each item of a file's top-level array, named by its `name`, and runs them all. */
int run_vectors(const char *path, void (*test)(void **state));

/* What `state` points to then. */
struct vector_item {
    const struct json_document *document;
    const uint8_t *json;
    char *name;
};

#endif
