/* Sizes of blocks in place of functions: powers of two, and between them where glibc's malloc changes its way. */
#ifndef SONDE_TREE_SIZE_CLASS_H
#define SONDE_TREE_SIZE_CLASS_H

#include "tree/view.h"

enum { SIZE_CLASSES = 48 };

/* `size` in bytes; less than one, and NaN, is as one. */
uint32_t size_class_of(double size);

/* Makes `to`, whose stacks and funcs are the classes; times and hidden threads are those of `from`. On failure `to` is empty.
 */
int size_view(const struct view *from, struct view *to, struct error *error);

#endif
