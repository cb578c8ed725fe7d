/* Sampled allocations of drawn sessions, as the Firefox Profiler has them: one table for a process, matched by address. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocations/sampling.h"
#include "drawn.h"
#include "import/session.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

/* "TIME WEIGHT ADDRESS TID STACK" a line: the stack as the row of its frame's func, oldest first. */
static void assert_allocations(const struct profile *profile, size_t thread, const char *expected)
{
    const struct allocation_table *table = &profile->threads.items[thread].native_allocations;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < allocation_count(table); i++) {
        fprintf(out, "%g %g 0x%x %d", column_get_number(&table->time, i), column_get_number(&table->weight, i),
                (unsigned)column_get_number(&table->memory_address, i), (int)column_get(&table->thread_id, i));
        struct stack_index stack = stack_at(column_get_index(&table->stack, i));
        for (; stack_exists(stack); stack = stack_prefix(&profile->stacks, stack)) {
            size_t func = column_get_index(&profile->frames.func, stack_frame(&profile->stacks, stack).i);
            fprintf(out, " %s", text_of(profile, string_at(column_get_index(&profile->funcs.name, func))));
        }
        fputc('\n', out);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

#define TWO_THREADS MAIN "thread 2 Worker tid=102 sampled\n"

static void an_allocation_has_its_stack_its_time_and_what_it_stands_for(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 2ms 0x5000 size=100000 mean=1000 label:a label:b\n", &profile);
    assert_true(profile.threads.items[0].native_allocations.present);
    assert_allocations(&profile, 0, "2 100000 0x5000 101 b a\n");
    profile_free(&profile);
}

static void small_blocks_stand_for_all_that_were_not_taken(void **state)
{
    (void)state;
    struct profile profile;
    char expected[80];
    session_profile(MAIN "allocation 1 2ms 0x5000 size=100 mean=65536 label:a\n", &profile);
    snprintf(expected, sizeof expected, "2 %g 0x5000 101 a\n", round(sampling_weight(100, 65536)));
    assert_allocations(&profile, 0, expected);
    profile_free(&profile);
}

static void a_free_weighs_what_its_allocation_does_whoever_frees(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(TWO_THREADS "allocation 2 2ms 0x5000 size=100 label:a\n"
                                "sample 2 1ms label:a\n"
                                "free 1 3ms 0x5000\n",
                    &profile);
    assert_allocations(&profile, 0, "2 100 0x5000 102 a\n3 -100 0x5000 101\n");
    assert_false(profile.threads.items[1].native_allocations.present);
    profile_free(&profile);
}

static void rows_are_in_the_order_of_time_whichever_chunk_they_are_in(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(TWO_THREADS "free 2 3ms 0x5000\n"
                                "allocation 2 4ms 0x5000 size=200 label:b\n"
                                "chunk markers\n"
                                "allocation 1 2ms 0x5000 size=100 label:a\n"
                                "free 1 5ms 0x5000\n",
                    &profile);
    assert_allocations(&profile, 0, "2 100 0x5000 101 a\n3 -100 0x5000 102\n4 200 0x5000 102 b\n5 -200 0x5000 101\n");
    profile_free(&profile);
}

static void a_free_whose_allocation_is_gone_is_left_out(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "free 1 1ms 0x5000\nallocation 1 2ms 0x6000 size=100 label:a\nfree 1 3ms 0x6000\nfree 1 4ms 0x6000\n",
                    &profile);
    assert_allocations(&profile, 0, "2 100 0x6000 101 a\n3 -100 0x6000 101\n");
    profile_free(&profile);
}

static void an_address_that_is_given_out_again_was_freed(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 2ms 0x5000 size=100 label:a\nallocation 1 3ms 0x5000 size=200 label:b\n", &profile);
    assert_allocations(&profile, 0, "2 100 0x5000 101 a\n3 -100 0x5000 101\n3 200 0x5000 101 b\n");
    profile_free(&profile);
}

static void a_thread_that_is_not_registered_has_no_number(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 0 2ms 0x5000 size=100\n", &profile);
    assert_allocations(&profile, 0, "2 100 0x5000 0\n");
    profile_free(&profile);
}

static void a_process_without_allocations_has_no_table(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms label:a\n", &profile);
    assert_false(profile.threads.items[0].native_allocations.present);
    profile_free(&profile);
}

static void a_row_says_how_large_its_block_was(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 2ms 0x5000 size=100 mean=65536 label:a\nfree 1 3ms 0x5000\n"
                         "allocation 1 4ms 0x6000 size=0 label:b\n",
                    &profile);
    const struct column *size = &profile.threads.items[0].native_allocations.size;
    assert_int_equal(column_count(size), 3);
    assert_true(column_get_number(size, 0) == 100 && column_get_number(size, 1) == 100 && column_get_number(size, 2) == 1);
    profile_free(&profile);
}

static void a_block_that_is_written_down_once_more_is_the_same(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 2ms 0x5000 size=100 label:a\n"
                         "allocation 1 3ms 0x6000 size=300 label:b\n"
                         "chunk markers\n"
                         "allocation 1 2ms 0x5000 size=100 label:a\n"
                         "free 1 4ms 0x5000\n",
                    &profile);
    assert_allocations(&profile, 0, "2 100 0x5000 101 a\n3 300 0x6000 101 b\n4 -100 0x5000 101\n");
    profile_free(&profile);
}

static void every_allocation_is_told_from_its_caller_on(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(TWO_THREADS "caller 2 2ms\n"
                                "call-path label:a label:b\n"
                                "call-path +1 label:c\n"
                                "allocated 0 0xa00 size=100 after=1000000\n"
                                "allocated 1 2 size=50 after=0\n"
                                "freed -2 after=1000000\n"
                                "caller 1 9ms\n"
                                "call-path label:d\n"
                                "freed 0xa02 after=0\n"
                                "allocated 0 0 size=1 after=1000000\n",
                    &profile);
    assert_allocations(&profile, 0,
                       "3 100 0x5000 102 b a\n3 50 0x5010 102 c a\n4 -100 0x5000 102\n9 -50 0x5010 101\n"
                       "10 1 0x5010 101 d\n");
    profile_free(&profile);
}

static void allocations_without_a_caller_in_their_chunk_are_left_out(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "caller 1 2ms\ncall-path label:a\nallocated 0 0xa00 size=100 after=0\n"
                         "chunk markers\nallocated 0 2 size=50 after=0\nfreed 0 after=0\n"
                         "caller 1 3ms\nallocated 7 0xb00 size=50 after=0\n",
                    &profile);
    assert_allocations(&profile, 0, "2 100 0x5000 101 a\n3 50 0x5800 101\n");
    profile_free(&profile);
}

/* A thread that frees and gets the same block back within one tick of a clock; and one whose block another thread gets. */
static void at_one_moment_a_thread_has_its_own_order_and_frees_of_others_come_first(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(TWO_THREADS "caller 1 2ms\ncall-path label:a\nallocated 0 0xa00 size=100 after=0\nfreed 0 after=0\n"
                                "allocated 0 0 size=200 after=0\n"
                                "caller 2 2ms\ncall-path label:b\nallocated 0 0xb00 size=300 after=0\n"
                                "allocated 0 -256 size=400 after=1000000\n"
                                "chunk markers\n"
                                "caller 1 3ms\nfreed 0xa00 after=0\n",
                    &profile);
    assert_allocations(&profile, 0,
                       "2 100 0x5000 101 a\n2 -100 0x5000 101\n2 200 0x5000 101 a\n2 300 0x5800 102 b\n"
                       "3 -200 0x5000 102\n3 400 0x5000 102 b\n");
    profile_free(&profile);
}

static void a_mapping_is_unmapped_as_a_whole_or_in_parts(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 1ms 0x10000 mapped size=0x1000 label:a\n"
                         "unmap 1 2ms 0x10000 size=0x1000\n"
                         "allocation 1 3ms 0x20000 mapped size=0x4000 label:b\n"
                         "unmap 1 4ms 0x21000 size=0x1000\n"
                         "unmap 1 5ms 0x23000 size=0x8000\n",
                    &profile);
    assert_allocations(&profile, 0,
                       "1 4096 0x10001 101 (mapped memory) a\n2 -4096 0x10001 101\n"
                       "3 4096 0x20001 101 (mapped memory) b\n3 4096 0x21001 101 (mapped memory) b\n"
                       "3 4096 0x22001 101 (mapped memory) b\n3 4096 0x23001 101 (mapped memory) b\n"
                       "4 -4096 0x21001 101\n5 -4096 0x23001 101\n");
    /* All pieces together are one mapping. */
    const struct allocation_table *table = &profile.threads.items[0].native_allocations;
    assert_true(column_get_number(&table->size, 2) == 0x4000);
    profile_free(&profile);
}

static void a_mapping_in_the_place_of_others_ends_them(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 1ms 0x10000 mapped size=0x2000 label:a\n"
                         "allocation 1 2ms 0x12000 mapped size=0x2000 label:b\n"
                         "allocation 1 3ms 0x11000 mapped size=0x2000 label:c\n"
                         "unmap 1 4ms 0 size=0xffffffffffffffff\n",
                    &profile);
    assert_allocations(&profile, 0,
                       "1 4096 0x10001 101 (mapped memory) a\n1 4096 0x11001 101 (mapped memory) a\n"
                       "2 4096 0x12001 101 (mapped memory) b\n2 4096 0x13001 101 (mapped memory) b\n"
                       "3 -4096 0x11001 101\n3 -4096 0x12001 101\n3 8192 0x11001 101 (mapped memory) c\n"
                       "4 -4096 0x10001 101\n4 -8192 0x11001 101\n4 -4096 0x13001 101\n");
    profile_free(&profile);
}

static void what_is_live_and_what_was_allocated_are_counters(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "allocation 1 2ms 0x5000 size=100 label:a\nallocation 1 5ms 0x6000 size=50 label:a\n"
                         "free 1 9ms 0x5000\n",
                    &profile);
    assert_int_equal(profile.counters.rows.count, 2);
    const struct counter *live = &profile.counters.rows.items[0], *allocated = &profile.counters.rows.items[1];
    double sums[2] = {0};
    for (size_t i = 0; i < column_count(&live->count); i++) {
        sums[0] += column_get_number(&live->count, i);
        sums[1] += column_get_number(&allocated->count, i);
    }
    assert_string_equal(text_of(&profile, live->name), "live allocations");
    assert_string_equal(text_of(&profile, allocated->name), "allocated");
    assert_true(sums[0] == 50 && sums[1] == 150);
    profile_free(&profile);
}

static void the_profile_says_how_allocations_were_recorded_and_what_it_cost(void **state)
{
    (void)state;
    struct profile profile;
    char folder[64], path[PATH_MAX];
    struct error error = {0};
    struct session_draw *draw = session_draw_open(session_folder_make(folder));
    session_draw_text(draw, "process app executable=/bin/app\n" MAIN
                            "allocations adaptive maps unseen mean=16384 budget=10000 allocator=/lib/libc.so.6\n"
                            "allocation 1 2ms 0x5000 size=100 mean=4096 label:a\n"
                            "allocation 1 3ms 0x5000 size=100 mean=4096 label:a\n");
    struct session_file_header *header = session_draw_header(draw);
    header->statistics[STATISTIC_ALLOCATED_BYTES] = 5000;
    header->statistics[STATISTIC_ALLOCATIONS] = 2;
    header->statistics[STATISTIC_ALLOCATIONS_LOST] = 3;
    header->statistics[STATISTIC_ALLOCATIONS_NS] = 7000000;
    header->statistics[STATISTIC_FREES_MISSED] = 4;
    snprintf(path, sizeof path, "%s", session_draw_path(draw));
    session_draw_close(draw);
    profile_init(&profile);
    assert_int_equal(session_import(path, NULL, &profile, &error), 0);
    assert_meta(&profile, "sonde/allocations",
                "{\"mode\":\"adaptive\",\"maps\":true,\"mean\":16384,\"budget\":0.01,\"costMs\":7,"
                "\"allocatedBytes\":5000,\"recorded\":2,\"lost\":3,\"freesMissed\":5,\"unseen\":1,"
                "\"allocator\":\"/lib/libc.so.6\"}");
    profile_free(&profile);
    session_folder_remove(folder);
}

/* "TIME WEIGHT CLASS STACK" a line: the stack youngest first. */
static void assert_objects(const struct profile *profile, size_t thread, const char *expected)
{
    const struct allocation_table *table = &profile->threads.items[thread].js_allocations;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < allocation_count(table); i++) {
        fprintf(out, "%g %g %s", column_get_number(&table->time, i), column_get_number(&table->weight, i),
                text_of(profile, string_at(column_get_index(&table->class_name, i))));
        struct stack_index stack = stack_at(column_get_index(&table->stack, i));
        for (; stack_exists(stack); stack = stack_prefix(&profile->stacks, stack)) {
            size_t func = column_get_index(&profile->frames.func, stack_frame(&profile->stacks, stack).i);
            fprintf(out, " %s", text_of(profile, string_at(column_get_index(&profile->funcs.name, func))));
        }
        fputc('\n', out);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void objects_are_of_the_thread_that_allocated_them_below_their_class(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(TWO_THREADS "object 2 4ms class=java.lang.String size=600000 mean=1000 label:a label:b\n"
                                "object 1 3ms class=int[] size=700000 mean=1000 label:a\n"
                                "object 2 2ms class=int[] size=800000 mean=1000 label:a\n"
                                "object 9 2ms class=long[] size=900000 mean=1000\n",
                    &profile);
    assert_objects(&profile, 0, "2 900000 long[] long[]\n3 700000 int[] int[] a\n");
    assert_objects(&profile, 1, "2 800000 int[] int[] a\n4 600000 java.lang.String java.lang.String b a\n");
    assert_false(profile.threads.items[0].native_allocations.present);
    profile_free(&profile);
}

static void small_objects_stand_for_all_that_were_not_taken(void **state)
{
    (void)state;
    struct profile profile;
    char expected[80];
    session_profile(MAIN "object 1 2ms class=A size=24 mean=524288 label:a\n", &profile);
    snprintf(expected, sizeof expected, "2 %g A A a\n", round(sampling_weight(24, 524288)));
    assert_objects(&profile, 0, expected);
    assert_true(allocation_table_has_sizes(&profile.threads.items[0].js_allocations));
    profile_free(&profile);
}

/* How the VM gives out memory is below the method that asks for it. */
static void native_frames_below_the_youngest_method_are_left_out(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "object 1 2ms class=A size=600000 mean=1000 label:main runtime:work label:give\n", &profile);
    assert_objects(&profile, 0, "2 600000 A A work main\n");
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_has_its_stack_its_time_and_what_it_stands_for),
        cmocka_unit_test(small_blocks_stand_for_all_that_were_not_taken),
        cmocka_unit_test(a_free_weighs_what_its_allocation_does_whoever_frees),
        cmocka_unit_test(rows_are_in_the_order_of_time_whichever_chunk_they_are_in),
        cmocka_unit_test(a_free_whose_allocation_is_gone_is_left_out),
        cmocka_unit_test(an_address_that_is_given_out_again_was_freed),
        cmocka_unit_test(a_thread_that_is_not_registered_has_no_number),
        cmocka_unit_test(a_process_without_allocations_has_no_table),
        cmocka_unit_test(a_row_says_how_large_its_block_was),
        cmocka_unit_test(a_block_that_is_written_down_once_more_is_the_same),
        cmocka_unit_test(every_allocation_is_told_from_its_caller_on),
        cmocka_unit_test(allocations_without_a_caller_in_their_chunk_are_left_out),
        cmocka_unit_test(at_one_moment_a_thread_has_its_own_order_and_frees_of_others_come_first),
        cmocka_unit_test(a_mapping_is_unmapped_as_a_whole_or_in_parts),
        cmocka_unit_test(a_mapping_in_the_place_of_others_ends_them),
        cmocka_unit_test(what_is_live_and_what_was_allocated_are_counters),
        cmocka_unit_test(the_profile_says_how_allocations_were_recorded_and_what_it_cost),
        cmocka_unit_test(objects_are_of_the_thread_that_allocated_them_below_their_class),
        cmocka_unit_test(small_objects_stand_for_all_that_were_not_taken),
        cmocka_unit_test(native_frames_below_the_youngest_method_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
