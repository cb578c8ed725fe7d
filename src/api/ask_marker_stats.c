/* marker_stats: how many markers of each name there are, and how long they last. */
#include "api/ask.h"

#include "api/window.h"
#include "markers/histogram.h"
#include "markers/statistics.h"

#include <errno.h>
#include <math.h>

struct counting {
    struct asking *asking;
    const struct ask *ask;
    struct string_index field; /* of the payload; STRING_NONE = durations */
    enum field_format format;  /* of the field */
    struct marker_statistics statistics;
    size_t markers;
};

/* The number that the marker has in the field; NaN where it has none. */
static double number_of(struct counting *counting, const struct marker *marker)
{
    const struct marker_catalog *catalog = &counting->asking->markers->catalog;
    const uint8_t *at = value_find(marker->data, counting->field);
    double number;
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    if (!value_as_number(&value, &number))
        return NAN;
    const struct marker_schema *schema = marker_catalog_schema(catalog, marker_payload_type(&catalog->texts, marker->data));
    const struct schema_field *field = schema ? marker_schema_field(schema, counting->field) : NULL;
    if (field)
        counting->format = field->format;
    return number;
}

static bool count_marker(struct counting *counting, const struct marker *marker)
{
    struct time_range preview = counting->asking->state.query.preview;
    preview.start = isnan(preview.start) ? -INFINITY : preview.start;
    preview.end = isnan(preview.end) ? INFINITY : preview.end;
    if (!marker_touches(marker, preview.start, preview.end) ||
        (counting->ask->has_name && marker->name.i != counting->ask->name))
        return true;
    counting->markers++;
    if (!counting->ask->has_field)
        return marker_statistics_add(&counting->statistics, marker);
    return marker_statistics_add_number(&counting->statistics, marker->name, number_of(counting, marker));
}

static int count_all(struct counting *counting)
{
    struct marker_set *set;
    int status = asking_marker_set(counting->asking, &set);
    if (status != 0)
        return status;
    if (counting->ask->has_field)
        counting->field = marker_texts_find(&counting->asking->markers->catalog.texts, counting->ask->field);
    bool fits = true;
    for (size_t i = 0; i < set->markers.items.count && fits; i++)
        fits = count_marker(counting, marker_store_get(counting->asking->markers, set->markers.items.items[i]));
    return fits && marker_statistics_finish(&counting->statistics) ? 0 : -ENOMEM;
}

/* ---- the reply ---- */

enum { NUMBERS = 8 };
static const char *const number_names[NUMBERS] = {"total", "mean", "median", "p95", "shortest", "longest", "low", "high"};

static int put_rows(struct counting *counting, const struct name_statistics *rows, size_t count)
{
    struct asking *asking = counting->asking;
    uint32_t *name = asking_array(asking, count, sizeof *name), *markers = asking_array(asking, count, sizeof *markers);
    uint32_t *measured = asking_array(asking, count, sizeof *measured);
    uint32_t(*histograms)[HISTOGRAM_BUCKETS] = asking_array(asking, count, sizeof *histograms);
    uint8_t *logarithmic = asking_array(asking, count, sizeof *logarithmic);
    double *numbers[NUMBERS];
    bool fits = name && markers && measured && histograms && logarithmic;
    for (size_t k = 0; k < NUMBERS; k++)
        fits &= (numbers[k] = asking_array(asking, count, sizeof(double))) != NULL;
    if (!fits)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct name_statistics *row = &rows[i];
        struct histogram histogram = histogram_of(counting->statistics.sorted + row->first, row->intervals);
        const double values[NUMBERS] = {row->total, row->average, row->median,   row->p95,
                                        row->min,   row->max,     histogram.low, histogram.high};
        for (size_t k = 0; k < NUMBERS; k++)
            numbers[k][i] = values[k];
        name[i] = row->name.i;
        markers[i] = (uint32_t)row->count;
        measured[i] = (uint32_t)row->intervals;
        logarithmic[i] = histogram.logarithmic;
        memcpy(histograms[i], histogram.counts, sizeof histogram.counts);
        reply_use_string(asking->reply, row->name);
    }
    reply_begin_columns(asking->reply);
    reply_column(asking->reply, "name", REPLY_ID, name, count);
    reply_column(asking->reply, "count", REPLY_U32, markers, count);
    reply_column(asking->reply, "measured", REPLY_U32, measured, count);
    for (size_t k = 0; k < NUMBERS; k++)
        reply_column(asking->reply, number_names[k], REPLY_F64, numbers[k], count);
    reply_column(asking->reply, "logarithmic", REPLY_U8, logarithmic, count);
    reply_column(asking->reply, "histogram", REPLY_U32, histograms, count * HISTOGRAM_BUCKETS);
    reply_end_columns(asking->reply);
    return 0;
}

int ask_marker_stats(struct asking *asking, const struct ask *ask)
{
    struct counting counting = {.asking = asking, .ask = ask, .field = STRING_NONE, .format = FORMAT_UNKNOWN};
    int status = count_all(&counting);
    if (status == 0) {
        struct window window = window_of(ask, counting.statistics.rows.count, SIZE_MAX, false);
        window.end = ask->has_name ? window.count : window.end;
        reply_put_count(asking->reply, "markers", counting.markers);
        reply_put_text(asking->reply, "format", field_format_name(counting.format));
        reply_put_count(asking->reply, "count", window.count);
        reply_put_count(asking->reply, "first", window.first);
        const struct name_statistics *rows = counting.statistics.rows.items;
        status = put_rows(&counting, rows ? rows + window.first : NULL, window.end - window.first);
    }
    marker_statistics_free(&counting.statistics);
    return status;
}
