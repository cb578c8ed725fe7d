#include "markers/derive.h"

#include "markers/ipc.h"
#include "markers/payload.h"
#include "markers/pending.h"

#include <stdlib.h>

/* A start that waits for its end; those of one name hang together, the newest first. */
struct open_start {
    struct marker_index row;
    uint32_t before; /* INDEX_NONE = the first of its name */
};

struct open_name {
    struct string_index name;
    uint32_t newest; /* INDEX_NONE = nothing is open */
};

struct derivation {
    struct marker_list *list;
    const struct marker_catalog *catalog;
    const struct marker_table *raw;
    struct thread_index thread;
    struct time_span range;
    VEC(struct open_name) names; /* in the order of their first start */
    struct map by_name;
    VEC(struct open_start) starts;
    uint32_t free_start; /* a chain of `starts` that are not in use */
    struct pending_set requests, screenshots;
    struct value_bytes overlay, scratch;
};

/* What most markers need of a raw marker, without its cause. */
struct raw {
    struct marker_index row;
    struct string_index name;
    struct category_index category;
    enum marker_phase phase;
    double start, end;
    const uint8_t *data;
};

static struct raw raw_at(const struct derivation *d, struct marker_index row)
{
    struct raw_marker marker = marker_table_get(d->raw, row);
    return (struct raw){row, marker.name, marker.category, marker.phase, marker.start, marker.end, marker.data};
}

static struct marker marker_of(const struct raw *raw)
{
    return (struct marker){
        .start = raw->start,
        .end = NAN,
        .data = raw->data,
        .name = raw->name,
        .category = raw->category,
        .row = raw->row,
        .start_row = marker_none(),
    };
}

static bool add(struct derivation *d, struct marker marker)
{
    return vec_push(&d->list->items, marker);
}

/* Times that should be there and are not. */
static void set_start(const struct derivation *d, struct marker *marker, double start)
{
    marker->start = isnan(start) ? d->range.start : start;
    marker->incomplete |= isnan(start);
}

static void set_end(const struct derivation *d, struct marker *marker, double end)
{
    marker->end = isnan(end) ? fmax(d->range.end, marker->start) : end;
    marker->incomplete |= isnan(end);
}

/* ---- starts and ends ---- */

static struct open_name *open_name_of(struct derivation *d, struct string_index name)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&d->by_name, hash_u64(name.i)); map_probe_next(&probe, &row);)
        if (string_same(d->names.items[row].name, name))
            return &d->names.items[row];
    return NULL;
}

static bool open_start(struct derivation *d, const struct raw *raw)
{
    struct open_name *name = open_name_of(d, raw->name);
    if (!name) {
        if (!vec_push(&d->names, ((struct open_name){raw->name, INDEX_NONE})) ||
            !map_insert(&d->by_name, hash_u64(raw->name.i), (uint32_t)d->names.count - 1))
            return false;
        name = &d->names.items[d->names.count - 1];
    }
    uint32_t place = d->free_start;
    if (place != INDEX_NONE) {
        d->free_start = d->starts.items[place].before;
    } else {
        place = (uint32_t)d->starts.count;
        if (!vec_push(&d->starts, (struct open_start){0}))
            return false;
    }
    d->starts.items[place] = (struct open_start){raw->row, name->newest};
    name->newest = place;
    return true;
}

/* The last open start of this name, which is open no longer; marker_none() if there is none. */
static struct marker_index close_start(struct derivation *d, struct string_index name)
{
    struct open_name *open = open_name_of(d, name);
    if (!open || open->newest == INDEX_NONE)
        return marker_none();
    uint32_t place = open->newest;
    open->newest = d->starts.items[place].before;
    d->starts.items[place].before = d->free_start;
    d->free_start = place;
    return d->starts.items[place].row;
}

static bool add_end(struct derivation *d, const struct raw *end)
{
    struct marker marker = marker_of(end);
    struct marker_index row = close_start(d, end->name);
    if (!marker_exists(row)) {
        marker.start = d->range.start;
        set_end(d, &marker, end->end);
        marker.start = fmin(marker.end, d->range.start);
        marker.incomplete = true;
        return add(d, marker);
    }
    struct raw start = raw_at(d, row);
    marker.start_row = row;
    set_start(d, &marker, start.start);
    set_end(d, &marker, end->end);
    if (start.data && end->data) {
        marker.data = payload_overlay(start.data, end->data, &d->scratch, &d->list->arena);
        if (!marker.data)
            return false;
    } else if (start.data) {
        marker.data = start.data;
    }
    return add(d, marker);
}

static bool add_open(struct derivation *d, struct marker_index row)
{
    struct raw start = raw_at(d, row);
    struct marker marker = marker_of(&start);
    set_start(d, &marker, start.start);
    marker.end = fmax(d->range.end, marker.start);
    marker.incomplete = true;
    return add(d, marker);
}

/* Oldest first. */
static bool add_open_of_name(struct derivation *d, uint32_t newest)
{
    uint32_t oldest = INDEX_NONE;
    while (newest != INDEX_NONE) {
        uint32_t before = d->starts.items[newest].before;
        d->starts.items[newest].before = oldest;
        oldest = newest;
        newest = before;
    }
    for (; oldest != INDEX_NONE; oldest = d->starts.items[oldest].before)
        if (!add_open(d, d->starts.items[oldest].row))
            return false;
    return true;
}

static bool add_by_phase(struct derivation *d, const struct raw *raw)
{
    struct marker marker = marker_of(raw);
    switch (raw->phase) {
    case MARKER_INSTANT:
        set_start(d, &marker, raw->start);
        return add(d, marker);
    case MARKER_INTERVAL:
        set_start(d, &marker, raw->start);
        set_end(d, &marker, raw->end);
        return add(d, marker);
    case MARKER_START:
        return open_start(d, raw);
    case MARKER_END:
        return add_end(d, raw);
    }
    return true;
}

/* ---- network requests ---- */

static const uint8_t *field(const struct derivation *d, const struct raw *raw, enum marker_word key)
{
    return value_find(raw->data, d->catalog->texts.words[key]);
}

static bool field_is(const struct derivation *d, const struct raw *raw, enum marker_word key, enum marker_word word)
{
    const uint8_t *at = field(d, raw, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING && string_same(value.string, d->catalog->texts.words[word]);
}

/* The overlay starts with an object of `count` fields. */
static bool begin_overlay(struct derivation *d, uint32_t count)
{
    d->overlay.bytes.count = 0;
    return value_put_object(&d->overlay, count);
}

static bool put_time(struct derivation *d, enum marker_word key, double ms)
{
    return value_put_key(&d->overlay, d->catalog->texts.words[key]) && value_put_number(&d->overlay, ms);
}

static bool put_text(struct derivation *d, enum marker_word key, struct string_index text)
{
    return value_put_key(&d->overlay, d->catalog->texts.words[key]) && value_put_string(&d->overlay, text);
}

/* The payload is that of the stop, with the time the request began and the time its data was asked for. */
static bool end_request(struct derivation *d, const struct raw *stop)
{
    struct marker marker = marker_of(stop);
    struct marker_index row = pending_take(&d->requests, field(d, stop, WORD_ID));
    if (marker_exists(row)) {
        marker.start_row = row;
        marker.cause_of_start = true;
        set_start(d, &marker, raw_at(d, row).start);
    } else {
        marker.start = fmin(d->range.start, stop->start);
        marker.incomplete = true;
    }
    set_end(d, &marker, stop->end);
    if (!begin_overlay(d, 2) || !put_time(d, WORD_START_TIME, marker.start) || !put_time(d, WORD_FETCH_START, stop->start))
        return false;
    marker.data = payload_overlay(stop->data, d->overlay.bytes.items, &d->scratch, &d->list->arena);
    return marker.data && add(d, marker);
}

static bool add_request(struct derivation *d, const struct raw *raw)
{
    if (field_is(d, raw, WORD_STATUS, WORD_STATUS_START))
        return pending_put(&d->requests, field(d, raw, WORD_ID), raw->row);
    return end_request(d, raw);
}

/* ---- screenshots ---- */

/* A screenshot that another one ends has that one's category. */
static bool end_screenshot(struct derivation *d, struct marker_index row, const struct raw *next)
{
    struct raw screenshot = raw_at(d, row);
    struct marker marker = marker_of(&screenshot);
    marker.name = d->catalog->texts.words[WORD_SCREENSHOT];
    set_start(d, &marker, screenshot.start);
    set_end(d, &marker, next->start);
    marker.category = next->category;
    return add(d, marker);
}

static bool add_screenshot(struct derivation *d, const struct raw *raw)
{
    const uint8_t *window = field(d, raw, WORD_WINDOW_ID);
    struct marker_index before = pending_take(&d->screenshots, window);
    if (marker_exists(before) && !end_screenshot(d, before, raw))
        return false;
    if (string_same(raw->name, d->catalog->texts.words[WORD_SCREENSHOT_END]))
        return add_by_phase(d, raw);
    return pending_put(&d->screenshots, window, raw->row);
}

static bool add_last_screenshot(struct derivation *d, struct marker_index row)
{
    struct raw screenshot = raw_at(d, row);
    struct marker marker = marker_of(&screenshot);
    marker.name = d->catalog->texts.words[WORD_SCREENSHOT];
    set_start(d, &marker, screenshot.start);
    marker.end = fmax(d->range.end, marker.start);
    return add(d, marker);
}

/* ---- messages between processes ----
 *
 * In the payload `startTime` and `endTime` are those of the message, as far as they are known. */

/* Tids are numbers wherever messages were found. */
static bool put_tid(struct derivation *d, enum marker_word key, struct thread_index thread)
{
    struct slice tid = marker_text(&d->catalog->texts, d->catalog->texts.profile->threads.items[thread.i].tid);
    return put_time(d, key, strtod(tid.text, NULL));
}

static bool put_message(struct derivation *d, const struct ipc_message *message, bool sending)
{
    static const enum marker_word times[IPC_STEPS] = {WORD_START_TIME, WORD_SEND_START_TIME, WORD_SEND_END_TIME,
                                                      WORD_RECV_END_TIME, WORD_END_TIME};
    bool has_sender = string_exists(message->sender_name), has_receiver = string_exists(message->receiver_name);
    uint32_t count = 1 + 2 * (uint32_t)has_sender + 2 * (uint32_t)has_receiver;
    for (size_t i = 0; i < IPC_STEPS; i++)
        count += thread_exists(message->steps[i].thread);
    bool ok = begin_overlay(d, count);
    for (size_t i = 0; ok && i < IPC_STEPS; i++)
        if (thread_exists(message->steps[i].thread))
            ok = put_time(d, times[i], message->steps[i].time);
    if (ok && has_sender)
        ok = put_tid(d, WORD_SEND_TID, message->steps[IPC_SENT].thread) &&
             put_text(d, WORD_SEND_THREAD_NAME, message->sender_name);
    if (ok && has_receiver)
        ok = put_tid(d, WORD_RECV_TID, message->steps[IPC_RECEIVED].thread) &&
             put_text(d, WORD_RECV_THREAD_NAME, message->receiver_name);
    return ok && put_text(d, WORD_NICE_DIRECTION, sending ? message->sent_to_text : message->received_text);
}

static bool add_message(struct derivation *d, const struct raw *raw)
{
    const struct ipc_message *message = ipc_message_of(&d->catalog->ipc, d->thread, raw->row);
    struct ipc_payload payload = ipc_payload_read(&d->catalog->texts, raw->data);
    /* The end of a transfer whose start is known says nothing new. */
    if (!message || (payload.step == IPC_SEND_END && thread_exists(message->steps[IPC_SEND_START].thread)))
        return true;
    static const enum marker_word names[2][2] = {{WORD_IPC_IN, WORD_SYNC_IPC_IN}, {WORD_IPC_OUT, WORD_SYNC_IPC_OUT}};
    struct marker marker = marker_of(raw);
    marker.name = d->catalog->texts.words[names[payload.sending][payload.sync]];
    bool complete = thread_exists(message->steps[IPC_SENT].thread) && thread_exists(message->steps[IPC_RECEIVED].thread);
    marker.incomplete = !complete;
    set_start(d, &marker, message->steps[complete ? IPC_SENT : payload.step].time);
    set_end(d, &marker, complete ? message->steps[IPC_RECEIVED].time : marker.start);
    const uint8_t *data = raw->data;
    if (!thread_exists(message->steps[IPC_SENT].thread))
        data = payload_without(data, d->catalog->texts.words[WORD_START_TIME], &d->scratch, &d->list->arena);
    if (data && !thread_exists(message->steps[IPC_RECEIVED].thread))
        data = payload_without(data, d->catalog->texts.words[WORD_END_TIME], &d->scratch, &d->list->arena);
    if (!data || !put_message(d, message, payload.sending))
        return false;
    marker.data = payload_overlay(data, d->overlay.bytes.items, &d->scratch, &d->list->arena);
    return marker.data && add(d, marker);
}

/* ---- all of them ---- */

static bool add_raw(struct derivation *d, const struct raw *raw)
{
    struct string_index type = marker_payload_type(&d->catalog->texts, raw->data);
    if (string_same(type, d->catalog->texts.words[WORD_NETWORK]))
        return add_request(d, raw);
    if (string_same(type, d->catalog->texts.words[WORD_SCREENSHOT]))
        return add_screenshot(d, raw);
    if (string_same(type, d->catalog->texts.words[WORD_IPC]))
        return add_message(d, raw);
    return add_by_phase(d, raw);
}

/* The columns are read block by block. */
static bool add_block(struct derivation *d, size_t first, size_t count)
{
    uint32_t name[COLUMN_BLOCK_ROWS], category[COLUMN_BLOCK_ROWS];
    int64_t phase[COLUMN_BLOCK_ROWS], data[COLUMN_BLOCK_ROWS];
    double start[COLUMN_BLOCK_ROWS], end[COLUMN_BLOCK_ROWS];
    column_read_u32(&d->raw->name, first, count, name);
    column_read_u32(&d->raw->category, first, count, category);
    column_read(&d->raw->phase, first, count, phase);
    column_read(&d->raw->data, first, count, data);
    column_read_numbers(&d->raw->start, first, count, start);
    column_read_numbers(&d->raw->end, first, count, end);
    for (size_t i = 0; i < count; i++) {
        struct raw raw = {
            .row = marker_at(first + i),
            .name = {name[i]},
            .category = {category[i]},
            .phase = (enum marker_phase)phase[i],
            .start = start[i],
            .end = end[i],
            .data = data[i] == COLUMN_ABSENT ? NULL : d->raw->payloads.bytes.items + data[i],
        };
        if (!add_raw(d, &raw))
            return false;
    }
    return true;
}

static bool add_leftovers(struct derivation *d)
{
    for (size_t i = 0; i < d->names.count; i++)
        if (!add_open_of_name(d, d->names.items[i].newest))
            return false;
    pending_sort(&d->requests);
    for (size_t i = 0; i < d->requests.items.count; i++)
        if (marker_exists(d->requests.items.items[i].row) && !add_open(d, d->requests.items.items[i].row))
            return false;
    pending_sort(&d->screenshots);
    for (size_t i = 0; i < d->screenshots.items.count; i++)
        if (marker_exists(d->screenshots.items.items[i].row) && !add_last_screenshot(d, d->screenshots.items.items[i].row))
            return false;
    return true;
}

bool markers_derive(struct marker_list *list, const struct marker_catalog *catalog, struct thread_index thread,
                    struct time_span range)
{
    struct derivation d = {
        .list = list,
        .catalog = catalog,
        .raw = list->raw,
        .thread = thread,
        .range = range,
        .free_start = INDEX_NONE,
    };
    size_t count = marker_count(d.raw);
    bool ok = true;
    for (size_t first = 0; ok && first < count; first += COLUMN_BLOCK_ROWS)
        ok = add_block(&d, first, count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS);
    ok = ok && add_leftovers(&d);
    vec_free(&d.names);
    map_free(&d.by_name);
    vec_free(&d.starts);
    pending_set_free(&d.requests);
    pending_set_free(&d.screenshots);
    value_bytes_free(&d.overlay);
    value_bytes_free(&d.scratch);
    return ok;
}
