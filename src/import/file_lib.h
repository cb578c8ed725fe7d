/* The library that a file is, for formats that say its path and perhaps its build id. */
#ifndef SONDE_IMPORT_FILE_LIB_H
#define SONDE_IMPORT_FILE_LIB_H

#include "profile/profile.h"

/* The end of a path. */
struct slice file_lib_name(struct slice path);

/* `code_id` is the build id as a text of hexadecimal digits, or empty. False when the heap is empty. */
bool file_lib_describe(struct profile *profile, struct slice path, struct slice code_id, struct lib *lib);

#endif
