/* marker_table: markers one by one, those that are on the screen. */
#include "api/ask.h"

#include "api/label_list.h"
#include "api/marker_fields.h"
#include "api/marks.h"
#include "api/window.h"

#include <errno.h>
#include <math.h>

static struct marker_sorting sorting_of(const struct asking *asking, const struct ask *ask)
{
    struct time_range preview = asking->state.query.preview;
    struct marker_sorting sorting = {
        .preview = {isnan(preview.start) ? -INFINITY : preview.start, isnan(preview.end) ? INFINITY : preview.end},
        .sort = ask->sorted_by,
    };
    if (sorting.sort.count == 0)
        sorting.sort.columns[sorting.sort.count++].column = MARKER_BY_START;
    return sorting;
}

/* Where the anchor is; SIZE_MAX where it is not shown. */
static size_t find_anchor(const struct ask *ask, const struct marker_order *order)
{
    if (!ask->has_anchor)
        return SIZE_MAX;
    struct marker_ref wanted = {ask->anchor.funcs.items[0], ask->anchor.funcs.items[1]};
    for (size_t i = 0; i < order->rows.items.count; i++)
        if (order->rows.items.items[i].thread == wanted.thread && order->rows.items.items[i].index == wanted.index)
            return i;
    return SIZE_MAX;
}

struct table_columns {
    uint32_t *thread, *marker, *name, *details;
    uint16_t *category;
    uint8_t *flags;
    double *start, *duration;
};

static bool make_columns(struct asking *asking, struct table_columns *columns, size_t count)
{
    uint32_t **const numbers[] = {&columns->thread, &columns->marker, &columns->name, &columns->details};
    bool fits = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits &= (*numbers[i] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    columns->category = asking_array(asking, count, sizeof(uint16_t));
    columns->flags = asking_array(asking, count, 1);
    columns->start = asking_array(asking, count, sizeof(double));
    columns->duration = asking_array(asking, count, sizeof(double));
    return fits && columns->category && columns->flags && columns->start && columns->duration;
}

static int fill_rows(struct asking *asking, struct table_columns *columns, const struct marker_ref *rows, size_t count,
                     struct label_list *labels, struct marker_fields *fields)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct marker *marker = marker_store_get(asking->markers, rows[i]);
        columns->thread[i] = rows[i].thread;
        columns->marker[i] = rows[i].index;
        columns->start[i] = marker->start - asking->start;
        columns->duration[i] = marker->end - marker->start;
        columns->flags[i] = marker_flags(marker);
        columns->name[i] = marker->name.i;
        columns->category[i] = (uint16_t)marker_category(asking->profile, marker);
        reply_use_string(asking->reply, marker->name);
        status = label_list_add(labels, marker, &columns->details[i]);
        if (status == 0)
            status = marker_fields_fill(fields, i, marker, labels);
    }
    return status;
}

/* `type`: that of all markers. */
static int put_rows(struct asking *asking, const struct ask *ask, const struct marker_ref *rows, size_t count,
                    struct string_index type)
{
    struct reply *reply = asking->reply;
    struct table_columns columns;
    struct label_list labels;
    struct marker_fields fields;
    int status = label_list_init(&labels, asking, LABEL_TABLE);
    if (status == 0 && (!make_columns(asking, &columns, count) ||
                        !marker_fields_init(&fields, asking, ask->with_fields ? type : STRING_NONE, count)))
        status = -ENOMEM;
    if (status == 0)
        status = fill_rows(asking, &columns, rows, count, &labels, &fields);
    if (status == 0) {
        if (ask->with_fields)
            marker_fields_put(&fields, asking);
        label_list_put(&labels);
        reply_begin_columns(reply);
        reply_column(reply, "thread", REPLY_U32, columns.thread, count);
        reply_column(reply, "marker", REPLY_U32, columns.marker, count);
        reply_column(reply, "start", REPLY_F64, columns.start, count);
        reply_column(reply, "duration", REPLY_F64, columns.duration, count);
        reply_column(reply, "flags", REPLY_U8, columns.flags, count);
        reply_column(reply, "name", REPLY_ID, columns.name, count);
        reply_column(reply, "category", REPLY_U16, columns.category, count);
        reply_column(reply, "details", REPLY_ID, columns.details, count);
        marker_fields_put_columns(&fields, reply, count);
        reply_end_columns(reply);
    }
    label_list_free(&labels);
    return status;
}

int ask_marker_table(struct asking *asking, const struct ask *ask)
{
    struct marker_set *set;
    const struct marker_order *order;
    struct marker_sorting sorting = sorting_of(asking, ask);
    struct error error = {0};
    int status = asking_marker_set(asking, &set);
    if (status == 0)
        status = marker_set_order(asking->markers, set, &sorting, &order, &error);
    if (status != 0)
        return status;
    size_t anchor = find_anchor(ask, order);
    struct window window = window_of(ask, order->rows.items.count, anchor, anchor != SIZE_MAX);
    window_put(&window, asking->reply);
    const struct marker_ref *rows = order->rows.items.items;
    return put_rows(asking, ask, rows ? rows + window.first : NULL, window.end - window.first, order->type);
}
