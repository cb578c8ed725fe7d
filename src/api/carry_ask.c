#include "api/carry_ask.h"

#include "api/walk_paths.h"
#include "tree/carry.h"

#include <errno.h>

static bool carry_path(const struct carrying *carrying, bool inverted, struct path *path)
{
    bool fits = true;
    for (size_t i = 0; i < carrying->count && fits; i++)
        fits = path_carry(path, &carrying->changes[i], inverted);
    return fits;
}

static int carry_open(struct asking *asking, const struct carrying *carrying, struct ask *ask)
{
    struct walk_paths rows;
    int status = walk_paths_read(&rows, &ask->open, 0);
    for (size_t i = 0; i < rows.paths.count && status == 0; i++)
        status = carry_path(carrying, asking->state.inverted, &rows.paths.items[i]) ? 0 : -ENOMEM;
    if (status == 0 && !walk_paths_write(&rows, &ask->open))
        status = -ENOMEM;
    walk_paths_free(&rows);
    if (status == -E2BIG)
        return asking_refuse(asking, "open", "the paths have more than %d functions together", WALK_MOST_FUNCS);
    return status;
}

/* The function that the address of one is in now. */
static uint32_t carry_func(const struct carrying *carrying, uint32_t func)
{
    for (size_t i = 0; i < carrying->count; i++)
        func = *func_changes_of(&carrying->changes[i], &func).funcs;
    return func;
}

static int put_carried(struct asking *asking, const struct ask *ask)
{
    struct reply *reply = asking->reply;
    struct open_rows open;
    json_write_key(reply->json, "carried");
    json_write_begin_object(reply->json);
    if (ask->has_path)
        reply_put_funcs(reply, "path", ask->path.funcs.items, ask->path.funcs.count);
    if (ask->has_anchor)
        reply_put_funcs(reply, "anchor", ask->anchor.funcs.items, ask->anchor.funcs.count);
    if (ask->open.steps.count > 0) {
        if (!open_rows_read(&open, ask->open.steps.items, ask->open.steps.count))
            return -ENOMEM;
        json_write_key(reply->json, "open");
        open_rows_write(&open, reply->json);
        open_rows_free(&open);
    }
    if (ask->zoom.funcs.count > 0)
        reply_put_funcs(reply, "zoom", ask->zoom.funcs.items, ask->zoom.funcs.count);
    if (ask->has_func)
        reply_put_count(reply, "func", ask->func);
    json_write_end_object(reply->json);
    return 0;
}

int carry_ask(struct asking *asking, const struct carrying *carrying, struct ask *ask)
{
    bool inverted = asking->state.inverted;
    if (carrying->count == 0)
        return 0;
    if (!carry_path(carrying, inverted, &ask->path) || !carry_path(carrying, inverted, &ask->anchor) ||
        !carry_path(carrying, inverted, &ask->zoom))
        return -ENOMEM;
    ask->func = carry_func(carrying, ask->func);
    int status = ask->open.steps.count > 0 ? carry_open(asking, carrying, ask) : 0;
    return status == 0 ? put_carried(asking, ask) : status;
}
