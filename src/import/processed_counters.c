/* Counters of processed profiles. */
#include "import/processed_table.h"

static void read_samples(struct processed *p, struct counter *counter)
{
    struct column deltas;
    column_init(&deltas, COLUMN_NUMBERS, &p->profile->arena);
    struct file_column columns[] = {
        {"count", &counter->count, .cell = CELL_NUMBER, .required = true},
        {"time", &counter->time, .cell = CELL_NUMBER},
        {"timeDeltas", &deltas, .cell = CELL_NUMBER},
        {"number", &counter->number, .cell = CELL_NUMBER},
    };
    size_t rows = processed_read_table(p, "counter.samples", columns, sizeof columns / sizeof *columns);
    if (!columns[1].found) {
        struct column unused = counter->time;
        counter->time = deltas;
        counter->time_is_deltas = true;
        deltas = unused;
        if (!columns[2].found && rows > 0)
            processed_fail(p, "counter.samples has neither time nor timeDeltas");
    }
    column_free(&deltas);
}

/* Before counters said how they are drawn, all they could bring was a colour: a display with nothing else. */
static void keep_color(struct processed *p, struct counter *counter)
{
    struct string_index key = processed_intern(p, SLICE("color")), color = processed_read_name(p, NULL);
    if (counter->display.bytes.count > 0 || !string_exists(color))
        return;
    if (!value_put_object(&counter->display, 1) || !value_put_key(&counter->display, key) ||
        !value_put_string(&counter->display, color))
        processed_out_of_memory(p);
}

static void keep_display(struct processed *p, struct counter *counter)
{
    counter->display.bytes.count = 0;
    value_from_json(p->r, &p->profile->strings, &counter->display);
}

static void read_counter(struct processed *p)
{
    struct counter *counter = counter_list_add(&p->profile->counters, &p->profile->arena);
    if (!counter) {
        processed_out_of_memory(p);
        return;
    }
    if (json_begin_object(p->r))
        for (struct slice key; json_next_key(p->r, &key);) {
            if (slice_is(key, "name"))
                counter->name = processed_read_name(p, NULL);
            else if (slice_is(key, "category"))
                counter->category = processed_read_name(p, NULL);
            else if (slice_is(key, "description"))
                counter->description = processed_read_name(p, NULL);
            else if (slice_is(key, "pid"))
                counter->pid = processed_read_name(p, NULL);
            else if (slice_is(key, "mainThreadIndex")) {
                int64_t thread = json_integer(p->r);
                counter->main_thread = thread_at(thread >= 0 && thread < INDEX_NONE ? (size_t)thread : INDEX_NONE);
            } else if (slice_is(key, "samples"))
                read_samples(p, counter);
            else if (slice_is(key, "color") && p->version < PROCESSED_COUNTER_DISPLAY)
                keep_color(p, counter);
            else if (slice_is(key, "display") && json_peek(p->r) == JSON_OBJECT)
                keep_display(p, counter);
            else
                json_skip(p->r);
        }
}

void processed_read_counters(struct processed *p)
{
    if (json_begin_array(p->r))
        while (json_next_item(p->r))
            read_counter(p);
}
