/* Arrays with several owners.
 *
 * A filter or transform changes some of a view's arrays and leaves the others alone; those are shared between the old view and
 * the new one. The number of owners is kept in front of the items. Not for use from several threads at once. */
#ifndef SONDE_TREE_SHARED_H
#define SONDE_TREE_SHARED_H

#include <stdbool.h>
#include <stddef.h>

/* `count` items of `size` bytes with one owner, contents indeterminate; NULL when the heap is empty. */
void *shared_array(size_t count, size_t size) __attribute__((warn_unused_result));

/* One owner more; returns `items`. NULL stays NULL. */
void *shared_keep(void *items);

/* One owner less; the last one frees it, and the answer is true. NULL is fine. */
bool shared_drop(void *items);

#endif
