/* What becomes of samples and looks: the rows of a thread, and its tables. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/gecko_document.h"
#include "support/session_draw.h"

#define MAIN "thread 1 Main tid=101 main sampled\n"

static void draw(struct gecko_document *document, const char *text)
{
    gecko_document_draw(document, text, NULL);
}

static void a_sample_has_its_stack_time_and_cpu_time(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1010us 0x1000 0x1010\nlook 101 2ms running cpu=900us\n");
    assert_gecko(&document, "threads/0/samples/schema",
                 "{\"stack\":0,\"time\":1,\"eventDelay\":2,\"argumentValues\":3,\"threadCPUDelta\":4}");
    assert_gecko(&document, "threads/0/samples/data", "[[2,1.01,null,null,900000],[3,2,null,null,0]]");
    assert_gecko(&document, "threads/0/stackTable/data", "[[null,0],[0,1],[1,2],[0,3]]");
    assert_gecko(&document, "threads/0/frameTable/data", "[[0,false,0],[2,false,0],[3,false,0],[1,false,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"(waiting)\",\"0x1000\",\"0x1010\"]");
    gecko_document_close(&document);
}

static void a_sample_that_stands_for_several_intervals_has_as_many_rows(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 8ms 0x10\nlook 101 10ms running cpu=3ms runs=1\n");
    assert_gecko(&document, "threads/0/samples/data",
                 "[[1,6,null,null,1000000],[1,7,null,null,1000000],[1,8,null,null,1000000],"
                 "[2,8.285716,null,null,0],[2,8.57143,null,null,0],[2,8.857144,null,null,0],[2,9.142858,null,null,0],"
                 "[2,9.428572,null,null,0],[2,9.714286,null,null,0],[2,10,null,null,0]]");
    gecko_document_close(&document);
}

static void what_is_less_than_an_interval_is_carried_on(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0x10\nsample 1 2ms 0x20\nsample 1 3ms 0x30\nsample 1 4ms 0x40\n"
                         "look 101 5ms running cpu=2ms\n");
    /* Half an interval each: every other one has a row, with the CPU time of both. */
    assert_gecko(
        &document, "threads/0/samples/data",
        "[[1,1,null,null,500000],[3,3,null,null,1000000],[5,3.666668,null,null,0],[5,4.333334,null,null,0],[5,5,null,null,0]]");
    gecko_document_close(&document);
}

static void a_wait_has_a_row_for_each_interval_of_it_and_is_idle(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0x10 0x20\nlook 101 4ms waiting cpu=1ms runs=1 0x10 0x20\n");
    assert_gecko(&document, "threads/0/samples/data",
                 "[[2,1,null,null,1000000],[3,2,null,null,0],[3,3,null,null,0],[3,4,null,null,0]]");
    assert_gecko(&document, "threads/0/stackTable/data", "[[null,0],[0,1],[1,2],[1,3]]");
    assert_gecko(&document, "threads/0/frameTable/data",
                 "[[0,false,0],[1,false,0],[2,false,0],[2,false,0,null,null,null,1,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"0x10\",\"0x20\"]");
    assert_gecko(&document, "meta/categories/1/name", "\"Idle\"");
    gecko_document_close(&document);
}

static void ready_time_has_a_frame_and_a_category_of_its_own(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0x10\nlook 101 3ms running cpu=1ms ready=2ms runs=2\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,null,null,1000000],[2,2,null,null,0],[2,3,null,null,0]]");
    assert_gecko(&document, "threads/0/frameTable/data/2", "[1,false,0,null,null,null,1,0]");
    assert_gecko(&document, "threads/0/stringTable/1", "\"(waiting for a CPU)\"");
    assert_gecko(&document, "meta/categories/1/name", "\"Waiting for CPU\"");
    gecko_document_close(&document);
}

static void cpu_time_without_samples_has_a_frame_that_says_so(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "look 101 3ms running cpu=2ms\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,2,null,null,1000000],[1,3,null,null,1000000],[2,3,null,null,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"(not sampled)\",\"(waiting)\"]");
    gecko_document_close(&document);
}

static void page_faults_have_a_frame_below_the_code_that_faulted(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0x10\nsample 1 2ms 0x10 fault\nlook 101 2ms running cpu=2ms\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,null,null,1000000],[2,2,null,null,1000000]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"(page fault)\",\"0x10\"]");
    gecko_document_close(&document);
}

static void a_long_wait_is_coarser_if_it_were_too_many_rows(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document, MAIN "look 101 100s waiting runs=1 0x10\n", &(struct gecko_options){.rows_most = 10});
    uint32_t count;
    json_items(gecko_at(&document, "threads/0/samples/data"), &count);
    assert_int_equal(count, 10);
    gecko_document_close(&document);
    /* Clocks that make no sense are not believed to have that much to show. */
    gecko_document_draw(&document,
                        MAIN "sample 1 1ms 0x10\nlook 101 0x7fffffffffffffff waiting cpu=0x7fffffffffffffff "
                             "ready=0x7fffffffffffffff runs=1 0x10\n",
                        &(struct gecko_options){.rows_most = 100});
    json_items(gecko_at(&document, "threads/0/samples/data"), &count);
    assert_in_range(count, 1, 200);
    gecko_document_close(&document);
}

static void a_sample_without_a_stack_is_at_the_root(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0x10\nsample 1 2ms\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,null,null,1000000],[0,2,null,null,1000000]]");
    gecko_document_close(&document);
}

static void an_event_delay_is_written_where_there_is_one(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0x10 delay=1500us\nsample 1 2ms 0x10\n");
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,1.5,null,1000000],[1,2,null,null,1000000]]");
    gecko_document_close(&document);
}

static void what_was_seen_from_outside_is_read_from_the_file_beside(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], path[PATH_MAX];
    session_draw(session_folder_make(folder), MAIN "sample 1 1ms 0x1100\n", path);
    session_draw_looks(folder, "owner 4711-0\nlook 101 3ms waiting cpu=1ms runs=1 0x1200\n"
                               "module 1000 /lib/late.so 0x1000-0x2000\n"
                               "owner 4711-1\nlook 101 9ms waiting runs=9 0x1300\n");
    gecko_document_open(&document, path, NULL);
    session_folder_remove(folder);
    assert_gecko(&document, "threads/0/samples/data", "[[1,1,null,null,1000000],[3,2,null,null,0],[3,3,null,null,0]]");
    assert_gecko(&document, "libs/0/path", "\"/lib/late.so\"");
    gecko_document_close(&document);
}

static void stacks_and_frames_are_there_once(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "sample 1 1ms 0xa 0xb 0xc\n"
                         "sample 1 2ms 0xa 0xd\n"
                         "sample 1 3ms 0xa 0xb 0xc\n"
                         "sample 1 4ms 0xa 0xb 0xa\n");
    assert_gecko(&document, "threads/0/stackTable/data", "[[null,0],[0,1],[1,2],[2,3],[1,4],[2,1]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"0xa\",\"0xb\",\"0xc\",\"0xd\"]");
    gecko_document_close(&document);
}

static void labels_have_texts_and_categories(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "category 0 Other colour=grey subcategories=Other\n"
                    "category 1 Layout colour=purple subcategories=Other,Reflow\n" MAIN
                    "sample 1 1ms 0xa label:\"Reflow a frame\"@1/1 label:script@0+js label:odd@7/9 label:odd@1/9\n");
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
    draw(&document, "category 0 Other colour=grey subcategories=Other\n" MAIN "sample 1 1ms js:draw@file.js:10:2@0\n"
                    "sample 1 2ms js:draw@file.js:11:4@0\n");
    assert_gecko(&document, "threads/0/frameTable/data", "[[0,false,0],[1,false,0,null,10,2,0,0],[1,false,0,null,11,4,0,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"draw (file.js:0)\"]");
    gecko_document_close(&document);
}

static void code_of_a_runtime_has_its_place_tier_and_category(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "category 0 Other colour=grey subcategories=Other\n"
                    "category 1 JavaScript colour=yellow subcategories=Other,Interpreter,Baseline\n"
                    "code v8 0x9000-0x9100 draw file=file.js line=3 column=7 tier=baseline lines=0:3,16:4 time=0\n"
                    "code v8 0xa000-0xa100 draw file=file.js line=3 column=7 tier=interpreter time=0\n" MAIN
                    "sample 1 1ms v8:0xa004 0x1000 0x9010\n");
    assert_gecko(&document, "threads/0/stringTable",
                 "[\"(root)\",\"draw (file.js:3:7)\",\"interpreter\",\"baseline\",\"0x1000\"]");
    assert_gecko(&document, "threads/0/frameTable/data",
                 "[[0,false,0],[1,false,0,2,null,null,1,1],[4,false,0,null,null,null,2,0],[1,false,0,3,4,null,1,2]]");
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
                    "thread 2 wanted tid=102 sampled time=1ms\n"
                    "thread-name 2 wanted time=2ms\n"
                    "sample 2 2ms label:b\n"
                    "thread 2 \"next recording\" tid=102 sampled time=1ms\n");
    assert_gecko(&document, "threads/1/name", "\"next recording\"");
    assert_gecko(&document, "threads/1/tid", "102");
    assert_gecko(&document, "threads/1/registerTime", "1");
    assert_gecko(&document, "threads/1/samples/data", "[[1,2,null,null,1000000]]");
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
                         "look 102 2ms waiting runs=1 0x10\n"
                         "look 102 5ms waiting runs=1 0x20\n");
    assert_gecko(&document, "threads/1/samples/data", "[[2,2,null,null,0]]");
    assert_gecko(&document, "threads/2/samples/data", "[[2,4,null,null,0],[2,5,null,null,0]]");
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

static void what_happened_before_since_is_left_out(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document, MAIN "sample 1 1ms 0x10\nlook 101 4ms waiting cpu=1ms runs=1 0x20\n",
                        &(struct gecko_options){.since_ns = 3000000});
    assert_gecko(&document, "threads/0/samples/data", "[[3,3,null,null,0],[3,4,null,null,0]]");
    gecko_document_close(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_its_stack_time_and_cpu_time),
        cmocka_unit_test(a_sample_that_stands_for_several_intervals_has_as_many_rows),
        cmocka_unit_test(what_is_less_than_an_interval_is_carried_on),
        cmocka_unit_test(a_wait_has_a_row_for_each_interval_of_it_and_is_idle),
        cmocka_unit_test(ready_time_has_a_frame_and_a_category_of_its_own),
        cmocka_unit_test(cpu_time_without_samples_has_a_frame_that_says_so),
        cmocka_unit_test(page_faults_have_a_frame_below_the_code_that_faulted),
        cmocka_unit_test(a_long_wait_is_coarser_if_it_were_too_many_rows),
        cmocka_unit_test(a_sample_without_a_stack_is_at_the_root),
        cmocka_unit_test(an_event_delay_is_written_where_there_is_one),
        cmocka_unit_test(what_was_seen_from_outside_is_read_from_the_file_beside),
        cmocka_unit_test(stacks_and_frames_are_there_once),
        cmocka_unit_test(labels_have_texts_and_categories),
        cmocka_unit_test(frames_of_a_runtime_are_one_function_whatever_line_runs),
        cmocka_unit_test(code_of_a_runtime_has_its_place_tier_and_category),
        cmocka_unit_test(threads_stand_by_the_time_they_came_the_main_one_first),
        cmocka_unit_test(a_thread_said_again_is_the_same_one_with_its_last_name),
        cmocka_unit_test(a_recycled_tid_is_two_threads),
        cmocka_unit_test(a_process_without_a_main_thread_gets_an_empty_one),
        cmocka_unit_test(what_happened_before_since_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
