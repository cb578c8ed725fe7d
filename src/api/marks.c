#include "api/marks.h"

#include <errno.h>
#include <math.h>

/* A time as a place between 0 and the width. */
static double place_of(const struct mark_list *list, double time)
{
    double place = (time - list->range.start) / (list->range.end - list->range.start) * list->width;
    return fmin(fmax(place, 0), list->width);
}

static uint32_t left_of(const struct mark_list *list, const struct marker *marker)
{
    return (uint32_t)fmin(floor(place_of(list, marker->start)), list->width - 1);
}

/* The first pixel behind it. */
static uint32_t right_of(const struct mark_list *list, const struct marker *marker)
{
    return (uint32_t)fmax(left_of(list, marker) + 1, floor(place_of(list, marker_over(marker)) + 0.5));
}

struct mark_row mark_row_start(struct mark_list *list, uint32_t row)
{
    return (struct mark_row){.list = list, .row = row, .last = SIZE_MAX};
}

bool mark_row_shows(const struct mark_row *row, const struct marker *marker)
{
    return right_of(row->list, marker) > row->free;
}

uint8_t marker_flags(const struct marker *marker)
{
    unsigned moment = marker_has_end(marker) ? 0 : MARK_MOMENT;
    return (uint8_t)(moment | (marker->incomplete ? MARK_CUT_OFF : 0));
}

int mark_row_add(struct mark_row *row, struct marker_ref ref, const struct marker *marker)
{
    struct mark_list *list = row->list;
    if (!mark_row_shows(row, marker)) {
        list->items.items[row->last].flags |= MARK_OF_SEVERAL;
        return 0;
    }
    if (list->items.count == MARKS_MOST)
        return -E2BIG;
    uint32_t left = left_of(list, marker), right = right_of(list, marker);
    left = left > row->free ? left : row->free;
    unsigned flags = marker_flags(marker);
    flags |= marker->start < list->range.start ? MARK_FROM_BEFORE : 0;
    flags |= marker_over(marker) > list->range.end ? MARK_GOES_ON : 0;
    struct mark mark = {ref, row->row, (uint16_t)left, (uint16_t)(right - left), (uint8_t)flags};
    if (!vec_push(&list->items, mark))
        return -ENOMEM;
    row->free = right;
    row->last = list->items.count - 1;
    return 0;
}

int marks_put(struct asking *asking, const struct mark_list *list)
{
    size_t count = list->items.count;
    uint32_t *thread = asking_array(asking, count, sizeof *thread), *marker = asking_array(asking, count, sizeof *marker);
    uint16_t *left = asking_array(asking, count, sizeof *left), *width = asking_array(asking, count, sizeof *width);
    uint16_t *category = asking_array(asking, count, sizeof *category);
    uint8_t *flags = asking_array(asking, count, sizeof *flags);
    if (!thread || !marker || !left || !width || !category || !flags)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct mark *mark = &list->items.items[i];
        thread[i] = mark->marker.thread;
        marker[i] = mark->marker.index;
        left[i] = mark->left;
        width[i] = mark->width;
        category[i] = (uint16_t)marker_category(asking->profile, marker_store_get(asking->markers, mark->marker));
        flags[i] = mark->flags;
    }
    reply_column(asking->reply, "thread", REPLY_U32, thread, count);
    reply_column(asking->reply, "marker", REPLY_U32, marker, count);
    reply_column(asking->reply, "left", REPLY_U16, left, count);
    reply_column(asking->reply, "width", REPLY_U16, width, count);
    reply_column(asking->reply, "category", REPLY_U16, category, count);
    reply_column(asking->reply, "flags", REPLY_U8, flags, count);
    return 0;
}
