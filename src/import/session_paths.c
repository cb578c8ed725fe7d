#include "import/session_paths.h"

#include <string.h>

int session_paths_add(void *data, const char *path, struct error *error)
{
    struct session_paths *paths = data;
    size_t size = strlen(path) + 1;
    char *copy = memory_array(size, 1);
    if (!copy || !vec_push(&paths->items, copy)) {
        memory_release(copy);
        return error_out_of_memory(error);
    }
    memcpy(copy, path, size);
    return 0;
}

void session_paths_free(struct session_paths *paths)
{
    for (size_t i = 0; i < paths->items.count; i++)
        memory_release(paths->items.items[i]);
    vec_free(&paths->items);
}
