/* How the Firefox Profiler draws counters. From PROCESSED_COUNTER_DISPLAY on a file has to say it; counters of other formats
 * and of older files do not, and get what their category and name stand for. */
#include "export/counter_display.h"

#include "profile/processed_format.h"

/* One way to draw counters: the first whose category (and name, if it asks for one) fits. */
static const struct display {
    const char *category, *name; /* NULL = any */
    const char *graph, *unit, *color, *marker_place;
    int weight;
    const char *label;   /* NULL = the counter's name */
    const char *tooltip; /* the rows of its tooltip, JSON; NULL = the count under the counter's name */
} displays[] = {
    {
        .category = "Bandwidth",
        .graph = "line-rate",
        .unit = "bytes",
        .color = "blue",
        .weight = 10,
        .label = "Bandwidth",
        .tooltip = "[{\"type\":\"value\",\"source\":\"rate\",\"format\":{\"unit\":\"bytes-per-second\",\"co2\":\"per-byte\"},"
                   "\"label\":\"Transfer speed for this sample\",\"labelKey\":\"bandwidth-speed\"},"
                   "{\"type\":\"value\",\"source\":\"sample-number\",\"format\":{\"unit\":\"number\"},"
                   "\"label\":\"read/write operations since the previous sample\",\"labelKey\":\"bandwidth-operations\"},"
                   "{\"type\":\"separator\"},"
                   "{\"type\":\"value\",\"source\":\"accumulated\",\"format\":{\"unit\":\"bytes\",\"co2\":\"per-byte\"},"
                   "\"label\":\"Data transferred up to this time\",\"labelKey\":\"bandwidth-cumulative\"},"
                   "{\"type\":\"value\",\"source\":\"count-range\",\"format\":{\"unit\":\"bytes\",\"co2\":\"per-byte\"},"
                   "\"label\":\"Data transferred in the visible range\",\"labelKey\":\"bandwidth-total-graph\"},"
                   "{\"type\":\"value\",\"source\":\"selection-total\",\"format\":{\"unit\":\"bytes\",\"co2\":\"per-byte\"},"
                   "\"label\":\"Data transferred in the current selection\",\"labelKey\":\"bandwidth-total-selection\","
                   "\"requiresPreviewSelection\":true}]",
    },
    {
        .category = "Memory",
        .graph = "line-accumulated",
        .unit = "bytes",
        .color = "orange",
        .marker_place = "timeline-memory",
        .weight = 20,
        .label = "Memory",
        .tooltip = "[{\"type\":\"value\",\"source\":\"accumulated\",\"format\":{\"unit\":\"bytes\"},"
                   "\"label\":\"relative memory at this time\",\"labelKey\":\"memory-relative\"},"
                   "{\"type\":\"value\",\"source\":\"count-range\",\"format\":{\"unit\":\"bytes\"},"
                   "\"label\":\"memory range in graph\",\"labelKey\":\"memory-range\"},"
                   "{\"type\":\"value\",\"source\":\"sample-number\",\"format\":{\"unit\":\"number\"},"
                   "\"label\":\"allocations and deallocations since the previous sample\",\"labelKey\":\"memory-operations\"}]",
    },
    {
        .category = "power",
        .graph = "line-rate",
        .unit = "pWh",
        .color = "grey",
        .weight = 30,
        .tooltip = "[{\"type\":\"value\",\"source\":\"count\",\"format\":{\"unit\":\"number\",\"co2\":\"per-watthour\","
                   "\"scale\":\"power\"},\"label\":\"Power\",\"labelKey\":\"power\"},"
                   "{\"type\":\"value\",\"source\":\"selection-total\",\"format\":{\"unit\":\"number\","
                   "\"co2\":\"per-watthour\",\"scale\":\"energy\"},\"label\":\"Energy used in the current selection\","
                   "\"labelKey\":\"power-energy-preview\",\"requiresPreviewSelection\":true},"
                   "{\"type\":\"value\",\"source\":\"selection-rate\",\"format\":{\"unit\":\"number\","
                   "\"co2\":\"per-watthour\",\"scale\":\"power\"},\"label\":\"Average power in the current selection\","
                   "\"labelKey\":\"power-average-preview\",\"requiresPreviewSelection\":true},"
                   "{\"type\":\"value\",\"source\":\"committed-range-total\",\"format\":{\"unit\":\"number\","
                   "\"co2\":\"per-watthour\",\"scale\":\"energy\"},\"label\":\"Energy used in the visible range\","
                   "\"labelKey\":\"power-energy-range\"}]",
    },
    {
        .category = "CPU",
        .name = "processCPU",
        .graph = "line-rate",
        .unit = "percent",
        .color = "grey",
        .weight = 40,
        .label = "Process CPU",
        .tooltip = "[{\"type\":\"value\",\"source\":\"cpu-ratio\",\"format\":{\"unit\":\"percent\"},\"label\":\"CPU\","
                   "\"labelKey\":\"cpu\"}]",
    },
    {.graph = "line-rate", .unit = "", .color = "grey", .weight = 50},
};

static bool fits(const struct profile *profile, const char *wanted, struct string_index text)
{
    return !wanted || slice_equal(slice_of(wanted), profile_text(profile, text));
}

static const struct display *display_for(const struct profile *profile, const struct counter *counter)
{
    const struct display *display = displays;
    while (!fits(profile, display->category, counter->category) || !fits(profile, display->name, counter->name))
        display++;
    return display;
}

static const uint8_t *own_value(const struct profile *profile, const struct counter *counter, struct slice key)
{
    if (counter->display.bytes.count == 0)
        return NULL;
    return value_find(counter->display.bytes.items, string_table_find(&profile->strings, key));
}

const uint8_t *counter_display_color(const struct profile *profile, const struct counter *counter)
{
    const uint8_t *color = own_value(profile, counter, SLICE("color"));
    return color && value_read(counter->display.bytes.items).count == 1 ? color : NULL;
}

static void write_tooltip(const struct profile *profile, const struct counter *counter, const struct display *display,
                          struct json_writer *w)
{
    json_write_key(w, "tooltipRows");
    if (display->tooltip) {
        json_write_raw(w, slice_of(display->tooltip));
        return;
    }
    json_write_begin_array(w);
    json_write_begin_object(w);
    json_write_key(w, "type");
    json_write_text(w, "value");
    json_write_key(w, "source");
    json_write_text(w, "count");
    json_write_key(w, "format");
    json_write_begin_object(w);
    json_write_key(w, "unit");
    json_write_text(w, "number");
    json_write_end_object(w);
    json_write_key(w, "label");
    json_write_string(w, profile_text(profile, counter->name));
    json_write_end_object(w);
    json_write_end_array(w);
}

static void write_default(const struct profile *profile, const struct counter *counter, int version, struct json_writer *w)
{
    const struct display *display = display_for(profile, counter);
    const uint8_t *color = counter_display_color(profile, counter);
    json_write_begin_object(w);
    json_write_key(w, "graphType");
    json_write_text(w, display->graph);
    json_write_key(w, "unit");
    json_write_text(w, display->unit);
    json_write_key(w, "color");
    if (color)
        value_to_json(color, &profile->strings, w);
    else
        json_write_text(w, display->color);
    json_write_key(w, "markerSchemaLocation");
    json_write_text(w, display->marker_place);
    json_write_key(w, "sortWeight");
    json_write_integer(w, display->weight);
    json_write_key(w, "label");
    json_write_string(w, display->label ? slice_of(display->label) : profile_text(profile, counter->name));
    if (version >= PROCESSED_COUNTER_TOOLTIPS)
        write_tooltip(profile, counter, display, w);
    json_write_end_object(w);
}

void counter_display_write(const struct profile *profile, const struct counter *counter, int version, struct json_writer *w)
{
    if (counter->display.bytes.count == 0 || counter_display_color(profile, counter)) {
        write_default(profile, counter, version, w);
        return;
    }
    bool needs_tooltip = version >= PROCESSED_COUNTER_TOOLTIPS && !own_value(profile, counter, SLICE("tooltipRows"));
    struct value object = value_read(counter->display.bytes.items);
    const uint8_t *at = object.rest;
    json_write_begin_object(w);
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        json_write_key_slice(w, profile_text(profile, value_read_key(&at)));
        value_to_json(at, &profile->strings, w);
    }
    if (needs_tooltip)
        write_tooltip(profile, counter, display_for(profile, counter), w);
    json_write_end_object(w);
}

/* Writes the counter's own display and the one it gets without, and compares the texts. */
static int is_default(const struct profile *profile, const struct counter *counter, bool *same, struct error *error)
{
    struct counter plain = *counter;
    plain.display = (struct value_bytes){0};
    struct byte_sink *sinks[2] = {NULL, NULL};
    for (size_t i = 0; i < 2 && error->code == 0; i++) {
        sinks[i] = byte_sink_memory(error);
        struct json_writer *w = sinks[i] ? json_writer_open(sinks[i], 0, error) : NULL;
        if (!w)
            continue;
        counter_display_write(profile, i == 0 ? counter : &plain, PROCESSED_COUNTER_TOOLTIPS, w);
        json_writer_close(w);
    }
    if (error->code == 0)
        *same = slice_equal(byte_sink_memory_bytes(sinks[0]), byte_sink_memory_bytes(sinks[1]));
    for (size_t i = 0; i < 2; i++)
        if (sinks[i])
            byte_sink_close(sinks[i], false, error);
    return error->code;
}

int counter_display_version(const struct profile *profile, const struct counter *counter, int *version, struct error *error)
{
    bool same = true;
    *version = PROCESSED_SHARED_TABLES;
    if (counter->display.bytes.count == 0 || counter_display_color(profile, counter))
        return 0;
    if (is_default(profile, counter, &same, error))
        return error->code;
    if (!same)
        *version = own_value(profile, counter, SLICE("tooltipRows")) ? PROCESSED_COUNTER_TOOLTIPS : PROCESSED_COUNTER_DISPLAY;
    return 0;
}

bool counter_display_accumulates(const struct profile *profile, const struct counter *counter)
{
    const uint8_t *graph = own_value(profile, counter, SLICE("graphType"));
    struct value value = graph ? value_read(graph) : (struct value){.kind = VALUE_NULL};
    struct slice text =
        value.kind == VALUE_STRING ? profile_text(profile, value.string) : slice_of(display_for(profile, counter)->graph);
    return slice_is(text, "line-accumulated");
}
