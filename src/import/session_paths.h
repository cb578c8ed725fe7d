/* The paths of a session's files, collected from its folder. */
#ifndef SONDE_IMPORT_SESSION_PATHS_H
#define SONDE_IMPORT_SESSION_PATHS_H

#include "common/error.h"
#include "common/vec.h"

/* Zero: none. */
struct session_paths {
    VEC(char *) items;
};

/* Appends a copy of `path` to `paths`, a struct session_paths: for session_folder_visit(). */
int session_paths_add(void *paths, const char *path, struct error *error);
void session_paths_free(struct session_paths *paths);

#endif
