/* Transforms in addresses of the Firefox Profiler: tuples such as `f-js-1w3-i` or `mf-12`, joined by `~`. */
#ifndef SONDE_TREE_TRANSFORM_URL_H
#define SONDE_TREE_TRANSFORM_URL_H

#include "common/text_buffer.h"
#include "tree/transform.h"

/* Lists of funcs, such as `vB7x0wx3`: each number in digits of five bits, most significant first, with a sixth bit set in all
 * but the last; a leading zero digit (`w`) stands for all numbers between the one before and the one after it. */
void func_list_text_encode(const struct path *path, struct text_buffer *out);

/* Replaces `path`. False when the heap is empty, and where the text stands for more numbers than any stack has frames. */
bool func_list_text_decode(struct slice text, struct path *path);

/* All transforms of a thread. */
void transforms_encode(const struct transform *transforms, size_t count, struct text_buffer *out);

/* Appends to `out`. What cannot be understood is left out, as the Firefox Profiler does; only a sample filter of an unknown
 * kind is an error. Indices are not checked: transforms take those that do not exist for functions that are in no stack. */
int transforms_decode(struct slice text, struct transform_list *out, struct error *error);

#endif
