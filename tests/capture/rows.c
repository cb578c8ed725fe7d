#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_ROOM = 32 << 10 };

/* What is known of a thread while reading. */
struct current {
    struct frame_entry frames[STACK_FRAMES_MAX];
    char text[TEXT_ROOM];
    size_t count;
    bool truncated;
    /* Of this tick: */
    uint64_t cpu_ns, event_delay_ns;
    bool has_event_delay, is_new;
};

struct reading {
    struct rows *rows;
    void (*row)(void *data, const struct row *row);
    void *data;
    struct current *current; /* of each thread */
    uint64_t tick;
    bool in_tick;
};

static uint32_t index_of(const struct rows *rows, uint32_t number)
{
    for (uint32_t i = 0; i < rows->thread_count; i++)
        if (rows->threads[i].number == number)
            return i;
    return UINT32_MAX;
}

static void end_tick(struct reading *reading)
{
    struct rows *rows = reading->rows;
    for (uint32_t i = 0; reading->in_tick && i < rows->thread_count; i++) {
        struct rows_thread *thread = &rows->threads[i];
        struct current *now = &reading->current[i];
        if (thread->start_ns > reading->tick || thread->end_ns < reading->tick)
            continue;
        thread->rows++;
        thread->cpu_ns += now->cpu_ns;
        struct row row = {
            i,           reading->tick, now->cpu_ns, now->has_event_delay, now->event_delay_ns, now->is_new, now->truncated,
            now->frames, now->count};
        if (reading->row)
            reading->row(reading->data, &row);
        now->cpu_ns = 0;
        now->has_event_delay = now->is_new = false;
    }
}

static void take_stack(struct current *now, const struct stack_entry *stack)
{
    struct frame_reader reader;
    assert_true(stack->shared <= now->count);
    size_t used = 0;
    now->count = stack->shared;
    for (size_t i = 0; i < now->count; i++)
        used += now->frames[i].text.length + now->frames[i].file.length;
    frame_reader_init(&reader, &stack->frames);
    for (struct frame_entry frame; frame_reader_next(&reader, &frame);) {
        assert_true(now->count < STACK_FRAMES_MAX && used + frame.text.length + frame.file.length <= TEXT_ROOM);
        struct slice *texts[] = {&frame.text, &frame.file};
        for (size_t i = 0; i < 2; i++) {
            memcpy(now->text + used, texts[i]->text, texts[i]->length);
            texts[i]->text = now->text + used;
            used += texts[i]->length;
        }
        now->frames[now->count++] = frame;
    }
    assert_int_equal(reader.left, 0);
    now->truncated = stack->truncated;
    now->is_new = true;
}

static int visit(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct reading *reading = data;
    struct rows *rows = reading->rows;
    switch (entry->kind) {
    case ENTRY_THREAD:
        if (index_of(rows, entry->thread.thread) == UINT32_MAX) {
            assert_true(rows->thread_count < ROWS_THREADS);
            rows->threads[rows->thread_count++] = (struct rows_thread){
                entry->thread.thread, entry->thread.tid, entry->thread.main, entry->thread.time, UINT64_MAX, 0, 0};
        }
        break;
    case ENTRY_THREAD_END:
        rows->threads[index_of(rows, entry->thread_end.thread)].end_ns = entry->thread_end.time;
        break;
    case ENTRY_TICK:
        end_tick(reading);
        assert_true(entry->tick.time >= reading->tick);
        reading->tick = entry->tick.time;
        reading->in_tick = true;
        if (rows->ticks++ == 0)
            rows->first_tick = reading->tick;
        rows->last_tick = reading->tick;
        break;
    case ENTRY_STACK:
        take_stack(&reading->current[index_of(rows, entry->stack.thread)], &entry->stack);
        break;
    case ENTRY_SAMPLE: {
        struct current *now = &reading->current[index_of(rows, entry->sample.thread)];
        now->cpu_ns += entry->sample.cpu_ns;
        now->is_new = true;
        now->has_event_delay = entry->sample.has_event_delay;
        now->event_delay_ns = entry->sample.event_delay_ns;
        break;
    }
    default:
        break;
    }
    return 0;
}

static int read_file(void *data, const char *path, struct error *error)
{
    struct reading *reading = data;
    struct session_reading result;
    struct session_file *file = session_file_open(path, error);
    assert_non_null(file);
    session_file_header(file, &reading->rows->header);
    struct session_visitor visitor = {.entry = visit};
    assert_int_equal(session_file_visit(file, &visitor, reading, &result, error), 0);
    assert_int_equal(result.bad_entries, 0);
    end_tick(reading);
    session_file_close(file);
    return 0;
}

static struct reading reading_of(struct rows *rows, void (*row)(void *data, const struct row *row), void *data)
{
    memset(rows, 0, sizeof *rows);
    struct reading reading = {rows, row, data, calloc(ROWS_THREADS, sizeof(struct current)), 0, false};
    assert_non_null(reading.current);
    return reading;
}

void rows_read(const char *folder, struct rows *rows, void (*row)(void *data, const struct row *row), void *data)
{
    struct error error = {0};
    struct reading reading = reading_of(rows, row, data);
    assert_int_equal(session_folder_visit(folder, read_file, &reading, &error), 0);
    free(reading.current);
}

void rows_read_file(const char *path, struct rows *rows, void (*row)(void *data, const struct row *row), void *data)
{
    struct error error = {0};
    struct reading reading = reading_of(rows, row, data);
    assert_int_equal(read_file(&reading, path, &error), 0);
    free(reading.current);
}

const struct rows_thread *rows_thread_by_tid(const struct rows *rows, int tid)
{
    for (size_t i = 0; i < rows->thread_count; i++)
        if (rows->threads[i].tid == tid)
            return &rows->threads[i];
    return NULL;
}

bool row_has_function(const struct row *row, uint64_t function, uint64_t bytes)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->frames[i].kind == FRAME_NATIVE && row->frames[i].address - function < bytes)
            return true;
    return false;
}

bool row_has_label(const struct row *row, const char *label)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->frames[i].kind == FRAME_LABEL && slice_equal(row->frames[i].text, slice_of(label)))
            return true;
    return false;
}
