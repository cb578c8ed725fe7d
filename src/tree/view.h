/* A view: one thread's (or several threads') samples and the stack table, as filters and transforms have left them.
 *
 * Views are plain arrays for speed. A filter or transform makes a new view from an old one and leaves the old one alone, so
 * taking the top of a transform stack away gives back exactly what was there before. Arrays that a step does not change are
 * shared between the views, by reference count (struct shared_array). */
#ifndef SONDE_TREE_VIEW_H
#define SONDE_TREE_VIEW_H

#include "common/error.h"
#include "profile/profile.h"

/* Which frames are shown. */
enum implementation { IMPLEMENTATION_COMBINED, IMPLEMENTATION_JS, IMPLEMENTATION_CPP };

#endif
