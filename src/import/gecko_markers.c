#include "import/gecko_state.h"

#include <math.h>

enum marker_field { MARKER_NAME = 1, MARKER_START_TIME, MARKER_END_TIME, MARKER_PHASE, MARKER_CATEGORY, MARKER_DATA };
static const char *const marker_names[] = {"name", "startTime", "endTime", "phase", "category", "data", NULL};

struct marker_rows {
    struct gecko *gecko;
    struct value_bytes *payloads;
};

static void read_cell(struct json_reader *r, unsigned field, struct staged_marker *marker)
{
    switch (field) {
    case MARKER_NAME:
        marker->name = gecko_index(r);
        break;
    case MARKER_START_TIME:
        marker->start = json_number_or_null(r, NAN);
        break;
    case MARKER_END_TIME:
        marker->end = json_number_or_null(r, NAN);
        break;
    case MARKER_PHASE:
        marker->phase = gecko_index(r);
        break;
    case MARKER_CATEGORY:
        marker->category = gecko_index(r);
        break;
    default:
        json_skip(r);
    }
}

static void read_rows(struct json_reader *r, const struct gecko_schema *schema, void *data)
{
    const struct marker_rows *rows = data;
    struct gecko_thread *staged = &rows->gecko->thread;
    if (!json_begin_array(r))
        return;
    while (json_next_item(r)) {
        struct staged_marker marker = {NAN, NAN, NAN, SIZE_MAX, INDEX_NONE, 0, INDEX_NONE, INDEX_NONE, STRING_NONE};
        size_t allocations[] = {staged->js_allocations.count, staged->native_allocations.count};
        bool kept = true;
        json_begin_array(r);
        for (size_t cell = 0; json_next_item(r); cell++) {
            unsigned field = gecko_field(schema, cell);
            if (field == MARKER_DATA)
                kept = gecko_read_payload(rows->gecko, r, rows->payloads, &marker);
            else
                read_cell(r, field, &marker);
        }
        if (kept && !vec_push(&staged->markers, marker))
            json_fail_out_of_memory(r);
        /* The time of an allocation is that of its marker, which may be known only after the payload. */
        double time = marker.start + rows->gecko->process.shift;
        if (staged->js_allocations.count > allocations[0])
            staged->js_allocations.items[allocations[0]].time = time;
        if (staged->native_allocations.count > allocations[1])
            staged->native_allocations.items[allocations[1]].time = time;
    }
}

void gecko_read_markers(struct gecko *gecko, struct json_reader *r, struct thread *thread)
{
    struct marker_rows rows = {gecko, &thread->markers.payloads};
    json_allow_repeated_keys(r, true);
    gecko_table_read(r, marker_names, read_rows, &rows);
    json_allow_repeated_keys(r, false);
}

/* ---- once everything of the thread is known ---- */

static void merge_runs(const struct marker_order *from, size_t middle, size_t count, struct marker_order *to)
{
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; i++)
        to[i] = right >= count || (left < middle && from[left].key <= from[right].key) ? from[left++] : from[right++];
}

static double sort_key(const struct staged_marker *marker)
{
    if (marker->end != 0 && !isnan(marker->end))
        return marker->end;
    return isnan(marker->start) ? 0 : marker->start;
}

/* A stable merge sort. Most threads are in order already, which costs one look. */
bool gecko_sort_markers(struct gecko *gecko)
{
    struct gecko_thread *staged = &gecko->thread;
    size_t count = staged->markers.count;
    if (count == 0)
        return true;
    if (count >= INDEX_NONE || !vec_reserve(&staged->order, 2 * count))
        return false;
    struct marker_order *from = staged->order.items, *to = from + count;
    bool sorted = true;
    for (size_t i = 0; i < count; i++) {
        from[i] = (struct marker_order){sort_key(&staged->markers.items[i]), (uint32_t)i};
        sorted &= i == 0 || from[i - 1].key <= from[i].key;
    }
    for (size_t run = 1; !sorted && run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t length = count - start < 2 * run ? count - start : 2 * run;
            merge_runs(from + start, run < length ? run : length, length, to + start);
        }
        struct marker_order *swap = from;
        from = to;
        to = swap;
    }
    if (from != staged->order.items)
        memcpy(staged->order.items, from, count * sizeof *from);
    return true;
}

static uint32_t walked_row(const struct gecko_thread *staged, uint32_t stack)
{
    return stack == INDEX_NONE ? INDEX_NONE : staged->walked.items[stack];
}

static bool finish_references(struct gecko *gecko, struct json_reader *r, struct value_bytes *payloads)
{
    const struct gecko_thread *staged = &gecko->thread;
    for (size_t i = 0; i < staged->references.count; i++) {
        struct string_reference reference = staged->references.items[i];
        if (reference.string >= staged->strings.count) {
            json_fail(r, "a payload names string %u of %zu, in the thread that ends", reference.string, staged->strings.count);
            return false;
        }
        value_set_string(payloads, reference.place, staged->strings.items[reference.string]);
    }
    return true;
}

static void finish_allocations(struct gecko *gecko, struct thread *thread)
{
    const struct gecko_thread *staged = &gecko->thread;
    thread->js_allocations.present = staged->js_allocations.count > 0;
    for (size_t i = 0; i < staged->js_allocations.count; i++) {
        const struct staged_allocation *row = &staged->js_allocations.items[i];
        struct allocation_table *table = &thread->js_allocations;
        column_append_index(&table->stack, walked_row(staged, row->stack));
        column_append_number(&table->time, row->time);
        column_append_number(&table->weight, row->weight);
        column_append_index(&table->class_name, row->class_name.i);
        column_append_index(&table->type_name, row->type_name.i);
        column_append_index(&table->coarse_type, row->coarse_type.i);
        column_append(&table->in_nursery, row->in_nursery);
    }
    thread->native_allocations.present = staged->native_allocations.count > 0;
    for (size_t i = 0; i < staged->native_allocations.count; i++) {
        const struct staged_allocation *row = &staged->native_allocations.items[i];
        struct allocation_table *table = &thread->native_allocations;
        column_append_index(&table->stack, walked_row(staged, row->stack));
        column_append_number(&table->time, row->time);
        column_append_number(&table->weight, row->weight);
        if (!staged->balanced)
            continue;
        column_append_number(&table->memory_address, row->memory_address);
        column_append(&table->thread_id, row->thread_id);
    }
}

bool gecko_finish_markers(struct gecko *gecko, struct json_reader *r, struct thread *thread)
{
    const struct gecko_thread *staged = &gecko->thread;
    struct marker_table *table = &thread->markers;
    double shift = gecko->process.shift;
    if (!finish_references(gecko, r, &table->payloads))
        return false;
    marker_table_set_origin(table, shift);
    for (size_t i = 0; i < staged->markers.count; i++) {
        const struct staged_marker *row = &staged->markers.items[staged->order.items[i].row];
        if (row->name >= staged->strings.count || row->phase > MARKER_END) {
            json_fail(r, "marker %zu has no name or no phase, in the thread that ends", i);
            return false;
        }
        struct raw_marker marker = {
            .name = staged->strings.items[row->name],
            .start = row->start + shift,
            .end = row->end + shift,
            .phase = (enum marker_phase)row->phase,
            .category = category_at(row->category),
            .cause_stack = stack_at(walked_row(staged, row->cause_stack)),
            .cause_time = row->cause_time,
            .cause_tid = row->cause_tid,
            .thread_id = STRING_NONE,
            .data = row->data == SIZE_MAX ? NULL : table->payloads.bytes.items + row->data,
        };
        marker_table_append(table, &marker);
    }
    finish_allocations(gecko, thread);
    return true;
}
