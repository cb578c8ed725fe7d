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

enum grouping { GROUP_NONE, GROUP_LIBRARY, GROUP_FILE, GROUP_CATEGORY, GROUP_CLASS, GROUP_SIZE, GROUPINGS };

/* "none", "library", …; NULL after the last. */
extern const char *const grouping_names[];

/* Makes `to` from `from`; its funcs are the groups, which have names and nothing else. What has no library is in "(no
 * library)". Sizes are no property of stacks, and made elsewhere (size_class.h). On failure `to` is empty. */
int group_view(const struct view *from, enum grouping by, struct view *to, struct error *error);

#endif
