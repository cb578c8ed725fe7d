/* Classes of samples and allocations in place of functions: threads, or the sizes of blocks. Other than libraries or files
 * (grouping.h) these are no property of stacks. */
#ifndef SONDE_TREE_ROW_CLASS_H
#define SONDE_TREE_ROW_CLASS_H

#include "tree/grouping.h"
#include "tree/size_class.h"

/* So many there are: one for each thread of the profile, or for each class of sizes. */
static inline size_t row_class_count(const struct profile *profile, enum grouping by)
{
    return by == GROUP_THREAD ? profile->threads.count : SIZE_CLASSES;
}

/* Which class rows of a table belong to. */
struct row_classes {
    enum grouping by;       /* GROUP_SIZE or GROUP_THREAD */
    const uint8_t *counted; /* for each stack of the profile: whether its rows count at all */
};

/* Of an allocation in the table of `owner`: the thread of that process with this number, else the owner. */
struct thread_index row_class_thread(const struct profile *profile, struct thread_index owner, int64_t tid);

/* Makes `to`, whose stacks and funcs are the classes; times and hidden threads are those of `from`. On failure `to` is empty.
 */
int row_class_view(const struct view *from, enum grouping by, struct view *to, struct error *error);

#endif
