#include "cli/markers_groups.h"

#include "cli/cut.h"
#include "cli/nearest.h"
#include "markers/field.h"
#include "markers/histogram.h"
#include "markers/statistics.h"
#include "print/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What markers are added up by: an index into the catalog's texts stands for each group. */
enum group_kind { BY_NAME, BY_CATEGORY, BY_TYPE, BY_THREAD, BY_FIELD };
static const char *const group_names[] = {"name", "category", "type", "thread"};

struct marker_groups {
    struct markers *markers;
    enum group_kind kind;
    struct string_index field; /* BY_FIELD */
    struct string_index none;  /* of those that have nothing to be grouped by */
    bool any;                  /* a marker had something */
    struct text_buffer text;
    struct marker_statistics statistics;
    size_t count; /* groups that are shown */
};

/* ---- by what ---- */

/* The key of a payload that is nearest to what was typed, or one of our own. */
static void add_similar(struct marker_groups *groups, struct error *error)
{
    const struct marker_catalog *catalog = &groups->markers->catalog;
    struct nearest nearest;
    nearest_start(&nearest, slice_of(groups->markers->options->group));
    for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
        nearest_offer(&nearest, slice_of(group_names[i]));
    for (size_t i = 0; i < catalog->schemas.count; i++)
        for (size_t k = 0; k < catalog->schemas.items[i]->fields.count; k++)
            nearest_offer(&nearest, marker_text(&catalog->texts, catalog->schemas.items[i]->fields.items[k].key));
    size_t used = strlen(error->message);
    if (nearest.best.text && !slice_equal(nearest.best, nearest.typed))
        snprintf(error->message + used, sizeof error->message - used, "; did you mean '%.*s'?", (int)nearest.best.length,
                 nearest.best.text);
}

static int no_such_field(struct marker_groups *groups)
{
    struct error *error = &groups->markers->selection.error;
    error_set(error, -ENOENT, "--group '%s': no marker here has such a field", groups->markers->options->group);
    add_similar(groups, error);
    return error->code;
}

static bool choose_kind(struct marker_groups *groups)
{
    struct marker_texts *texts = &groups->markers->catalog.texts;
    const char *group = groups->markers->options->group;
    groups->kind = BY_NAME;
    while (group && groups->kind < BY_FIELD && strcmp(group_names[groups->kind], group) != 0)
        groups->kind++;
    if (groups->kind == BY_FIELD)
        groups->field = marker_texts_find(texts, slice_of(group));
    char none[80];
    snprintf(none, sizeof none, "(no %s)", group ? group : "name");
    groups->none = marker_texts_add(texts, slice_of(none));
    return string_exists(groups->none);
}

/* The value of the field as its schema shows it, or as it is; STRING_NONE where the marker has none. */
static struct string_index value_of(struct marker_groups *groups, const struct marker *marker)
{
    struct marker_catalog *catalog = &groups->markers->catalog;
    const uint8_t *at = string_exists(groups->field) ? value_find(marker->data, groups->field) : NULL;
    if (!at)
        return STRING_NONE;
    const struct marker_schema *schema = marker_catalog_schema(catalog, marker_payload_type(&catalog->texts, marker->data));
    const struct schema_field *field = schema ? marker_schema_field(schema, groups->field) : NULL;
    text_cut(&groups->text, 0);
    if (!field || !field_format_value(&groups->text, catalog, field, at))
        field_add_text(&groups->text, catalog, at);
    return marker_texts_add(&catalog->texts, text_slice(&groups->text));
}

static struct string_index thread_of(struct marker_groups *groups, const struct shown_marker *shown)
{
    const struct profile *profile = &groups->markers->selection.profile;
    struct thread_index thread = groups->markers->threads.items[shown->thread].thread;
    char handle[24];
    snprintf(handle, sizeof handle, "t-%u ", thread.i);
    text_cut(&groups->text, 0);
    text_add(&groups->text, slice_of(handle));
    text_add(&groups->text, profile_text(profile, profile->threads.items[thread.i].name));
    return marker_texts_add(&groups->markers->catalog.texts, text_slice(&groups->text));
}

static struct string_index group_of(struct marker_groups *groups, const struct shown_marker *shown)
{
    struct marker_texts *texts = &groups->markers->catalog.texts;
    const struct marker *marker = marker_of(groups->markers, shown);
    switch (groups->kind) {
    case BY_NAME:
        return marker->name;
    case BY_CATEGORY:
        return marker_texts_add(texts, marker_category_name(groups->markers, marker));
    case BY_TYPE:
        return marker_payload_type(texts, marker->data);
    case BY_THREAD:
        return thread_of(groups, shown);
    case BY_FIELD:
        break;
    }
    return value_of(groups, marker);
}

static int add_up(struct marker_groups *groups)
{
    struct markers *markers = groups->markers;
    bool ok = choose_kind(groups);
    for (size_t i = 0; i < markers->shown.count && ok; i++) {
        const struct shown_marker *shown = &markers->shown.items[i];
        const struct marker *marker = marker_of(markers, shown);
        struct string_index group = group_of(groups, shown);
        groups->any |= string_exists(group);
        group = string_exists(group) ? group : groups->none;
        ok = marker_statistics_add_number(&groups->statistics, group, marker->end - marker->start) &&
             marker_statistics_add_self(&groups->statistics, group, shown->self);
    }
    if (!ok || groups->text.failed || !marker_statistics_finish(&groups->statistics))
        return error_out_of_memory(&markers->selection.error);
    return groups->kind == BY_FIELD && !groups->any ? no_such_field(groups) : 0;
}

/* ---- in what order, and how many ---- */

static double number_of(const struct name_statistics *row, enum marker_key key)
{
    switch (key) {
    case MARKER_KEY_TOTAL:
        return row->total;
    case MARKER_KEY_SELF:
        return row->self;
    case MARKER_KEY_MEDIAN:
        return row->median;
    case MARKER_KEY_AVERAGE:
        return row->average;
    case MARKER_KEY_P95:
        return row->p95;
    case MARKER_KEY_MIN:
        return row->min;
    case MARKER_KEY_MAX:
        return row->max;
    default:
        return (double)row->count;
    }
}

static struct slice group_text(const struct marker_groups *groups, const struct name_statistics *row)
{
    return marker_text(&groups->markers->catalog.texts, row->name);
}

/* Large ones first, those without a duration last; equal ones by their name. */
static int compare_rows(const void *left, const void *right, void *context)
{
    const struct marker_groups *groups = context;
    const struct name_statistics *a = left, *b = right;
    enum marker_key key = (enum marker_key)groups->markers->options->sort;
    double x = number_of(a, key), y = number_of(b, key);
    if (key != MARKER_KEY_NAME && (isnan(x) || isnan(y)) && isnan(x) != isnan(y))
        return isnan(x) - isnan(y);
    if (key != MARKER_KEY_NAME && !isnan(x) && x != y)
        return (x < y) - (x > y);
    int order = text_order(group_text(groups, a), group_text(groups, b));
    return order != 0 ? order : (a->name.i > b->name.i) - (a->name.i < b->name.i);
}

static void order(struct marker_groups *groups)
{
    const struct markers_options *options = groups->markers->options;
    struct name_statistics *rows = groups->statistics.rows.items;
    size_t count = groups->statistics.rows.count;
    if (options->sort != MARKER_KEY_DEFAULT && count > 1)
        qsort_r(rows, count, sizeof *rows, compare_rows, groups);
    for (size_t i = 0; options->reverse && i < count / 2; i++) {
        struct name_statistics row = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = row;
    }
}

/* Brings those that --min leaves to the front, and counts those that are shown. */
static void cut(struct marker_groups *groups)
{
    double least = markers_least(groups->markers);
    size_t limit = cut_of_list(&groups->markers->options->common), kept = 0;
    struct name_statistics *rows = groups->statistics.rows.items;
    for (size_t i = 0; i < groups->statistics.rows.count; i++)
        if (!(least > 0) || rows[i].total >= least) {
            struct name_statistics row = rows[i];
            rows[kept++] = row;
        }
    groups->count = kept < limit ? kept : limit;
}

static struct histogram histogram_of_row(const struct marker_groups *groups, const struct name_statistics *row)
{
    return histogram_of(groups->statistics.sorted + row->first, row->intervals);
}

/* ---- printing ---- */

static void put_histogram(struct json_output *output, const struct histogram *histogram)
{
    json_write_key(output->writer, "histogram");
    json_write_begin_object(output->writer);
    json_put_number(output, "low", histogram->low);
    json_put_number(output, "high", histogram->high);
    json_put_boolean(output, "logarithmic", histogram->logarithmic);
    json_write_key(output->writer, "counts");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        json_write_number(output->writer, histogram->counts[i]);
    json_write_end_array(output->writer);
    json_write_end_object(output->writer);
}

static int print_json(const struct marker_groups *groups)
{
    const struct markers_options *options = groups->markers->options;
    struct json_output output;
    int status = json_output_open(&output, "markers");
    if (status != EXIT_OK)
        return status;
    json_put_markers(&output, groups->markers, groups->count < groups->statistics.rows.count);
    if (options->group)
        json_put_text(&output, "group", options->group);
    json_write_key(output.writer, "names");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < groups->count; i++) {
        const struct name_statistics *row = &groups->statistics.rows.items[i];
        json_write_begin_object(output.writer);
        json_put_slice(&output, "name", group_text(groups, row));
        json_put_number(&output, "count", (double)row->count);
        json_put_number(&output, "total", row->total);
        json_put_number(&output, "self", row->self);
        json_put_number(&output, "min", row->min);
        json_put_number(&output, "median", row->median);
        json_put_number(&output, "avg", row->average);
        json_put_number(&output, "p95", row->p95);
        json_put_number(&output, "max", row->max);
        if (options->histogram && row->intervals > 0) {
            struct histogram histogram = histogram_of_row(groups, row);
            put_histogram(&output, &histogram);
        }
        json_write_end_object(output.writer);
    }
    json_write_end_array(output.writer);
    return json_output_close(&output);
}

/* A bar for each bucket, from the shortest duration to the longest; the fullest bucket has the highest bar. */
static void add_bars(struct table *table, const struct marker_groups *groups, const struct name_statistics *row)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { HIGHEST = sizeof bars / sizeof *bars - 1 };
    struct histogram histogram = histogram_of_row(groups, row);
    uint32_t most = 1;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        most = histogram.counts[i] > most ? histogram.counts[i] : most;
    struct text_buffer text = {0};
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        text_add(&text, slice_of(bars[((uint64_t)histogram.counts[i] * HIGHEST + most - 1) / most]));
    if (histogram.logarithmic)
        text_add(&text, SLICE(" log"));
    table_add_copy(table, text_slice(&text));
    table->failed |= text.failed;
    text_free(&text);
}

static int print_text(const struct marker_groups *groups)
{
    const struct markers_options *options = groups->markers->options;
    struct table_head heads[10] = {
        {"count", ALIGN_RIGHT, 0, KEEP_START}, {"total", ALIGN_RIGHT, 0, KEEP_START},  {"self", ALIGN_RIGHT, 0, KEEP_START},
        {"min", ALIGN_RIGHT, 0, KEEP_START},   {"median", ALIGN_RIGHT, 0, KEEP_START}, {"avg", ALIGN_RIGHT, 0, KEEP_START},
        {"p95", ALIGN_RIGHT, 0, KEEP_START},   {"max", ALIGN_RIGHT, 0, KEEP_START},
    };
    size_t columns = 8;
    if (options->histogram)
        heads[columns++] = (struct table_head){"min … max", ALIGN_LEFT, 0, KEEP_START};
    heads[columns++] = (struct table_head){options->group ? options->group : "name", ALIGN_LEFT, 0, KEEP_START};
    struct terminal terminal = terminal_of_options(&options->common);
    struct table table;
    table_init(&table, &terminal, heads, columns);
    for (size_t i = 0; i < groups->count; i++) {
        const struct name_statistics *row = &groups->statistics.rows.items[i];
        table_print(&table, STYLE_PLAIN, "%s", number_grouped((double)row->count, 0).text);
        const double durations[] = {row->total, row->self, row->min, row->median, row->average, row->p95, row->max};
        for (size_t k = 0; k < sizeof durations / sizeof *durations; k++)
            table_add_duration(&table, durations[k]);
        if (options->histogram)
            add_bars(&table, groups, row);
        table_add(&table, group_text(groups, row), STYLE_PLAIN);
    }
    print_markers_head(groups->markers, &terminal);
    table_write(&table);
    if (!table.failed)
        print_markers_cut(groups->markers, groups->count, groups->statistics.rows.count);
    table_free(&table);
    return output_finish(table.failed);
}

int markers_groups_print(struct markers *markers)
{
    struct marker_groups groups = {.markers = markers, .field = STRING_NONE};
    int status = add_up(&groups);
    if (status != 0) {
        status = selection_report(&markers->selection);
    } else {
        order(&groups);
        cut(&groups);
        status = markers->options->common.json ? print_json(&groups) : print_text(&groups);
    }
    marker_statistics_free(&groups.statistics);
    text_free(&groups.text);
    return status;
}
