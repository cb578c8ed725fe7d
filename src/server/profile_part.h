/* A part of a profile as a file of its own: the threads and the committed range of a state, and nothing of the rest. */
#ifndef SONDE_SERVER_PROFILE_PART_H
#define SONDE_SERVER_PROFILE_PART_H

#include "common/error.h"
#include "common/slice.h"

/* `packed` is the whole profile as browsers fetch it (profile_file.h), `request` one of the query API, of whose state threads
 * and range count; its numbers are those of the profile. The descriptor of another such file, which is the caller's; or a
 * negative errno, -EINVAL where the request is wrong. Takes as much memory as the profile once more. */
int profile_part_make(int packed, struct slice request, struct error *error);

#endif
