/* What becomes of ticks, stacks and samples: the rows of a thread, and its tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/gecko_document.h"

#define MAIN "thread 1 Main tid=101 main sampled\n"

static void draw(struct gecko_document *document, const char *text)
{
    gecko_document_draw(document, text, NULL);
}

static void a_looked_at_thread_has_its_stack_time_and_cpu_time(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0x1000 0x1010\n"
                         "sample 1 cpu=250us after=10us\n");
    assert_gecko(&document, "threads/0/samples/schema",
                 "{\"stack\":0,\"time\":1,\"eventDelay\":2,\"argumentValues\":3,\"threadCPUDelta\":4}");
    assert_gecko(&document, "threads/0/samples/data", "[[2,1.01,null,null,250000]]");
    assert_gecko(&document, "threads/0/stackTable/data", "[[null,0],[0,1],[1,2]]");
    assert_gecko(&document, "threads/0/frameTable/data", "[[0,false,0],[1,false,0],[2,false,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"0x1000\",\"0x1010\"]");
    gecko_document_close(&document);
}

static void a_thread_that_did_not_run_has_a_row_with_the_same_stack_at_every_tick(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0x10\n"
                         "sample 1 cpu=5\n"
                         "tick 2ms\n"
                         "tick 3ms\n"
                         "stack 1 0x20\n"
                         "sample 1 cpu=7\n"
                         "tick 4ms\n");
    assert_gecko(&document, "threads/0/samples/data",
                 "[[1,1,null,null,5],[1,2,null,null,0],[2,3,null,null,7],[2,4,null,null,0]]");
    gecko_document_close(&document);
}

static void rows_begin_with_the_first_look_and_end_with_the_thread(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "thread 2 Worker tid=102 sampled time=2ms\n"
                         "thread-end 2 time=4ms\n"
                         "tick 1ms\n"
                         "stack 1 0x10\n"
                         "sample 1\n"
                         "tick 2ms\n"
                         "stack 2 0x20\n"
                         "sample 2 cpu=1\n"
                         "tick 3ms\n"
                         "tick 4ms\n"
                         "tick 5ms\n");
    assert_gecko(&document, "threads/1/samples/data", "[[1,2,null,null,1],[1,3,null,null,0]]");
    assert_gecko(&document, "threads/1/registerTime", "2");
    assert_gecko(&document, "threads/1/unregisterTime", "4");
    gecko_document_close(&document);
}

static void a_stack_said_again_without_a_look_adds_no_row(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0x10 0x20\n"
                         "sample 1 cpu=5\n"
                         "tick 2ms\n"
                         "chunk samples\n"
                         "stack 1 0x10 0x20\n"
                         "tick 3ms\n");
    assert_gecko(&document, "threads/0/samples/data", "[[2,1,null,null,5],[2,2,null,null,0],[2,3,null,null,0]]");
    gecko_document_close(&document);
}

static void after_a_gap_there_are_no_rows_until_the_stack_is_known_again(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0x10\n"
                         "sample 1 cpu=5\n"
                         "tick 2ms\n"
                         "chunk samples\n"
                         "tick 3ms\n"
                         "gap\n"
                         "tick 4ms\n"
                         "sample 1 cpu=6\n"
                         "tick 5ms\n"
                         "stack 1 0x10\n"
                         "sample 1 cpu=7\n"
                         "tick 6ms\n");
    assert_gecko(&document, "threads/0/samples/data",
                 "[[1,1,null,null,5],[1,2,null,null,0],[1,5,null,null,7],[1,6,null,null,0]]");
    gecko_document_close(&document);
}

static void a_thread_without_any_stack_shows_its_cpu_time_at_the_root(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "sample 1 cpu=5\n"
                         "tick 2ms\n"
                         "gap\n"
                         "tick 4ms\n"
                         "sample 1 cpu=6\n");
    assert_gecko(&document, "threads/0/samples/data", "[[0,4,null,null,6]]");
    gecko_document_close(&document);
    draw(&document, MAIN "tick 1ms\n"
                         "sample 1 cpu=5\n"
                         "tick 2ms\n");
    assert_gecko(&document, "threads/0/samples/data", "[[0,1,null,null,5],[0,2,null,null,0]]");
    gecko_document_close(&document);
}

static void a_stack_without_frames_is_the_root(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0x10\n"
                         "sample 1 cpu=5\n"
                         "tick 2ms\n"
                         "stack 1\n"
                         "sample 1 cpu=6\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,null,null,5],[0,2,null,null,6]]");
    gecko_document_close(&document);
}

static void an_event_delay_is_written_where_there_is_one(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0x10\n"
                         "sample 1 cpu=5 delay=1500us\n"
                         "tick 2ms\n"
                         "sample 1 cpu=6\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,1.5,null,5],[1,2,null,null,6]]");
    gecko_document_close(&document);
}

static void stacks_and_frames_are_there_once(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "tick 1ms\n"
                         "stack 1 0xa 0xb 0xc\n"
                         "tick 2ms\n"
                         "stack 1 0xa 0xd\n"
                         "tick 3ms\n"
                         "stack 1 0xa 0xb 0xc\n"
                         "tick 4ms\n"
                         "stack 1 0xa 0xb 0xa\n");
    assert_gecko(&document, "threads/0/stackTable/data", "[[null,0],[0,1],[1,2],[2,3],[1,4],[2,1]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"0xa\",\"0xb\",\"0xc\",\"0xd\"]");
    gecko_document_close(&document);
}

static void labels_have_texts_and_categories(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "category 0 Other colour=grey subcategories=Other\n"
                    "category 1 Layout colour=purple subcategories=Other,Reflow\n" MAIN "tick 1ms\n"
                    "stack 1 0xa label:\"Reflow a frame\"@1/1 label:script@0+js label:odd@7/9 label:odd@1/9\n");
    assert_gecko(&document, "threads/0/frameTable/data",
                 "[[0,false,0],[4,false,0],[1,false,0,null,null,null,1,1],[2,true,0,null,null,null,0,0],"
                 "[3,false,0],[3,false,0,null,null,null,1,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"Reflow a frame\",\"script\",\"odd\",\"0xa\"]");
    gecko_document_close(&document);
}

static void frames_of_a_runtime_are_one_function_whatever_line_runs(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "category 0 Other colour=grey subcategories=Other\n" MAIN "tick 1ms\n"
                    "stack 1 js:draw@file.js:10:2@0\n"
                    "tick 2ms\n"
                    "stack 1 js:draw@file.js:11:4@0\n");
    assert_gecko(&document, "threads/0/frameTable/data", "[[0,false,0],[1,false,0,null,10,2,0,0],[1,false,0,null,11,4,0,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"draw (file.js:0)\"]");
    gecko_document_close(&document);
}

static void threads_stand_by_the_time_they_came_the_main_one_first(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "thread 1 early tid=101 sampled time=1ms\n"
                    "thread 2 late tid=102 sampled time=9ms\n"
                    "thread 3 app tid=103 main sampled time=5ms\n"
                    "thread 4 middle tid=104 sampled time=6ms\n"
                    "thread-name 4 \"renamed\" time=7ms\n"
                    "thread 5 unwanted tid=105 time=6ms\n"
                    "thread 6 gone tid=106 sampled time=6ms\n"
                    "thread-end 6 time=7ms\n");
    assert_gecko(&document, "threads/0/name", "\"GeckoMain\"");
    assert_gecko(&document, "threads/0/tid", "103");
    assert_gecko(&document, "threads/1/name", "\"early\"");
    assert_gecko(&document, "threads/2/name", "\"renamed\"");
    assert_gecko(&document, "threads/3/name", "\"late\"");
    assert_gecko_absent(&document, "threads/4");
    gecko_document_close(&document);
}

static void a_thread_said_again_is_the_same_one_with_its_last_name(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "thread 1 app tid=101 main sampled\n"
                    "thread 2 early tid=102 time=1ms\n"
                    "marker 2 m instant=1ms\n"
                    "tick 1ms\n"
                    "thread 2 wanted tid=102 sampled time=1ms\n"
                    "thread-name 2 wanted time=2ms\n"
                    "tick 2ms\nstack 2 label:b\nsample 2 cpu=5us\n"
                    "tick 3ms\n"
                    "thread 2 \"next recording\" tid=102 sampled time=1ms\n");
    assert_gecko(&document, "threads/1/name", "\"next recording\"");
    assert_gecko(&document, "threads/1/tid", "102");
    assert_gecko(&document, "threads/1/registerTime", "1");
    assert_gecko(&document, "threads/1/samples/data", "[[1,2,null,null,5000],[1,3,null,null,0]]");
    assert_gecko_absent(&document, "threads/2");
    gecko_document_close(&document);
}

static void a_recycled_tid_is_two_threads(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "thread 2 first tid=102 sampled time=1ms\n"
                         "thread-end 2 time=2ms\n"
                         "thread 3 second tid=102 sampled time=3ms\n"
                         "tick 1ms\n"
                         "stack 2 0x10\n"
                         "sample 2 cpu=1\n"
                         "tick 2ms\n"
                         "tick 3ms\n"
                         "stack 3 0x20\n"
                         "sample 3 cpu=2\n");
    assert_gecko(&document, "threads/1/samples/data", "[[1,1,null,null,1]]");
    assert_gecko(&document, "threads/2/samples/data", "[[1,3,null,null,2]]");
    gecko_document_close(&document);
}

static void a_process_without_a_main_thread_gets_an_empty_one(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "thread 1 Worker tid=101 sampled\n");
    assert_gecko(&document, "threads/0/name", "\"GeckoMain\"");
    assert_gecko(&document, "threads/0/tid", "4711");
    assert_gecko(&document, "threads/0/samples/data", "[]");
    assert_gecko(&document, "threads/1/name", "\"Worker\"");
    gecko_document_close(&document);
}

static void what_happened_before_since_is_left_out_but_its_stack_lives_on(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document,
                        MAIN "tick 1ms\n"
                             "stack 1 0x10\n"
                             "sample 1 cpu=5\n"
                             "tick 2ms\n"
                             "tick 3ms\n"
                             "sample 1 cpu=6\n",
                        &(struct gecko_options){.since_ns = 2000000});
    assert_gecko(&document, "threads/0/samples/data", "[[1,2,null,null,0],[1,3,null,null,6]]");
    gecko_document_close(&document);
}

static void many_ticks_and_threads_cross_blocks(void **state)
{
    (void)state;
    enum { TICKS = 20000 };
    struct gecko_document document;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, MAIN "thread 2 Late tid=102 sampled\n");
    for (int i = 1; i <= TICKS; i++) {
        fprintf(out, "tick %d003\n", i);
        if (i % 3 != 0)
            fprintf(out, "stack 1 0x10 0x%x\nsample 1 cpu=%d\n", i % 50, i);
        if (i == 15000)
            fprintf(out, "stack 2 0x99\nsample 2 cpu=1\n");
    }
    fclose(out);
    draw(&document, text);
    free(text);
    uint32_t count;
    const uint8_t *row = json_items(gecko_at(&document, "threads/0/samples/data"), &count);
    assert_int_equal(count, TICKS);
    for (int i = 1; i <= TICKS; i++, row = value_skip(row)) {
        assert_true(json_double(json_item(row, 1)) == (i * 1000 + 3) / 1e6);
        assert_int_equal(json_u32(json_item(row, 4)), i % 3 != 0 ? i : 0);
    }
    json_items(gecko_at(&document, "threads/1/samples/data"), &count);
    assert_int_equal(count, TICKS - 15000 + 1);
    assert_gecko(&document, "threads/1/samples/data/0", "[1,15.000003,null,null,1]");
    gecko_document_close(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_looked_at_thread_has_its_stack_time_and_cpu_time),
        cmocka_unit_test(a_thread_that_did_not_run_has_a_row_with_the_same_stack_at_every_tick),
        cmocka_unit_test(rows_begin_with_the_first_look_and_end_with_the_thread),
        cmocka_unit_test(a_stack_said_again_without_a_look_adds_no_row),
        cmocka_unit_test(after_a_gap_there_are_no_rows_until_the_stack_is_known_again),
        cmocka_unit_test(a_thread_without_any_stack_shows_its_cpu_time_at_the_root),
        cmocka_unit_test(a_stack_without_frames_is_the_root),
        cmocka_unit_test(an_event_delay_is_written_where_there_is_one),
        cmocka_unit_test(stacks_and_frames_are_there_once),
        cmocka_unit_test(labels_have_texts_and_categories),
        cmocka_unit_test(frames_of_a_runtime_are_one_function_whatever_line_runs),
        cmocka_unit_test(threads_stand_by_the_time_they_came_the_main_one_first),
        cmocka_unit_test(a_thread_said_again_is_the_same_one_with_its_last_name),
        cmocka_unit_test(a_recycled_tid_is_two_threads),
        cmocka_unit_test(a_process_without_a_main_thread_gets_an_empty_one),
        cmocka_unit_test(what_happened_before_since_is_left_out_but_its_stack_lives_on),
        cmocka_unit_test(many_ticks_and_threads_cross_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
