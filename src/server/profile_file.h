/* The profile as browsers fetch it: the processed format, packed with gzip, in a file without a name. It is written once,
 * before anybody asks, so that a request waits for nothing and takes no memory of its own. */
#ifndef SONDE_SERVER_PROFILE_FILE_H
#define SONDE_SERVER_PROFILE_FILE_H

#include "profile/profile.h"

/* The descriptor, which is the caller's, or a negative errno. */
int profile_file_make(const struct profile *profile, struct error *error);

#endif
