#include "export/gecko_overhead.h"

#include "export/gecko_table.h"
#include "export/gecko_time.h"

static void add(struct gecko_cost_sum *sum, uint64_t cost)
{
    if (sum->count == 0 || cost < sum->least)
        sum->least = cost;
    if (cost > sum->most)
        sum->most = cost;
    sum->sum = gecko_time(sum->sum + cost);
    sum->count++;
}

bool gecko_overhead_add(struct gecko_overhead *overhead, const struct overhead_entry *entry)
{
    const uint64_t parts[] = {gecko_time(entry->locking_ns), gecko_time(entry->cleaning_ns), gecko_time(entry->counters_ns),
                              gecko_time(entry->threads_ns)};
    uint64_t time = gecko_later(gecko_time(entry->time), overhead->last), all = 0;
    uint8_t *const row = gecko_rows_reserve(&overhead->rows, 5 * LEB128_MAX_BYTES);
    if (!row)
        return false;
    uint8_t *out = row;
    gecko_put(&out, time - overhead->last);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        gecko_put(&out, parts[i]);
        add(&overhead->sums[COST_LOCKING + i], parts[i]);
        all = gecko_time(all + parts[i]);
    }
    if (overhead->rows.count > 0)
        add(&overhead->sums[COST_INTERVAL], time - overhead->last);
    else
        overhead->first = time;
    add(&overhead->sums[COST_ALL], all);
    overhead->last = time;
    gecko_rows_commit(&overhead->rows, (size_t)(out - row));
    return true;
}

void gecko_overhead_free(struct gecko_overhead *overhead)
{
    gecko_rows_free(&overhead->rows);
}

static void write_microseconds(struct json_writer *w, uint64_t nanoseconds)
{
    json_write_decimal(w, (int64_t)gecko_time(nanoseconds), 3);
}

static void write_under(struct json_writer *w, struct slice first, struct slice second, uint64_t nanoseconds)
{
    char key[32];
    memcpy(key, first.text, first.length);
    memcpy(key + first.length, second.text, second.length);
    json_write_key_slice(w, (struct slice){key, first.length + second.length});
    write_microseconds(w, nanoseconds);
}

static void write_statistics(const struct gecko_overhead *overhead, struct json_writer *w)
{
    static const struct slice names[COST_COUNT] = {{"Interval", 8}, {"Overhead", 8}, {"Lockings", 8},
                                                   {"Cleaning", 8}, {"Counter", 7},  {"Thread", 6}};
    uint64_t duration = overhead->last - overhead->first, all = overhead->sums[COST_ALL].sum;
    json_write_key(w, "statistics");
    json_write_begin_object(w);
    write_under(w, SLICE("profiledDuration"), SLICE(""), duration);
    json_write_key(w, "samplingCount");
    json_write_integer(w, (int64_t)overhead->rows.count);
    write_under(w, SLICE("overheadDurations"), SLICE(""), all);
    json_write_key(w, "overheadPercentage");
    json_write_decimal(w, duration > 0 ? (int64_t)((double)all / (double)duration * 1e6 + 0.5) : 0, 6);
    for (size_t i = 0; i < COST_COUNT; i++) {
        const struct gecko_cost_sum *sum = &overhead->sums[i];
        write_under(w, SLICE("mean"), names[i], sum->sum / sum->count);
        write_under(w, SLICE("min"), names[i], sum->least);
        write_under(w, SLICE("max"), names[i], sum->most);
    }
    json_write_end_object(w);
}

void gecko_overhead_write(const struct gecko_overhead *overhead, struct json_writer *w)
{
    if (overhead->rows.count == 0)
        return;
    struct gecko_place place = gecko_rows_front(&overhead->rows);
    uint64_t time = 0;
    json_write_key(w, "profilerOverhead");
    json_write_begin_object(w);
    json_write_key(w, "samples");
    gecko_table_begin(w, SLICE("{\"time\":0,\"locking\":1,\"expiredMarkerCleaning\":2,\"counters\":3,\"threads\":4}"));
    for (const uint8_t *at; (at = gecko_place_next(&place)) != NULL; gecko_place_move(&place, at)) {
        json_write_begin_array(w);
        time += gecko_take(&at);
        write_microseconds(w, time);
        for (size_t i = 0; i < 4; i++)
            write_microseconds(w, gecko_take(&at));
        json_write_end_array(w);
    }
    gecko_table_end(w);
    /* One row has no interval. */
    if (overhead->rows.count > 1)
        write_statistics(overhead, w);
    json_write_end_object(w);
}
