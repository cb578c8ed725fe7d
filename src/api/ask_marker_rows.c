/* marker_rows: which rows the marker chart has, and which markers are in them. */
#include "api/ask.h"

#include <errno.h>

static int put_buckets(struct asking *asking, const struct marker_layout *layout)
{
    size_t count = layout->buckets.count;
    uint32_t *numbers[3];
    bool fits = true;
    for (size_t k = 0; k < 3; k++)
        fits &= (numbers[k] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    if (!fits)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct marker_bucket *bucket = &layout->buckets.items[i];
        const uint32_t values[] = {bucket->category, bucket->row, bucket->rows};
        for (size_t k = 0; k < 3; k++)
            numbers[k][i] = values[k];
    }
    static const char *const names[] = {"category", "row", "rows"};
    json_write_key(asking->reply->json, "buckets");
    json_write_begin_object(asking->reply->json);
    for (size_t k = 0; k < 3; k++)
        reply_put_funcs(asking->reply, names[k], numbers[k], count);
    json_write_end_object(asking->reply->json);
    return 0;
}

/* Groups that have a row in what is asked for, and whether there are more than are given at once. */
static size_t find_groups(const struct marker_layout *layout, const struct ask *ask, size_t *first, bool *more)
{
    size_t count = layout->groups.count, end;
    for (*first = 0; *first < count; ++*first)
        if (layout->groups.items[*first].row + layout->groups.items[*first].rows > ask->depth[0])
            break;
    for (end = *first; end < count && layout->groups.items[end].row < ask->depth[1]; end++)
        continue;
    *more = end - *first > REQUEST_MAX_ROWS;
    return *more ? REQUEST_MAX_ROWS : end - *first;
}

static int put_groups(struct asking *asking, const struct marker_layout *layout, size_t first, size_t count)
{
    struct reply *reply = asking->reply;
    uint32_t *numbers[6];
    uint8_t *kind = asking_array(asking, count, sizeof *kind);
    bool fits = kind != NULL;
    for (size_t k = 0; k < 6; k++)
        fits &= (numbers[k] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    if (!fits)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct marker_group *group = &layout->groups.items[first + i];
        const uint32_t values[] = {group->bucket, group->name.i, group->thread, group->row, group->rows, group->count};
        for (size_t k = 0; k < 6; k++)
            numbers[k][i] = values[k];
        kind[i] = group->intervals;
        reply_use_string(reply, group->name);
    }
    static const char *const names[] = {"bucket", "name", "thread", "row", "rows", "count"};
    reply_begin_columns(reply);
    for (size_t k = 0; k < 6; k++)
        reply_column(reply, names[k], REPLY_U32, numbers[k], count);
    reply_column(reply, "kind", REPLY_U8, kind, count);
    reply_end_columns(reply);
    return 0;
}

int ask_marker_rows(struct asking *asking, const struct ask *ask)
{
    struct marker_set *set;
    const struct marker_layout *layout;
    int status = asking_marker_layout(asking, ask, &set, &layout);
    if (status != 0)
        return status;
    reply_put_count(asking->reply, "markers", set->markers.items.count);
    reply_put_count(asking->reply, "rows", layout->rows);
    if (layout->pinned)
        reply_put_boolean(asking->reply, "pinned", true);
    status = put_buckets(asking, layout);
    if (status != 0)
        return status;
    size_t first;
    bool more;
    size_t count = find_groups(layout, ask, &first, &more);
    reply_put_boolean(asking->reply, "more", more);
    return put_groups(asking, layout, first, count);
}
