#include "api/follow.h"

#include "api/walk_paths.h"

#include <errno.h>

/* The path and the anchor of the ask come first, then a path for each place of the walk. */
enum { OWN_PATHS = 2 };

static int follow(struct asking *asking, struct ask *ask, struct walk_paths *rows)
{
    struct query query = asking->state.query;
    struct error error = {0};
    query.inverted = asking->state.inverted;
    rows->paths.items[0] = ask->path;
    rows->paths.items[1] = ask->anchor;
    ask->path = ask->anchor = (struct path){0};
    if (query_follow(asking->whole, &query, ask->since, rows->paths.items, rows->paths.count, &error) != 0)
        return asking_failed(asking, &error);
    ask->path = rows->paths.items[0];
    ask->anchor = rows->paths.items[1];
    rows->paths.items[0] = rows->paths.items[1] = (struct path){0};
    return walk_paths_write(rows, &ask->open) ? 0 : -ENOMEM;
}

int follow_ask(struct asking *asking, struct ask *ask)
{
    if (ask->since > asking->state.query.transform_count)
        return asking_refuse(asking, "since", "there are no more than %zu transforms", asking->state.query.transform_count);
    struct walk_paths rows;
    int status = walk_paths_read(&rows, &ask->open, OWN_PATHS);
    if (status == -E2BIG)
        status = asking_refuse(asking, "open", "the paths have more than %d functions together", WALK_MOST_FUNCS);
    if (status == 0)
        status = follow(asking, ask, &rows);
    walk_paths_free(&rows);
    return status;
}
