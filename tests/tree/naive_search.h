/* Searches done once more in the simplest way: one frame and one term at a time, with the regular expressions of the C
 * library. Only for texts without escapes and without commas in expressions, as random_search_text() makes them. */
#ifndef SONDE_TESTS_TREE_NAIVE_SEARCH_H
#define SONDE_TESTS_TREE_NAIVE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/slice.h"

struct naive_frame {
    struct slice name, library, file, category;
};

/* Whether the search keeps a sample. */
bool naive_search_keeps(const char *search, const struct naive_frame *frames, size_t count, struct slice thread);

/* Whether it chooses the function of a frame. */
bool naive_search_chooses(const char *search, const struct naive_frame *frame);

#endif
