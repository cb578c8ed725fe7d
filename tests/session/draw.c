/* The drawings that other tests are made of: what is drawn is what a reader finds. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/session_draw.h"
#include "support/session_dump.h"

static void check_drawing(const char *drawing, const char *expected)
{
    char folder[64], path[PATH_MAX];
    struct session_reading reading;
    session_draw(session_folder_make(folder), drawing, path);
    char *text = session_dump(path, &reading);
    assert_string_equal(text, expected);
    assert_int_equal(reading.bad_entries, 0);
    assert_int_equal(reading.chunks_missed, 0);
    free(text);
    session_folder_remove(folder);
}

static void every_line_is_read_back_as_it_was_drawn(void **state)
{
    (void)state;
    static const char drawing[] =
        "process app executable=/bin/app arguments=\"app --fast\"\n"
        "configuration interval=1ms feature-bits=3 features=stackwalk,cpu filters=Main capacity=1000000 "
        "duration=10000ms time=1ms\n"
        "category 2 Layout colour=purple subcategories=Other,Reflow\n"
        "thread 1 Main tid=101 main sampled cpu=2ms labels=0x7000\n"
        "thread 2 \"a worker\" tid=102 time=4ms\n"
        "thread-name 2 \"New name\" time=5ms\n"
        "thread-end 2 time=9ms cpu=4ms\n"
        "module 1 /bin/app 0x1000-0x5000 bias=0x1000 build-id=c0ffee00 time=3ms\n"
        "module-end 1 time=9ms\n"
        "type 1 HttpRequest description=\"a request\" chart={marker.data.url} tooltip=t table=u "
        "colour=status display=marker-chart,marker-table stack-based\n"
        "field url input=text format=url label=URL\n"
        "field status input=unsigned format=integer hidden\n"
        "field change input=signed\n"
        "field share input=double\n"
        "field ok input=boolean\n"
        "field sent input=time\n"
        "field id input=flow\n"
        "type 2 Empty\n"
        "counter 1 malloc category=Memory description=\"the heap\" time=2ms\n"
        "allocations adaptive maps unseen mean=16384 budget=10000 allocator=/lib/libc.so.6 time=2ms\n"
        "allocations all\n"
        "sample 1 1ms 0x1000 0x1010 label:\"a b\"@2/1 js:fn@file.js:10:2@3 label:c@0/2+js 0x1020\n"
        "sample 2 2ms event call delay=0 0x1000 truncated\n"
        "sample 2 3ms delay=2ms\n"
        "look 101 4ms waiting cpu=1ms ready=5 runs=6 0x1000 0x1010\n"
        "look 102 4ms running\n"
        "look 102 5ms ended cpu=1ms\n"
        "count 1 -4096 number=3 time=1ms\n"
        "pause 5ms\n"
        "resume 6ms\n"
        "pause-sampling 7ms\n"
        "resume-sampling 8ms\n"
        "marker 1 \"a request\" interval=1ms-2ms type=1 category=2/1 url=http://a/ status=200 change=-5 "
        "share=0.25 ok=true sent=17 id=123456789\n"
        "marker 1 plain instant=1ms stack=0x1000,label:a stack-time=1ms stack-thread=2\n"
        "marker 0 begun start=3ms\n"
        "marker 2 over end=4ms\n"
        "allocation 1 5ms 0x5000 size=100 mean=4096 0x1000 label:a truncated\n"
        "allocation 0 5ms 0x6000\n"
        "free 2 6ms 0x5000\n"
        "allocation 1 7ms 0x10000 mapped size=65536\n"
        "unmap 1 8ms 0x10000 size=4096\n"
        "object 1 9ms class=java.lang.String size=24 mean=524288 0x1000 0x1010 truncated\n"
        "caller 1 9ms\n"
        "call-path 0x1000 0x1010\n"
        "call-path +1 0x1020 truncated\n"
        "allocated 1 2560 size=100 after=50\n"
        "freed -1 after=70\n";
    check_drawing(drawing, drawing);
}

static void a_stack_names_only_what_it_does_not_share_with_the_one_before_in_its_chunk(void **state)
{
    (void)state;
    check_drawing("sample 1 1 0x1 0x2 0x3\n"
                  "sample 2 2 0x1 0x2\n"
                  "look 1 3 waiting 0x1 0x2\n"
                  "sample 1 4 0x1 0x2 0x4 0x5\n"
                  "sample 1 5 0x1\n"
                  "sample 1 6 0x1 truncated\n"
                  "look 1 7 waiting 0x1 0x2\n"
                  "sample 1 8\n"
                  "chunk samples\n"
                  "sample 1 9 0x1 0x2\n",
                  "sample 1 1 0x1 0x2 0x3\n"
                  "sample 2 2 0x1 0x2\n"
                  "look 1 3 waiting 0x1 0x2\n"
                  "sample 1 4 +2 0x4 0x5\n"
                  "sample 1 5 +1\n"
                  "sample 1 6 +1 truncated\n"
                  "look 1 7 waiting +2\n"
                  "sample 1 8\n"
                  "chunk samples\n"
                  "sample 1 9 0x1 0x2\n");
}

static void a_gap_loses_a_chunk(void **state)
{
    (void)state;
    check_drawing("pause 1ms\n"
                  "chunk samples\n"
                  "pause 2ms\n"
                  "gap\n"
                  "pause 3ms\n",
                  "pause 1ms\n"
                  "chunk samples\n"
                  "pause 3ms\n");
}

static void times_may_have_units_and_decimals(void **state)
{
    (void)state;
    check_drawing("pause 1.5ms\n# a comment\n\n  pause 2s\npause 3us\npause 0x10\n",
                  "pause 1500000\npause 2000ms\npause 3000\npause 16\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_read_back_as_it_was_drawn),
        cmocka_unit_test(a_stack_names_only_what_it_does_not_share_with_the_one_before_in_its_chunk),
        cmocka_unit_test(a_gap_loses_a_chunk),
        cmocka_unit_test(times_may_have_units_and_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
