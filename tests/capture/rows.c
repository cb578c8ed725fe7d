#include "rows.h"

#include "scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The last stack of a thread in this chunk. */
struct last {
    int64_t id; /* number of a thread, or -tid */
    uint32_t stack;
};

struct reading {
    struct rows *rows;
    int pid;
    unsigned files;
    struct last last[2 * ROWS_THREADS];
    size_t last_count;
};

static struct slice copy(struct slice text)
{
    char *bytes = malloc(text.length + 1);
    assert_non_null(bytes);
    if (text.length > 0)
        memcpy(bytes, text.text, text.length);
    return (struct slice){bytes, text.length};
}

static struct frame_entry copy_frame(const struct frame_entry *frame)
{
    struct frame_entry own = *frame;
    own.text = copy(frame->text);
    own.file = copy(frame->file);
    return own;
}

static struct last *last_of(struct reading *reading, int64_t id)
{
    for (size_t i = 0; i < reading->last_count; i++)
        if (reading->last[i].id == id)
            return &reading->last[i];
    assert_true(reading->last_count < sizeof reading->last / sizeof *reading->last);
    struct last *last = &reading->last[reading->last_count++];
    *last = (struct last){id, OBSERVED_NO_STACK};
    return last;
}

static uint32_t take_stack(struct reading *reading, int64_t id, const struct stack_part *part)
{
    struct rows *rows = reading->rows;
    struct last *last = last_of(reading, id);
    const struct rows_stack *before = last->stack == OBSERVED_NO_STACK ? NULL : &rows->stacks.items[last->stack];
    assert_true(part->shared <= (before ? before->count : 0));
    struct rows_stack stack = {calloc(part->shared + part->frames.count + 1, sizeof(struct frame_entry)), 0, part->truncated};
    assert_non_null(stack.frames);
    for (; stack.count < part->shared; stack.count++)
        stack.frames[stack.count] = copy_frame(&before->frames[stack.count]);
    struct frame_reader frames;
    frame_reader_init(&frames, &part->frames);
    for (struct frame_entry frame; frame_reader_next(&frames, &frame);)
        stack.frames[stack.count++] = copy_frame(&frame);
    assert_int_equal(frames.left, 0);
    last->stack = (uint32_t)rows->stacks.count;
    assert_true(vec_push(&rows->stacks, stack));
    return last->stack;
}

static struct rows_thread *thread_by_number(struct rows *rows, uint32_t number)
{
    for (size_t i = 0; i < rows->thread_count; i++)
        if (rows->threads[i].number == number)
            return &rows->threads[i];
    return NULL;
}

struct rows_thread *rows_thread_by_tid(struct rows *rows, int tid)
{
    for (size_t i = rows->thread_count; i-- > 0;) /* the latest */
        if (rows->threads[i].tid == tid)
            return &rows->threads[i];
    return NULL;
}

static int visit(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct reading *reading = data;
    struct rows *rows = reading->rows;
    struct rows_thread *thread;
    switch (entry->kind) {
    case ENTRY_THREAD:
        thread = thread_by_number(rows, entry->thread.thread);
        if (!thread) {
            assert_true(rows->thread_count < ROWS_THREADS);
            thread = &rows->threads[rows->thread_count++];
            *thread =
                (struct rows_thread){.number = entry->thread.thread, .tid = entry->thread.tid, .main = entry->thread.main};
        }
        assert_true(observed_begin(&thread->observed, entry->thread.time, entry->thread.cpu_ns));
        break;
    case ENTRY_THREAD_END:
        thread = thread_by_number(rows, entry->thread_end.thread);
        assert_non_null(thread);
        observed_end(&thread->observed, &entry->thread_end);
        break;
    case ENTRY_SAMPLE:
        thread = thread_by_number(rows, entry->sample.thread);
        assert_non_null(thread);
        assert_true(observed_sample(&thread->observed, &entry->sample,
                                    take_stack(reading, entry->sample.thread, &entry->sample.stack)));
        break;
    case ENTRY_LOOK:
        thread = rows_thread_by_tid(rows, entry->look.tid);
        if (thread) {
            bool has_stack = entry->look.stack.shared + entry->look.stack.frames.count > 0;
            uint32_t stack = has_stack ? take_stack(reading, -entry->look.tid, &entry->look.stack) : OBSERVED_NO_STACK;
            assert_true(observed_look(&thread->observed, &entry->look, stack));
        }
        break;
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
    case ENTRY_PAUSE_SAMPLING:
    case ENTRY_RESUME_SAMPLING:
        assert_true(pauses_add(&rows->pauses, entry->kind, entry->time));
        break;
    default:
        break;
    }
    return 0;
}

static void chunk_changed(void *data)
{
    ((struct reading *)data)->last_count = 0;
}

static const struct session_visitor visitor = {.entry = visit, .chunk_changed = chunk_changed};

static void read_looks(struct reading *reading, const char *path)
{
    char looks[PATH_MAX];
    uint64_t owner;
    struct error error = {0};
    struct session_reading result;
    assert_true(session_looks_path(path, looks, &owner));
    if (access(looks, F_OK) != 0)
        return;
    struct session_file *file = session_file_open(looks, &error);
    assert_non_null(file);
    assert_int_equal(session_file_visit_owner(file, owner, &visitor, reading, &result, &error), 0);
    assert_int_equal(result.bad_entries, 0);
    session_file_close(file);
}

static int read_file(void *data, const char *path, struct error *error)
{
    struct reading *reading = data;
    struct session_reading result;
    struct session_file_header header;
    struct session_file *file = session_file_open(path, error);
    assert_non_null(file);
    session_file_header(file, &header);
    if (reading->pid == 0 || header.pid == reading->pid) {
        reading->files++;
        reading->rows->header = header;
        assert_int_equal(session_file_visit(file, &visitor, reading, &result, error), 0);
        assert_int_equal(result.bad_entries, 0);
        read_looks(reading, path);
    }
    session_file_close(file);
    return 0;
}

struct rows *rows_read(const char *folder, int pid)
{
    struct error error = {0};
    struct reading *reading = calloc(1, sizeof *reading);
    struct rows *rows = calloc(1, sizeof *rows);
    assert_true(reading && rows);
    reading->rows = rows;
    reading->pid = pid;
    assert_int_equal(session_folder_visit(folder, read_file, reading, &error), 0);
    assert_int_equal(reading->files, 1);
    free(reading);
    struct rows_recording recording = {
        .interval_ns = rows->header.interval_ns, .tick_ns = rows->header.tick_ns, .pauses = &rows->pauses};
    for (size_t i = 0; i < rows->thread_count; i++)
        assert_true(thread_rows_make(&rows->threads[i].observed, &recording, &rows->threads[i].rows));
    return rows;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->stacks.count; i++) {
        for (size_t j = 0; j < rows->stacks.items[i].count; j++) {
            free((char *)(uintptr_t)rows->stacks.items[i].frames[j].text.text);
            free((char *)(uintptr_t)rows->stacks.items[i].frames[j].file.text);
        }
        free(rows->stacks.items[i].frames);
    }
    vec_free(&rows->stacks);
    for (size_t i = 0; i < rows->thread_count; i++) {
        observed_free(&rows->threads[i].observed);
        thread_rows_free(&rows->threads[i].rows);
    }
    pauses_free(&rows->pauses);
    free(rows);
}

bool stack_has_function(const struct rows_stack *stack, uint64_t function)
{
    for (size_t i = 0; stack && i < stack->count; i++)
        if (stack->frames[i].kind == FRAME_NATIVE && stack->frames[i].address - function < FUNCTION_BYTES)
            return true;
    return false;
}

bool stack_has_label(const struct rows_stack *stack, const char *label)
{
    for (size_t i = 0; stack && i < stack->count; i++)
        if (stack->frames[i].kind == FRAME_LABEL && slice_equal(stack->frames[i].text, slice_of(label)))
            return true;
    return false;
}

const struct rows_stack *row_stack(const struct rows *rows, const struct thread_row *row)
{
    return row->stack == OBSERVED_NO_STACK ? NULL : &rows->stacks.items[row->stack];
}

uint64_t rows_weight(const struct rows *rows, const struct rows_thread *thread, enum thread_row_kind kind, uint64_t function)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < thread->rows.rows.count; i++) {
        const struct thread_row *row = &thread->rows.rows.items[i];
        if (row->kind == kind && (function == 0 || stack_has_function(row_stack(rows, row), function)))
            sum += row->weight_ns;
    }
    return sum;
}
