#include "export/gecko_counters.h"

#include "export/gecko_table.h"
#include "export/gecko_text.h"
#include "export/gecko_time.h"

/* ---- collecting ---- */

static struct gecko_counter *find(const struct gecko_counters *counters, uint32_t number)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&counters->by_number, hash_u64(number)); map_probe_next(&probe, &row);)
        if (counters->rows.items[row].number == number)
            return &counters->rows.items[row];
    return NULL;
}

bool gecko_counters_add(struct gecko_counters *counters, const struct counter_entry *entry, struct arena *arena)
{
    if (find(counters, entry->counter))
        return true;
    struct gecko_counter counter = {
        .number = entry->counter, .name = entry->name, .category = entry->category, .description = entry->description};
    return gecko_keep(arena, &counter.name) && gecko_keep(arena, &counter.category) &&
           gecko_keep(arena, &counter.description) && vec_push(&counters->rows, counter) &&
           map_insert(&counters->by_number, hash_u64(counter.number), (uint32_t)counters->rows.count - 1);
}

static bool put(struct gecko_counter *counter, struct gecko_counter_sample sample)
{
    uint8_t *const row = gecko_rows_reserve(&counter->rows, 3 * LEB128_MAX_BYTES);
    if (!row)
        return false;
    uint8_t *out = row;
    gecko_put(&out, sample.time - counter->written.time);
    /* Differences wrap around, as the values do. */
    gecko_put(&out, zigzag_encode((int64_t)((uint64_t)sample.count - (uint64_t)counter->written.count)));
    gecko_put(&out, zigzag_encode((int64_t)(sample.number - counter->written.number)));
    gecko_rows_commit(&counter->rows, (size_t)(out - row));
    counter->written = sample;
    return true;
}

static bool put_held(struct gecko_counter *counter)
{
    bool held = counter->run > 2;
    counter->run = 0;
    return !held || put(counter, counter->held);
}

bool gecko_counters_sample(struct gecko_counters *counters, const struct counter_sample_entry *entry)
{
    struct gecko_counter *counter = find(counters, entry->counter);
    if (!counter)
        return true;
    uint64_t last = counter->run > 2 ? counter->held.time : counter->written.time;
    struct gecko_counter_sample sample = {gecko_later(gecko_time(entry->time), last), entry->count, entry->number};
    counter->has_numbers |= sample.number != 0;
    bool same = counter->run > 0 && sample.count == counter->written.count && sample.number == counter->written.number;
    if (!same && !put_held(counter))
        return false;
    if (++counter->run <= 2)
        return put(counter, sample);
    counter->held = sample;
    return true;
}

bool gecko_counters_finish(struct gecko_counters *counters)
{
    for (size_t i = 0; i < counters->rows.count; i++)
        if (!put_held(&counters->rows.items[i]))
            return false;
    return true;
}

void gecko_counters_free(struct gecko_counters *counters)
{
    for (size_t i = 0; i < counters->rows.count; i++)
        gecko_rows_free(&counters->rows.items[i].rows);
    vec_free(&counters->rows);
    map_free(&counters->by_number);
}

/* ---- writing ---- */

static void write_samples(const struct gecko_counter *counter, struct json_writer *w)
{
    struct gecko_place place = gecko_rows_front(&counter->rows);
    uint64_t time = 0;
    gecko_table_begin(w, counter->has_numbers ? SLICE("{\"time\":0,\"count\":1,\"number\":2}")
                                              : SLICE("{\"time\":0,\"count\":1}"));
    for (const uint8_t *at; (at = gecko_place_next(&place)) != NULL; gecko_place_move(&place, at)) {
        time += gecko_take(&at);
        int64_t count = zigzag_decode(gecko_take(&at)), number = zigzag_decode(gecko_take(&at));
        json_write_begin_array(w);
        gecko_write_time(w, time);
        json_write_integer(w, count);
        if (counter->has_numbers)
            json_write_integer(w, number);
        json_write_end_array(w);
    }
    gecko_table_end(w);
}

static void write_counter(const struct gecko_counter *counter, struct json_writer *w)
{
    json_write_begin_object(w);
    json_write_key(w, "name");
    json_write_string(w, counter->name);
    json_write_key(w, "category");
    json_write_string(w, counter->category);
    json_write_key(w, "description");
    json_write_string(w, counter->description);
    json_write_key(w, "samples");
    write_samples(counter, w);
    json_write_end_object(w);
}

void gecko_counters_write(const struct gecko_counters *counters, struct json_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < counters->rows.count; i++) {
        const struct gecko_counter *counter = &counters->rows.items[i];
        if (counter->rows.count == 0)
            continue;
        if (!any) {
            json_write_key(w, "counters");
            json_write_begin_array(w);
        }
        any = true;
        write_counter(counter, w);
    }
    if (any)
        json_write_end_array(w);
}
