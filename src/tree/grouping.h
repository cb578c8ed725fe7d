/* Libraries, files, categories or classes in place of functions: calls within one of them are merged.
 *
 *     main   app              app
 *     └ run  app       ──▶    ├ libc.so.6
 *       ├ memcpy  libc        └ libgl.so
 *       └ draw    app
 *         └ glDraw  libgl
 */
#ifndef SONDE_TREE_GROUPING_H
#define SONDE_TREE_GROUPING_H

#include "tree/view.h"

enum grouping { GROUP_NONE, GROUP_LIBRARY, GROUP_FILE, GROUP_CATEGORY, GROUP_CLASS, GROUP_SIZE, GROUP_THREAD, GROUPINGS };

/* Sizes and threads are no property of stacks, and classes of rows (row_class.h). */
static inline bool grouping_is_of_rows(enum grouping by)
{
    return by == GROUP_SIZE || by == GROUP_THREAD;
}

/* "none", "library", …; NULL after the last. */
extern const char *const grouping_names[];

/* Makes `to` from `from`; its funcs are the groups, which have names and nothing else. What has no library is in "(no
 * library)". `by` is no grouping of rows. On failure `to` is empty. */
int group_view(const struct view *from, enum grouping by, struct view *to, struct error *error);

#endif
