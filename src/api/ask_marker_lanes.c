/* marker_lanes: the markers of threads as lanes of the timeline. */
#include "api/ask.h"

#include "api/marks.h"

#include <errno.h>

/* Marks of a track are on rows of their own: its place times NESTING_LEVELS, and the level. */
static int draw_lane(struct asking *asking, size_t track, uint32_t thread, struct mark_list *marks)
{
    const struct marker_list *list;
    const struct marker_nesting *nesting;
    struct error error = {0};
    int status = marker_store_thread(asking->markers, thread_at(thread), &list, &error);
    if (status == 0)
        status = marker_store_nesting(asking->markers, thread_at(thread), &nesting, &error);
    if (status != 0)
        return status;
    struct mark_row rows[NESTING_LEVELS];
    for (uint32_t level = 0; level < NESTING_LEVELS; level++)
        rows[level] = mark_row_start(marks, (uint32_t)track * NESTING_LEVELS + level);
    for (size_t i = 0; i < nesting->items.count && status == 0; i++) {
        struct nested_marker nested = nesting->items.items[i];
        const struct marker *marker = &list->items.items[nested.index];
        if (marker->start > marks->range.end)
            break;
        if (marker_over(marker) >= marks->range.start)
            status = mark_row_add(&rows[nested.level], (struct marker_ref){thread, nested.index}, marker);
    }
    return status;
}

static int put_lanes(struct asking *asking, const struct mark_list *marks)
{
    struct reply *reply = asking->reply;
    size_t count = marks->items.count;
    uint16_t *track = asking_array(asking, count, sizeof *track);
    uint8_t *level = asking_array(asking, count, sizeof *level);
    uint32_t *name = asking_array(asking, count, sizeof *name);
    if (!track || !level || !name)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct mark *mark = &marks->items.items[i];
        struct string_index text = marker_store_get(asking->markers, mark->marker)->name;
        track[i] = (uint16_t)(mark->row / NESTING_LEVELS);
        level[i] = (uint8_t)(mark->row % NESTING_LEVELS);
        name[i] = text.i;
        reply_use_string(reply, text);
    }
    asking_put_range(asking, marks->range);
    reply_put_count(reply, "width", marks->width);
    reply_begin_columns(reply);
    reply_column(reply, "track", REPLY_U16, track, count);
    reply_column(reply, "level", REPLY_U8, level, count);
    int status = marks_put(asking, marks);
    reply_column(reply, "name", REPLY_ID, name, count);
    reply_end_columns(reply);
    return status;
}

int ask_marker_lanes(struct asking *asking, const struct ask *ask)
{
    struct mark_list marks = {.range = asking_range(asking, false), .width = ask->width};
    for (size_t i = 0; i < ask->tracks.count; i++)
        if (ask->tracks.items[i] >= asking->profile->threads.count)
            return asking_refuse(asking, "threads", "there is no thread %u", ask->tracks.items[i]);
    if (range_is_empty(marks.range))
        return asking_refuse(asking, NULL, "the range is empty, there is nothing to be drawn");
    int status = asking_markers(asking);
    for (size_t i = 0; i < ask->tracks.count && status == 0; i++)
        status = draw_lane(asking, i, ask->tracks.items[i], &marks);
    if (status == -E2BIG)
        status = asking_refuse(asking, NULL, "there are more than %d marks", MARKS_MOST);
    if (status == 0)
        status = put_lanes(asking, &marks);
    vec_free(&marks.items);
    return status;
}
