/* Reads the fields of a request: each of one type and within limits, or an error that names it. */
#ifndef SONDE_API_FIELDS_H
#define SONDE_API_FIELDS_H

#include "common/arena.h"
#include "common/json_reader.h"
#include "tree/path.h"
#include "tree/view.h"

/* What is wrong with a request. The reply says all of it. */
struct fault {
    const char *code; /* NULL = nothing is wrong; else "invalid", "stale" or "unavailable" */
    char field[80];   /* "asks[2].before"; empty = the request as a whole */
    struct error what;
};

/* The first fault stays. Returns -EINVAL. */
int fault_set(struct fault *fault, const char *code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

struct fields {
    struct json_reader *reader;
    struct arena *arena; /* for texts */
    struct fault *fault;
    char object[16]; /* the object that is being read: "", "state", "asks[2]" */
    char key[48];
};

/* As the JSON reader's. `key` lives until the next call. */
bool fields_next(struct fields *fields, struct slice *key);

/* Says that the value of the last key is not what is wanted there; reading ends. */
void fields_fail(struct fields *fields, const char *wanted);

/* The value of the last key; 0, false or empty after a fault. */
double fields_time(struct fields *fields);                                   /* a number */
uint32_t fields_count(struct fields *fields, uint32_t least, uint32_t most); /* a whole number between these */
bool fields_boolean(struct fields *fields);
struct slice fields_text(struct fields *fields, size_t most);            /* up to so many bytes, kept in the arena */
struct slice fields_search(struct fields *fields, size_t most);          /* the same, a search (tree/search_terms.h) */
unsigned fields_choice(struct fields *fields, const char *const *names); /* the place in a list that ends with NULL */
void fields_funcs(struct fields *fields, struct path *path);             /* an array of whole numbers, appended */

/* [start, end], each of them possibly null, or null; a side that is null stays as it is. */
void fields_range(struct fields *fields, struct time_range *range);

/* Inside of an array that one of the above cannot read: the next item, as a whole number. */
int64_t fields_item(struct fields *fields, int64_t least, int64_t most);

void fields_out_of_memory(struct fields *fields);

#endif
