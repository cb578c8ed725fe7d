/* What a handler finds becomes SAMPLE entries in chunks that somebody supplied. The test is the handler, and the supplier. */
#include "capture/sampler/sample_writer.h"

#include "lines.h"
#include "session/supply.h"
#include "stack/label_text.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char folder[64];
static struct chunk_manager *chunks;
static struct live_session session;
static struct supply supply;
static struct sample_writer writer, other_writer;

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    struct chunk_manager_options options = {
        .folder = session_folder_make(folder), .pid = 4711, .limit_bytes = 8 << 20, .interval_ns = 1000000};
    chunks = chunk_manager_create(&options, &error);
    assert_non_null(chunks);
    session = (struct live_session){1, chunks, chunk_manager_header(chunks), NULL};
    struct supply_view view = chunk_manager_supply_view(chunks);
    assert_int_equal(supply_begin(&supply, &view), 0);
    supply.limit = 8 << 20;
    memset(&writer, 0, offsetof(struct sample_writer, frames));
    memset(&other_writer, 0, offsetof(struct sample_writer, frames));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    supply_end(&supply);
    chunk_manager_free(chunks);
    session_folder_remove(folder);
    return 0;
}

static uint64_t statistic(enum session_statistic which)
{
    return atomic_load(&session.header->statistics[which]);
}

/* A sample of a thread whose stack has these addresses, oldest first. */
static void sample_of(struct sample_writer *of, uint32_t thread, uint64_t time, const uint64_t *addresses, size_t count)
{
    struct raw_stack *raw = &of->raw;
    raw->time = time;
    raw->cut = raw->has_event_delay = false;
    raw->end = UNWIND_COMPLETE;
    raw->label_count = raw->runtime_count = raw->text_used = 0;
    raw->native_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        raw->native[count - 1 - i] =
            (struct unwind_frame){.pc = addresses[i], .sp = (0x7000 - i * 16) & INT64_MAX, .exact = i + 1 == count};
    struct sample_facts facts = {.thread = thread, .clock = SAMPLE_BY_TICK};
    sample_write(of, &session, &facts);
}

static void sample(uint64_t time, const uint64_t *addresses, size_t count)
{
    sample_of(&writer, 1, time, addresses, count);
}

static void say_thread(void)
{
    struct thread_entry entry = {.thread = 1, .tid = 4711, .main = true, .sampled = true, .name = SLICE("main")};
    struct chunk *kept = chunk_manager_take(chunks, CHUNK_KEPT, 0);
    assert_non_null(kept);
    uint8_t *out = chunk_reserve(kept, 256);
    assert_non_null(out);
    chunk_commit(kept, 256, entry_write_thread(out, 256, &entry));
}

static void frames_that_are_shared_with_the_sample_before_are_not_written_again(void **state)
{
    (void)state;
    say_thread();
    supply_turn(&supply);
    sample(1000, (uint64_t[]){0x1000, 0x1010, 0x1020}, 3);
    sample(2000, (uint64_t[]){0x1000, 0x1010, 0x2020, 0x2030}, 4);
    sample(3000, (uint64_t[]){0x1000, 0x1010, 0x2020, 0x2030}, 4);
    sample(4000, (uint64_t[]){0x1000}, 1);
    sample(5000, (uint64_t[]){0x9000, 0x1010}, 2);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_line(text, "sample 1 1000 0x1000 0x1010 0x1020");
    assert_line(text, "sample 1 2000 +2 0x2020 0x2030");
    assert_line(text, "sample 1 3000 +4");
    assert_line(text, "sample 1 4000 +1");
    assert_line(text, "sample 1 5000 0x9000 0x1010");
    assert_int_equal(statistic(STATISTIC_SAMPLES_TICK), 5);
    free(text);
}

static void where_nothing_is_supplied_a_sample_is_lost_and_counted(void **state)
{
    (void)state;
    say_thread();
    sample(1000, (uint64_t[]){0x1000}, 1);
    assert_int_equal(statistic(STATISTIC_SAMPLES_LOST), 1);
    assert_int_equal(statistic(STATISTIC_SAMPLES_TICK), 0);
    supply_turn(&supply);
    sample(2000, (uint64_t[]){0x1000}, 1);
    assert_int_equal(statistic(STATISTIC_SAMPLES_LOST), 1);
    assert_int_equal(statistic(STATISTIC_SAMPLES_TICK), 1);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_no_line(text, "sample 1 1000*");
    assert_line(text, "sample 1 2000 0x1000");
    free(text);
}

static void a_new_chunk_begins_with_a_whole_stack(void **state)
{
    (void)state;
    enum { FRAMES = 400 };
    uint64_t deep[FRAMES];
    say_thread();
    supply_turn(&supply);
    unsigned samples = 0;
    /* Far apart, and new each time: a few hundred fill a chunk. */
    for (unsigned chunk = 0; chunk < 3 && samples < 10000;) {
        const struct chunk *before = writer.chunk;
        for (unsigned i = 0; i < FRAMES; i++)
            deep[i] = 0x1000 + (uint64_t)i * 0x12345678 + (i > 2 ? (uint64_t)samples * 0x1000 : 0);
        sample(1000 * ++samples, deep, FRAMES);
        supply_turn(&supply);
        chunk += writer.chunk != before;
    }
    assert_int_equal(statistic(STATISTIC_SAMPLES_LOST), 0);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_int_equal(lines_like(text, "chunk samples"), 2);
    assert_int_equal(lines_like(text, "sample 1 *"), samples);
    assert_int_equal(lines_like(text, "sample 1 * +3 *"), samples - 3); /* but for the first of each chunk */
    free(text);
}

static void texts_of_labels_are_compared_and_kept(void **state)
{
    (void)state;
    static const char *const texts[] = {"load page", "load page", "load image"};
    say_thread();
    supply_turn(&supply);
    for (unsigned i = 0; i < 3; i++) {
        /* Each time in another place, as in a handler's own memory. */
        char copy[2][16];
        strcpy(copy[i % 2], texts[i]);
        struct raw_stack *raw = &writer.raw;
        raw->time = 1000 * (i + 1);
        raw->cut = raw->has_event_delay = false;
        raw->end = UNWIND_COMPLETE;
        raw->native_count = raw->runtime_count = raw->text_used = 0;
        raw->label_count = 2;
        raw->labels[0] = (struct raw_label){.stack_address = 0x7000, .text = raw_text_copy(raw, "outside"), .category = 1};
        raw->labels[1] = (struct raw_label){.stack_address = 0x6000, .text = raw_text_copy(raw, copy[i % 2]), .category = 1};
        struct sample_facts facts = {.thread = 1, .clock = SAMPLE_BY_EVENT, .in_call = i == 2};
        sample_write(&writer, &session, &facts);
    }
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_line(text, "sample 1 1000 *label:outside@1 label:\"load page\"@1*");
    assert_line(text, "sample 1 2000 *+2*");
    assert_line(text, "sample 1 3000 *+1 *label:\"load image\"@1*");
    assert_int_equal(lines_like(text, "sample 1 * call*"), 1);
    assert_int_equal(statistic(STATISTIC_SAMPLES_EVENT), 3);
    free(text);
}

static void a_stack_that_is_too_deep_is_cut_and_counted(void **state)
{
    (void)state;
    static uint64_t deep[STACK_FRAMES_MAX];
    say_thread();
    supply_turn(&supply);
    for (unsigned i = 0; i < STACK_FRAMES_MAX; i++)
        deep[i] = 0x1000 + i;
    sample(1000, deep, STACK_FRAMES_MAX);
    assert_int_equal(statistic(STATISTIC_STACKS_TRUNCATED), 0);
    writer.raw.end = UNWIND_NO_RULE;
    writer.raw.time = 2000;
    sample_write(&writer, &session, &(struct sample_facts){.thread = 1});
    assert_int_equal(statistic(STATISTIC_STACKS_TRUNCATED), 1);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_line(text, "sample 1 2000 +1024 truncated");
    free(text);
}

static void threads_share_a_chunk_and_each_goes_on_from_its_own_last_stack(void **state)
{
    (void)state;
    say_thread();
    supply_turn(&supply);
    sample_of(&writer, 1, 1000, (uint64_t[]){0x1000, 0x1010}, 2);
    sample_of(&other_writer, 2, 2000, (uint64_t[]){0x2000, 0x2010}, 2);
    sample_of(&writer, 1, 3000, (uint64_t[]){0x1000, 0x1010}, 2);
    sample_of(&other_writer, 2, 4000, (uint64_t[]){0x2000, 0x2020}, 2);
    assert_ptr_equal(writer.chunk, other_writer.chunk);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_line(text, "sample 1 1000 0x1000 0x1010");
    assert_line(text, "sample 2 2000 0x2000 0x2010"); /* nothing is shared with another thread */
    assert_line(text, "sample 1 3000 +2");
    assert_line(text, "sample 2 4000 +1 0x2020");
    free(text);
}

/* As another thread does on another CPU, between taking a chunk and passing it on. */
static void a_chunk_that_somebody_else_has_is_not_waited_for(void **state)
{
    (void)state;
    say_thread();
    supply_turn(&supply);
    sample(1000, (uint64_t[]){0x1000, 0x1010}, 2);
    struct chunk *taken = chunk_manager_take_supplied(chunks, writer.chunk, 1500);
    assert_ptr_equal(taken, writer.chunk);
    supply_turn(&supply);
    sample(2000, (uint64_t[]){0x1000, 0x1010}, 2);
    assert_ptr_not_equal(taken, writer.chunk);
    chunk_manager_pass_supplied_on(chunks, taken, 2500);
    sample(3000, (uint64_t[]){0x1000, 0x1010}, 2);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_line(text, "sample 1 2000 0x1000 0x1010");
    assert_line(text, "sample 1 3000 +2");
    assert_int_equal(statistic(STATISTIC_SAMPLES_LOST), 0);
    free(text);
}

static void a_chunk_of_an_earlier_session_is_not_touched(void **state)
{
    (void)state;
    say_thread();
    supply_turn(&supply);
    sample(1000, (uint64_t[]){0x1000}, 1);
    /* Unmapped, for all that the writer knows. */
    writer.chunk = (struct chunk *)(uintptr_t)16;
    session.generation++;
    supply_turn(&supply);
    sample(2000, (uint64_t[]){0x1000}, 1);
    assert_int_equal(statistic(STATISTIC_SAMPLES_LOST), 0);
    char *text = session_dump(chunk_manager_path(chunks), NULL);
    assert_line(text, "sample 1 2000 0x1000");
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(frames_that_are_shared_with_the_sample_before_are_not_written_again),
        TEST(where_nothing_is_supplied_a_sample_is_lost_and_counted),
        TEST(a_new_chunk_begins_with_a_whole_stack),
        TEST(texts_of_labels_are_compared_and_kept),
        TEST(a_stack_that_is_too_deep_is_cut_and_counted),
        TEST(threads_share_a_chunk_and_each_goes_on_from_its_own_last_stack),
        TEST(a_chunk_that_somebody_else_has_is_not_waited_for),
        TEST(a_chunk_of_an_earlier_session_is_not_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
