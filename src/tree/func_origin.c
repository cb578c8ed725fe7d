#include "tree/func_origin.h"

#include <stdio.h>

struct func_origin func_origin(const struct func_list *funcs, uint32_t func)
{
    const struct profile *profile = funcs->profile;
    const struct resource_table *resources = &profile->resources;
    uint32_t resource = func < funcs->count ? funcs->resource[func] : INDEX_NONE;
    struct slice name = func_list_filename(funcs, func);
    bool in_library = resource < resources->rows.count && resources->rows.items[resource].type == RESOURCE_LIBRARY;
    uint32_t line = INDEX_NONE;
    if (in_library || name.length == 0)
        name = func_list_resource_name(funcs, func);
    else if (func < funcs->own_count)
        line = func_table_get(&profile->funcs, func_at(func)).line;

    struct func_origin origin;
    size_t most = sizeof origin.text - sizeof ":4294967295";
    if (name.length > most)
        name = slice_from(name, name.length - most);
    size_t length = (size_t)snprintf(origin.text, sizeof origin.text, "%.*s", (int)name.length, name.text);
    if (line != INDEX_NONE)
        snprintf(origin.text + length, sizeof origin.text - length, ":%u", line);
    return origin;
}
