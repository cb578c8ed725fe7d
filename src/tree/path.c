#include "tree/path.h"

bool path_push(struct path *path, uint32_t func)
{
    return vec_push(&path->funcs, func);
}

bool path_copy(struct path *to, const struct path *from)
{
    if (!vec_reserve(&to->funcs, from->funcs.count))
        return false;
    to->funcs.count = from->funcs.count;
    for (size_t i = 0; i < from->funcs.count; i++)
        to->funcs.items[i] = from->funcs.items[i];
    return true;
}

void path_free(struct path *path)
{
    vec_free(&path->funcs);
}

/* ---- showing a path under another implementation ---- */

/* The first stack whose shown functions are those of the path; INDEX_NONE in *found where there is none. */
static int find_stack(const struct path *path, const struct view *view, enum implementation shown, uint32_t *found,
                      struct error *error)
{
    *found = INDEX_NONE;
    uint32_t *matched = memory_array(view->count, sizeof *matched);
    if (!matched)
        return error_out_of_memory(error);
    size_t length = path->funcs.count;
    for (uint32_t stack = 0; stack < view->count && *found == INDEX_NONE; stack++) {
        uint32_t prefix = view->prefix[stack], func = view->func[stack];
        uint32_t so_far = prefix == INDEX_NONE ? 0 : matched[prefix];
        matched[stack] = so_far;
        if (so_far >= length || !func_list_shows(view->funcs, shown, func))
            continue;
        matched[stack] = func == path->funcs.items[so_far] ? so_far + 1 : UINT32_MAX;
        if (matched[stack] == length)
            *found = stack;
    }
    memory_release(matched);
    return 0;
}

static int path_restore(struct path *path, const struct view *view, enum implementation shown, struct error *error)
{
    uint32_t stack;
    int status = find_stack(path, view, shown, &stack, error);
    if (status != 0)
        return status;
    path->funcs.count = 0;
    for (; stack != INDEX_NONE; stack = view->prefix[stack])
        if (!path_push(path, view->func[stack]))
            return error_out_of_memory(error);
    for (size_t i = 0, k = path->funcs.count; i + 1 < k; i++) {
        uint32_t func = path->funcs.items[i];
        path->funcs.items[i] = path->funcs.items[--k];
        path->funcs.items[k] = func;
    }
    return 0;
}

int path_switch_implementation(struct path *path, const struct view *view, enum implementation from, enum implementation to,
                               struct error *error)
{
    if (from == to)
        return 0;
    int status = from == IMPLEMENTATION_COMBINED ? 0 : path_restore(path, view, from, error);
    size_t kept = 0;
    for (size_t i = 0; i < path->funcs.count; i++)
        if (func_list_shows(view->funcs, to, path->funcs.items[i]))
            path->funcs.items[kept++] = path->funcs.items[i];
    path->funcs.count = kept;
    return status;
}
