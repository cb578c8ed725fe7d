/* marker_chart: the markers of some rows, as far as they can be seen. */
#include "api/ask.h"

#include "api/label_list.h"
#include "api/marks.h"

#include <errno.h>
#include <math.h>

enum { LABEL_LEAST_WIDTH = 24 }; /* pixels: in less no label can be read */

struct chart {
    struct asking *asking;
    const struct marker_layout *layout;
    struct mark_list marks;
};

static const struct marker *placed_marker(const struct chart *chart, size_t place)
{
    return marker_store_get(chart->asking->markers, chart->layout->markers[place]);
}

/* The first of the markers [first, end) of a row that ends at this time or later: each ends before the next one starts. */
static size_t first_visible(const struct chart *chart, size_t first, size_t end, double time)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (marker_over(placed_marker(chart, middle)) < time)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The first that has a pixel which no mark has. */
static size_t first_shown(const struct chart *chart, const struct mark_row *row, size_t first, size_t end)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (mark_row_shows(row, placed_marker(chart, middle)))
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

/* Draws the markers of a row that are seen; of those without a pixel of their own only the first is looked at. */
static int draw_row(struct chart *chart, uint32_t number)
{
    size_t end = chart->layout->row_starts.items[number + 1];
    size_t place = first_visible(chart, chart->layout->row_starts.items[number], end, chart->marks.range.start);
    struct mark_row row = mark_row_start(&chart->marks, number);
    int status = 0;
    while (place < end && status == 0 && placed_marker(chart, place)->start <= chart->marks.range.end) {
        const struct marker *marker = placed_marker(chart, place);
        bool shown = mark_row_shows(&row, marker);
        status = mark_row_add(&row, chart->layout->markers[place], marker);
        place = shown ? place + 1 : first_shown(chart, &row, place + 1, end);
    }
    return status;
}

static int draw_rows(struct chart *chart, const struct ask *ask)
{
    int status = 0;
    for (uint32_t row = ask->depth[0]; row < ask->depth[1] && row < chart->layout->rows && status == 0; row++)
        status = draw_row(chart, row);
    return status == -E2BIG ? asking_refuse(chart->asking, NULL, "there are more than %d marks", MARKS_MOST) : status;
}

/* ---- the reply ---- */

static int put_labels(struct chart *chart, uint32_t *label)
{
    struct label_list list;
    int status = label_list_init(&list, chart->asking, LABEL_CHART);
    for (size_t i = 0; i < chart->marks.items.count && status == 0; i++) {
        const struct mark *mark = &chart->marks.items.items[i];
        label[i] = INDEX_NONE;
        if (mark->width >= LABEL_LEAST_WIDTH)
            status = label_list_add(&list, marker_store_get(chart->asking->markers, mark->marker), &label[i]);
    }
    if (status == 0)
        label_list_put(&list);
    label_list_free(&list);
    return status;
}

static int put_marks(struct chart *chart)
{
    struct asking *asking = chart->asking;
    size_t count = chart->marks.items.count;
    uint32_t *row = asking_array(asking, count, sizeof *row), *label = asking_array(asking, count, sizeof *label);
    if (!row || !label)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        row[i] = chart->marks.items.items[i].row;
    asking_put_range(asking, chart->marks.range);
    reply_put_count(asking->reply, "width", chart->marks.width);
    int status = put_labels(chart, label);
    if (status != 0)
        return status;
    reply_begin_columns(asking->reply);
    reply_column(asking->reply, "row", REPLY_U32, row, count);
    status = marks_put(asking, &chart->marks);
    reply_column(asking->reply, "label", REPLY_ID, label, count);
    reply_end_columns(asking->reply);
    return status;
}

/* What is drawn: the range of the ask, else the preview range, else the committed one. */
static struct time_range chart_range(const struct asking *asking, const struct ask *ask)
{
    struct time_range range = asking_range(asking, false);
    struct time_range preview = asking->state.query.preview;
    struct time_range asked = {ask->range.start + asking->start, ask->range.end + asking->start};
    bool has_own = !isnan(asked.start) || !isnan(asked.end);
    struct time_range closer = has_own ? asked : preview;
    range.start = isnan(closer.start) ? range.start : closer.start;
    range.end = isnan(closer.end) ? range.end : closer.end;
    return range;
}

int ask_marker_chart(struct asking *asking, const struct ask *ask)
{
    struct marker_set *set;
    struct chart chart = {.asking = asking, .marks = {.range = chart_range(asking, ask), .width = ask->width}};
    if (ask->depth[1] > ask->depth[0] && ask->depth[1] - ask->depth[0] > REQUEST_MAX_ROWS)
        return asking_refuse(asking, "until", "no more than %d rows are drawn at once", REQUEST_MAX_ROWS);
    if (range_is_empty(chart.marks.range))
        return asking_refuse(asking, NULL, "the range is empty, there is nothing to be drawn");
    int status = asking_marker_layout(asking, ask, &set, &chart.layout);
    if (status == 0)
        status = draw_rows(&chart, ask);
    if (status == 0)
        status = put_marks(&chart);
    vec_free(&chart.marks.items);
    return status;
}
