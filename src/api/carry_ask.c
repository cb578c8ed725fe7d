#include "api/carry_ask.h"

#include "api/walk_paths.h"
#include "tree/carry.h"

#include <errno.h>
#include <stdio.h>

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

/* Their ids stay what they are, but not those of texts that markers add: these follow the profile's, which become more. */
static int check_name(struct asking *asking, const struct carrying *carrying, const struct ask *ask)
{
    if (!ask->has_name || ask->name < carrying->first_strings)
        return 0;
    char field[32];
    snprintf(field, sizeof field, "asks[%zu].name", asking->number);
    return fault_set(asking->fault, "stale", field, "%s: this text has another id now", field);
}

static int put_carried(struct asking *asking, const struct ask *ask)
{
    struct reply *reply = asking->reply;
    struct open_rows open;
    json_write_key(reply->json, "carried");
    json_write_begin_object(reply->json);
    if (ask->kind == ASK_KEYS)
        reply_put_funcs(reply, "funcs", ask->path.funcs.items, ask->path.funcs.count);
    if (ask->has_path)
        reply_put_funcs(reply, "path", ask->path.funcs.items, ask->path.funcs.count);
    if (ask->has_anchor && ask->kind != ASK_MARKER_TABLE)
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

/* What stands in the ask as a path. */
static bool carry_paths(const struct carrying *carrying, bool inverted, struct ask *ask)
{
    /* A thread and a marker. */
    if (ask->kind == ASK_MARKER_TABLE)
        return true;
    /* No path, but functions, each of which has its place in the reply. */
    if (ask->kind == ASK_KEYS) {
        for (size_t i = 0; i < ask->path.funcs.count; i++)
            ask->path.funcs.items[i] = carry_func(carrying, ask->path.funcs.items[i]);
        return true;
    }
    return carry_path(carrying, inverted, &ask->path) && carry_path(carrying, inverted, &ask->anchor) &&
           carry_path(carrying, inverted, &ask->zoom);
}

int carry_ask(struct asking *asking, const struct carrying *carrying, struct ask *ask)
{
    if (carrying->count == 0)
        return 0;
    if (!carry_paths(carrying, asking->state.inverted, ask))
        return -ENOMEM;
    ask->func = carry_func(carrying, ask->func);
    int status = check_name(asking, carrying, ask);
    if (status == 0 && ask->open.steps.count > 0)
        status = carry_open(asking, carrying, ask);
    return status == 0 ? put_carried(asking, ask) : status;
}
