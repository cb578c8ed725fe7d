/* Sampled allocations of drawn sessions, as the Firefox Profiler has them: one table for a process, matched by address. */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
