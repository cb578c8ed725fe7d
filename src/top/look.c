#include "top/look.h"

#include "api/heavy_path.h"
#include "api/walk_paths.h"

#include <errno.h>

/* ---- asking ---- */

static void free_answer(struct answer *answer)
{
    if (answer)
        answer_free(answer);
    memory_release(answer);
}

static void point_query(struct look *look)
{
    look->query.threads = look->threads.items;
    look->query.thread_count = look->threads.count;
    look->query.transforms = look->transforms.items.items;
    look->query.transform_count = look->transforms.items.count;
}

/* A new answer in place of the one that there is, which stays where that fails. */
static int ask(struct look *look)
{
    struct answer *answer = memory_zeroed(1, sizeof *answer);
    point_query(look);
    if (!answer)
        return error_out_of_memory(&look->error);
    int status = query_run(look->whole, &look->query, answer, &look->error);
    if (status != 0) {
        memory_release(answer);
        return status;
    }
    free_answer(look->answer);
    look->answer = answer;
    look->generation++;
    return 0;
}

static bool close_all(struct look *look)
{
    open_rows_free(&look->open);
    return open_rows_read(&look->open, NULL, 0);
}

/* Nothing open but the heaviest path. */
static int show_first(struct look *look)
{
    struct ordered_tree tree = look_tree(look);
    struct path path = {0};
    bool fits = close_all(look);
    int status = fits ? heavy_path_extend(&tree, HEAVY_SPLIT, &path, &look->error) : error_out_of_memory(&look->error);
    if (status == 0 && path.funcs.count > 0 && !open_rows_open(&look->open, &path))
        status = error_out_of_memory(&look->error);
    if (status == 0)
        status = look_show_node(look, INDEX_NONE);
    path_free(&path);
    return status;
}

static bool transform_copy(struct transform *to, const struct transform *from)
{
    *to = *from;
    to->path = (struct path){0};
    to->text = NULL;
    if (!path_copy(&to->path, &from->path))
        return false;
    if (!from->text)
        return true;
    size_t size = strlen(from->text) + 1;
    to->text = memory_array(size, 1);
    if (to->text)
        memcpy(to->text, from->text, size);
    return to->text != NULL;
}

int look_open(struct look *look, const struct view *whole, const struct query *query)
{
    *look = (struct look){.profile = whole->profile, .whole = whole, .query = *query};
    if (!vec_reserve(&look->threads, query->thread_count) || !vec_reserve(&look->transforms.items, query->transform_count) ||
        !close_all(look))
        return error_out_of_memory(&look->error);
    for (size_t i = 0; i < query->thread_count; i++)
        look->threads.items[look->threads.count++] = query->threads[i];
    for (size_t i = 0; i < query->transform_count; i++) {
        struct transform *copy = &look->transforms.items.items[look->transforms.items.count++];
        if (!transform_copy(copy, &query->transforms[i]))
            return error_out_of_memory(&look->error);
    }
    int status = ask(look);
    if (status == 0)
        status = show_first(look);
    if (status == 0 && query->selected)
        status = look_show_path(look, &look->answer->selected);
    look->query.selected = NULL;
    return status;
}

static void free_before(struct look_before *before)
{
    vec_free(&before->open.steps);
    path_free(&before->chosen);
}

void look_free(struct look *look)
{
    for (size_t i = 0; i < look->befores.count; i++)
        free_before(&look->befores.items[i]);
    vec_free(&look->befores);
    vec_free(&look->rows);
    open_rows_free(&look->open);
    free_answer(look->answer);
    transform_list_free(&look->transforms);
    vec_free(&look->threads);
}

/* ---- changes ---- */

/* Asks, and chooses what was chosen. */
static int ask_and_stay(struct look *look)
{
    struct path path = {0};
    int status = look_path(look, look->chosen, &path) ? ask(look) : error_out_of_memory(&look->error);
    if (status == 0)
        status = look_show_path(look, &path);
    /* Nothing of it is there any more. */
    if (status == 0 && path.funcs.count == 0)
        status = show_first(look);
    path_free(&path);
    return status;
}

int look_ask(struct look *look, const struct query *query)
{
    struct query before = look->query;
    look->query = *query;
    int status = ask_and_stay(look);
    if (status != 0)
        look->query = before;
    point_query(look);
    return status;
}

int look_at_threads(struct look *look, const struct thread_index *threads, size_t count)
{
    __typeof__(look->threads) before = look->threads;
    look->threads = (__typeof__(look->threads)){0};
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        if (!vec_push(&look->threads, threads[i]))
            status = error_out_of_memory(&look->error);
    if (status == 0)
        status = ask_and_stay(look);
    if (status != 0) {
        vec_free(&look->threads);
        look->threads = before;
        point_query(look);
    } else {
        vec_free(&before);
    }
    return status;
}

/* The function that was chosen is chosen again; what was open has another meaning on the other side. */
int look_invert(struct look *look)
{
    uint32_t func = look_func(look);
    look->query.inverted = !look->query.inverted;
    int status = ask(look);
    if (status != 0) {
        look->query.inverted = !look->query.inverted;
        return status;
    }
    status = show_first(look);
    if (status == 0 && func != INDEX_NONE && (look->query.inverted || look->chosen > 0))
        status = look_go_to_func(look, func);
    return status;
}

/* ---- transforms ---- */

/* What becomes of open rows and of the chosen one with the last transform. Where too much is open, all is closed. */
static int follow(struct look *look, const struct look_before *before, struct open_walk *open, struct path *chosen)
{
    struct walk_paths paths;
    int status = walk_paths_read(&paths, &before->open, 1);
    if (status == 0 && !path_copy(&paths.paths.items[0], &before->chosen))
        status = -ENOMEM;
    if (status == 0)
        status = query_follow(look->whole, &look->query, look->transforms.items.count - 1, paths.paths.items, paths.paths.count,
                              &look->error);
    if (status == 0) {
        *chosen = paths.paths.items[0];
        paths.paths.items[0] = (struct path){0};
        status = walk_paths_write(&paths, open) ? 0 : -ENOMEM;
    }
    walk_paths_free(&paths);
    if (status == -ENOMEM)
        return error_out_of_memory(&look->error);
    return status == -E2BIG ? 0 : status;
}

/* Shows the answer that there is, with these rows open. */
static int show(struct look *look, const struct open_walk *open, struct path *chosen)
{
    open_rows_free(&look->open);
    if (!open_rows_read(&look->open, open->steps.items, open->steps.count))
        return close_all(look) ? error_out_of_memory(&look->error) : -ENOMEM;
    return look_show_path(look, chosen);
}

static int remember(struct look *look, struct look_before *before)
{
    *before = (struct look_before){.inverted = look->query.inverted};
    bool fits = look_path(look, look->chosen, &before->chosen) && open_rows_walk(&look->open, &before->open);
    return fits ? 0 : error_out_of_memory(&look->error);
}

int look_add(struct look *look, struct transform *transform)
{
    struct look_before before;
    struct open_walk open = {0};
    struct path chosen = {0};
    int status = remember(look, &before);
    bool added =
        status == 0 && vec_reserve(&look->befores, look->befores.count + 1) && vec_push(&look->transforms.items, *transform);
    if (!added) {
        transform_free(transform);
        free_before(&before);
        return error_out_of_memory(&look->error);
    }
    point_query(look);
    status = follow(look, &before, &open, &chosen);
    if (status == 0)
        status = ask(look);
    if (status == 0) {
        look->befores.items[look->befores.count++] = before;
        status = show(look, &open, &chosen);
    } else {
        transform_free(&look->transforms.items.items[--look->transforms.items.count]);
        point_query(look);
        free_before(&before);
    }
    vec_free(&open.steps);
    path_free(&chosen);
    return status;
}

int look_take_back(struct look *look)
{
    if (look->transforms.items.count == 0)
        return -ENOENT;
    struct transform taken = look->transforms.items.items[--look->transforms.items.count];
    struct path chosen = {0};
    int status = look_path(look, look->chosen, &chosen) ? ask(look) : error_out_of_memory(&look->error);
    if (status != 0) {
        look->transforms.items.items[look->transforms.items.count++] = taken;
        point_query(look);
    } else if (look->befores.count > 0) {
        struct look_before *before = &look->befores.items[--look->befores.count];
        status = before->inverted == look->query.inverted ? show(look, &before->open, &before->chosen)
                                                          : look_show_path(look, &chosen);
        free_before(before);
        transform_free(&taken);
    } else {
        status = look_show_path(look, &chosen);
        transform_free(&taken);
    }
    path_free(&chosen);
    return status;
}
