/* Drawn sessions as profiles. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drawn.h"
#include "import/session.h"
#include "support/failing_alloc.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

/* ---- samples ---- */

static void a_sample_has_its_stack_its_time_and_the_cpu_time_it_stands_for(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms label:a label:b\n"
                         "look 101 2ms running cpu=250us\n",
                    &profile);
    assert_rows(&profile, 0,
                "1 a;b 0.25ms cpu\n"
                "2 (waiting) 1.75ms\n");
    const struct sample_table *samples = &profile.threads.items[0].samples;
    assert_true(column_get_number(&samples->cpu_delta, 0) == 250000);
    assert_int_equal(profile.meta.cpu_unit, CPU_NANOSECONDS);
    assert_int_equal(samples->weight_type, WEIGHT_TRACING_MS);
    profile_free(&profile);
}

static void threads_whose_chunks_overlap_in_time_have_their_rows_in_order(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "thread 2 Worker tid=102 sampled\n"
                         "sample 1 1ms label:a label:b\nsample 1 3ms label:a\n"
                         "chunk samples\n"
                         "sample 2 1ms label:x\nsample 2 2ms label:y\n"
                         "chunk samples\n"
                         "sample 1 4ms label:a label:c\n",
                    &profile);
    assert_rows(&profile, 0, "1 a;b 1ms cpu\n3 a 1ms cpu\n4 a;c 1ms cpu\n");
    assert_rows(&profile, 1, "1 x 1ms cpu\n2 y 1ms cpu\n");
    profile_free(&profile);
}

static void a_thread_has_rows_while_it_lives(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "thread 2 Worker tid=102 sampled time=1500us\n"
                         "thread-end 2 time=4ms cpu=1ms\n"
                         "sample 1 1ms label:a\n"
                         "sample 2 3ms label:x\n",
                    &profile);
    assert_rows(&profile, 1,
                "3 x 1ms cpu\n"
                "4 (waiting) 1.5ms\n");
    assert_true(profile.threads.items[1].register_time == 1.5 && profile.threads.items[1].unregister_time == 4);
    assert_true(isnan(profile.threads.items[0].unregister_time));
    profile_free(&profile);
}

static void lost_chunks_cost_their_samples(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms label:a\n"
                         "chunk samples\n"
                         "sample 1 2ms label:lost\n"
                         "gap\n"
                         "sample 1 8ms label:b\n",
                    &profile);
    assert_rows(&profile, 0, "1 a 1ms cpu\n8 b 1ms cpu\n");
    profile_free(&profile);
}

static void cpu_time_without_stacks_is_kept(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms\nsample 1 2ms\n", &profile);
    assert_rows(&profile, 0, "1 - 1ms cpu\n2 - 1ms cpu\n");
    profile_free(&profile);
}

static void event_delays_are_a_column_where_there_are_any(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms label:a delay=2500us\nsample 1 2ms label:a\n", &profile);
    assert_rows(&profile, 0, "1 a 1ms cpu delay=2.5\n2 a 1ms cpu delay=nan\n");
    profile_free(&profile);
}

static void a_truncated_stack_says_so_at_its_root(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms label:a label:b truncated\nsample 1 2ms label:a label:b\n", &profile);
    assert_rows(&profile, 0, "1 (truncated stack);a;b 1ms cpu\n2 a;b 1ms cpu\n");
    assert_meta(&profile, "sonde/quality/truncatedShare", "0.5");
    profile_free(&profile);
}

/* ---- threads ---- */

static void threads_come_with_names_ids_and_process_the_main_thread_first(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("process app executable=/bin/app arguments=\"app\"\n"
                    "thread 1 Early tid=102 sampled time=1ms\n"
                    "thread 2 Main tid=4711 main sampled\n"
                    "thread-name 1 Newer time=3ms\n"
                    "thread-name 1 Older time=2ms\n"
                    "sample 1 1ms label:a\n",
                    &profile);
    assert_int_equal(profile.threads.count, 2);
    const struct thread *main = &profile.threads.items[0], *other = &profile.threads.items[1];
    assert_string_equal(text_of(&profile, main->name), "Main");
    assert_true(main->is_main_thread && !other->is_main_thread);
    assert_string_equal(text_of(&profile, other->name), "Newer");
    assert_string_equal(text_of(&profile, other->tid), "102");
    assert_string_equal(text_of(&profile, other->pid), "4711");
    assert_string_equal(text_of(&profile, other->process_name), "app");
    assert_string_equal(text_of(&profile, profile.meta.product), "app");
    profile_free(&profile);
}

static void a_thread_said_again_is_the_same_one_with_its_last_name(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "thread 2 Early tid=102 time=1ms\n"
                         "marker 2 m instant=1ms\n"
                         "sample 1 1ms label:a\n"
                         "thread 2 Wanted tid=102 sampled time=1ms\n"
                         "thread-name 2 Wanted time=2ms\n"
                         "sample 2 2ms label:b\n"
                         "thread 2 \"Next recording\" tid=102 sampled time=5ms cpu=3ms\n"
                         "sample 2 6ms label:b\n"
                         "look 102 7ms running cpu=5ms\n",
                    &profile);
    assert_int_equal(profile.threads.count, 2);
    const struct thread *thread = &profile.threads.items[1];
    assert_string_equal(text_of(&profile, thread->name), "Next recording");
    assert_string_equal(text_of(&profile, thread->tid), "102");
    assert_true(thread->register_time == 1);
    assert_rows(&profile, 1, "2 b 1ms cpu\n6 b 2ms cpu\n");
    profile_free(&profile);
}

static void threads_without_samples_and_markers_are_left_out_and_counted(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "thread 2 Short tid=102 sampled time=1ms\n"
                         "thread-end 2 time=1100us\n"
                         "thread 3 Marking tid=103 time=1ms\n"
                         "thread 4 Filtered tid=104 time=1ms\n"
                         "marker 3 m instant=1ms\n",
                    &profile);
    assert_int_equal(profile.threads.count, 2);
    assert_string_equal(text_of(&profile, profile.threads.items[1].name), "Marking");
    assert_meta(&profile, "sonde/quality/notes",
                "[\"the recording has no end: the program was killed, or still runs\",\"1 thread ended before the first "
                "sample\"]");
    profile_free(&profile);
}

/* ---- markers and counters ---- */

static void markers_have_payload_category_and_stack(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(
        "category 0 Other colour=grey subcategories=Other\n"
        "category 1 Net colour=blue subcategories=Other\n" MAIN
        "type 1 HttpRequest chart={marker.data.url} display=marker-chart,marker-table\n"
        "field url input=text format=url label=URL\n"
        "field status input=unsigned format=integer\n"
        "field ok input=boolean\n"
        "field sent input=time format=time\n"
        "field share input=double format=percentage\n"
        "marker 1 request interval=1ms-2ms type=1 category=1 url=http://a/ status=200 ok=true sent=1500us share=0.5\n"
        "marker 1 plain instant=3ms stack=label:a,label:b stack-time=2500us\n"
        "marker 0 nobody start=4ms\n"
        "marker 1 nobody end=5ms\n",
        &profile);
    assert_markers(&profile, 0,
                   "request interval 1 2 Net {\"type\":\"HttpRequest\",\"url\":\"http://a/\",\"status\":200,\"ok\":true,"
                   "\"sent\":1.5,\"share\":0.5}\n"
                   "plain instant 3 Other by a;b at 2.5 in 101\n"
                   "nobody start 4 Other\n"
                   "nobody end 5 Other\n");
    const struct marker_schema *schema =
        marker_schema_find(&profile.schemas, string_table_find(&profile.strings, SLICE("HttpRequest")));
    assert_non_null(schema);
    assert_int_equal(schema->fields.count, 5);
    assert_string_equal(text_of(&profile, schema->chart_label), "{marker.data.url}");
    assert_int_equal(schema->fields.items[0].format, FORMAT_URL);
    profile_free(&profile);
}

static void a_payload_has_each_key_once(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "type 1 T\nfield n input=signed format=integer\nfield cause input=text\n"
                         "field n input=signed format=integer\nfield m input=signed format=integer\n"
                         "marker 1 a instant=1ms type=1 n=1 cause=x m=2\n",
                    &profile);
    assert_markers(&profile, 0, "a instant 1 Other {\"type\":\"T\",\"n\":1,\"m\":2}\n");
    const struct marker_schema *schema = marker_schema_find(&profile.schemas, string_table_find(&profile.strings, SLICE("T")));
    assert_non_null(schema);
    assert_int_equal(schema->fields.count, 2);
    assert_meta(
        &profile, "sonde/quality/notes",
        "[\"the recording has no end: the program was killed, or still runs\",\"2 fields of markers are left out: named "
        "type or cause, as the profile's own, or twice the same\"]");
    profile_free(&profile);
}

static void markers_that_come_out_of_order_are_sorted(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "type 1 T\nfield n input=signed format=integer\n"
                         "marker 1 c instant=3ms type=1 n=3\n"
                         "marker 1 a instant=1ms type=1 n=1\n"
                         "marker 1 b interval=0-2ms type=1 n=2\n",
                    &profile);
    assert_markers(&profile, 0,
                   "a instant 1 Other {\"type\":\"T\",\"n\":1}\n"
                   "b interval 0 2 Other {\"type\":\"T\",\"n\":2}\n"
                   "c instant 3 Other {\"type\":\"T\",\"n\":3}\n");
    profile_free(&profile);
}

static void counters_are_changes_from_one_row_to_the_next(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("counter 1 malloc category=Memory description=\"the heap\"\n"
                    "counter 2 never category=Memory\n" MAIN "count 1 4096 number=3 time=1ms\n"
                    "count 1 4000 number=5 time=2ms\n",
                    &profile);
    assert_int_equal(profile.counters.rows.count, 1);
    const struct counter *counter = &profile.counters.rows.items[0];
    assert_string_equal(text_of(&profile, counter->name), "malloc");
    assert_string_equal(text_of(&profile, counter->pid), "4711");
    assert_int_equal(counter->main_thread.i, 0);
    assert_true(column_get_number(&counter->time, 0) == 1 && column_get_number(&counter->time, 1) == 1);
    assert_true(column_get_number(&counter->count, 0) == 4096 && column_get_number(&counter->count, 1) == -96);
    assert_true(column_get_number(&counter->number, 0) == 3 && column_get_number(&counter->number, 1) == 2);
    profile_free(&profile);
}

/* ---- meta and quality ---- */

static void meta_says_what_was_run_and_how(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("process app executable=/bin/app arguments=\"app --fast\"\n"
                    "configuration interval=1ms features=stackwalk,js filters=Main,Worker capacity=1000000 time=2ms\n" MAIN,
                    &profile);
    assert_meta(&profile, "configuration",
                "{\"features\":[\"stackwalk\",\"js\"],\"threads\":[\"Main\",\"Worker\"],\"interval\":1,\"capacity\":1000000}");
    assert_meta(&profile, "arguments", "\"app --fast\"");
    assert_true(profile.meta.interval == 1);
    assert_true(profile.meta.start_time == 1.7e12);
    assert_true(profile.meta.profiling_start_time == 2);
    assert_int_equal(profile.categories.rows.count, 8);
    profile_free(&profile);
}

/* What the kernel counted before is a row that stands before the configuration. */
static void the_recording_starts_with_the_first_row_at_the_latest(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("configuration interval=1ms time=3ms\n" MAIN "thread 2 Worker tid=102 sampled\n"
                    "sample 1 2ms label:a\nsample 1 9ms label:b\nsample 2 5ms label:c\n",
                    &profile);
    assert_true(profile.meta.profiling_start_time == 2);
    profile_free(&profile);
    session_profile("configuration interval=1ms time=3ms\n" MAIN "sample 1 4ms label:a\n", &profile);
    assert_true(profile.meta.profiling_start_time == 3);
    profile_free(&profile);
    session_profile(MAIN "sample 1 4ms label:a\n", &profile);
    assert_true(isnan(profile.meta.profiling_start_time));
    profile_free(&profile);
}

static void pauses_are_kept_with_the_threads_and_noted(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "pause 1ms\npause-sampling 2ms\nresume 3ms\nresume-sampling 4ms\n", &profile);
    const uint8_t *other = profile.threads.items[0].other.bytes.items;
    struct value ranges = value_read(value_find(other, string_table_find(&profile.strings, SLICE("pausedRanges"))));
    assert_int_equal(ranges.count, 1);
    assert_meta(&profile, "sonde/quality/notes",
                "[\"the recording has no end: the program was killed, or still runs\",\"paused 1 time, 0.0 s in all\"]");
    profile_free(&profile);
}

static void quality_comes_from_the_statistics_of_the_session(void **state)
{
    (void)state;
    char folder[64];
    struct session_draw *draw = session_draw_open(session_folder_make(folder));
    session_draw_text(draw, MAIN "sample 1 1ms label:a\n");
    struct session_file_header *header = session_draw_header(draw);
    header->statistics[STATISTIC_SAMPLES_EVENT] = 150;
    header->statistics[STATISTIC_SAMPLES_TICK] = 20;
    header->statistics[STATISTIC_LOOKS] = 7;
    header->statistics[STATISTIC_LOOKS_REFUSED] = 1;
    header->clock = SESSION_CLOCK_EVENTS;
    header->statistics[STATISTIC_SAMPLES_LOST] = 10;
    header->statistics[STATISTIC_POWER_REFUSED] = 4;
    header->statistics[STATISTIC_THREADS_UNREGISTERED] = 2;
    header->unregistered_ns = 3000000;
    strcpy(header->unregistered_names, "iou-sqp-4711");
    header->held[4] = 98; /* below 1024 ns, not below 512 */
    header->held[10] = 2;
    header->end_ns = 5000000;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", session_draw_path(draw));
    session_draw_close(draw);

    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(session_import(path, NULL, &profile, &error), 0);
    assert_meta(&profile, "sonde/quality/taken", "170");
    assert_meta(&profile, "sonde/quality/lost", "10");
    assert_meta(&profile, "sonde/quality/looks", "7");
    assert_meta(&profile, "sonde/quality/clock", "\"events\"");
    assert_meta(&profile, "sonde/quality/clockRefused", "null");
    assert_meta(&profile, "sonde/quality/cpuMs", "1");
    assert_meta(&profile, "sonde/quality/stoppedMsP50", "0.0007732244897959183");
    assert_meta(&profile, "sonde/quality/stoppedMsP99", "0.049152");
    assert_meta(
        &profile, "sonde/quality/notes",
        "[\"10 samples were lost: no buffer was free to write to\","
        "\"the stacks of 1 wait could not be read: the program runs as another user, or is not dumpable\","
        "\"0.003 s of CPU time (75.0 % of all) used by 2 threads that could not be sampled (iou-sqp-4711): created before "
        "the recording could see them, or without pthread_create\","
        "\"4 power sensors can be read by root only (chmod a+r /sys/class/powercap/*/energy_uj)\"]");
    assert_true(profile.meta.profiling_end_time == 5);
    profile_free(&profile);
    session_folder_remove(folder);
}

/* ---- damage ---- */

static void entries_that_name_what_is_not_there_are_passed_over(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 7 1ms label:a\nlook 9 1ms waiting label:a\nsample 1 1ms label:a@99/7\n"
                         "count 5 1 time=1ms\n"
                         "marker 9 m instant=1ms\n"
                         "marker 1 m instant=1ms category=77\n",
                    &profile);
    assert_rows(&profile, 0, "1 a 1ms cpu\n");
    assert_markers(&profile, 0, "m instant 1 Other\n");
    profile_free(&profile);
}

/* ---- too little memory ---- */

static int import_attempt(void *data, struct error *error)
{
    struct profile profile;
    profile_init(&profile);
    int failed = session_import(data, NULL, &profile, error);
    profile_free(&profile);
    return failed;
}

static void too_little_memory_is_a_clean_error(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    session_draw(session_folder_make(folder),
                 "process app executable=/bin/app arguments=\"app --fast\"\n"
                 "configuration interval=1ms features=stackwalk,js filters=Main capacity=1000 time=0\n"
                 "category 0 Other colour=grey subcategories=Other,More\n"
                 "counter 1 malloc category=Memory\n"
                 "type 1 T\nfield n input=text format=string\n" APP_MODULE MAIN
                 "thread 2 Worker tid=102 sampled\nthread 3 Short tid=103 sampled\n"
                 "sample 1 1ms 0x1100 label:a js:f@a.js:1 truncated\n"
                 "look 101 3ms waiting cpu=500us ready=500us runs=2 0x1100 0x1200\n"
                 "sample 2 1ms 0x1100\nlook 102 2ms running cpu=1ms\nlook 103 9ms running cpu=5ms\n"
                 "count 1 5 time=1ms\npause 2ms\n"
                 "marker 1 b instant=2ms type=1 n=x stack=0x1100\nmarker 1 a instant=1ms\n",
                 path);
    assert_true(assert_survives_failing_allocations(import_attempt, path) > 20);
    session_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_its_stack_its_time_and_the_cpu_time_it_stands_for),
        cmocka_unit_test(threads_whose_chunks_overlap_in_time_have_their_rows_in_order),
        cmocka_unit_test(a_thread_has_rows_while_it_lives),
        cmocka_unit_test(lost_chunks_cost_their_samples),
        cmocka_unit_test(cpu_time_without_stacks_is_kept),
        cmocka_unit_test(event_delays_are_a_column_where_there_are_any),
        cmocka_unit_test(a_truncated_stack_says_so_at_its_root),
        cmocka_unit_test(threads_come_with_names_ids_and_process_the_main_thread_first),
        cmocka_unit_test(a_thread_said_again_is_the_same_one_with_its_last_name),
        cmocka_unit_test(threads_without_samples_and_markers_are_left_out_and_counted),
        cmocka_unit_test(markers_have_payload_category_and_stack),
        cmocka_unit_test(a_payload_has_each_key_once),
        cmocka_unit_test(markers_that_come_out_of_order_are_sorted),
        cmocka_unit_test(counters_are_changes_from_one_row_to_the_next),
        cmocka_unit_test(meta_says_what_was_run_and_how),
        cmocka_unit_test(the_recording_starts_with_the_first_row_at_the_latest),
        cmocka_unit_test(pauses_are_kept_with_the_threads_and_noted),
        cmocka_unit_test(quality_comes_from_the_statistics_of_the_session),
        cmocka_unit_test(entries_that_name_what_is_not_there_are_passed_over),
        cmocka_unit_test(too_little_memory_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
