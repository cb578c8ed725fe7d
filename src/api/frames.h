/* A stack of the profile as columns of a part. */
#ifndef SONDE_API_FRAMES_H
#define SONDE_API_FRAMES_H

#include "api/ask.h"

/* The innermost `most` frames of a stack of the profile (INDEX_NONE: of none), leaf first, as `columns`; `more` says whether
 * there are others. 0 or -ENOMEM. */
int frames_put(struct asking *asking, uint32_t stack, size_t most);

#endif
