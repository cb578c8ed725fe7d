/* Where stacks are, against what the kernel says of them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <cmocka.h>

#include "capture/sampler/stack_bounds.h"

/* The mapping of the main thread's stack. */
static void find_stack(uint64_t *start, uint64_t *end)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    *start = *end = 0;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[stack]"))
            sscanf(line, "%lx-%lx", start, end);
    if (maps)
        fclose(maps);
}

static void that_of_the_main_thread_ends_where_its_mapping_does_and_may_grow(void **state)
{
    (void)state;
    uint64_t low, high, start, end;
    struct rlimit limit;
    find_stack(&low, &high);
    getrlimit(RLIMIT_STACK, &limit);
    stack_bounds(true, 0, &start, &end);
    assert_int_equal(end, high);
    assert_true(start <= low);
    assert_true(end - start <= UINT64_C(128) << 20);
    if (limit.rlim_cur < UINT64_C(128) << 20)
        assert_int_equal(end - start, limit.rlim_cur);
}

static ucontext_t before, elsewhere;
static uint64_t found_start, found_end;

static void look(void)
{
    stack_bounds(true, 0, &found_start, &found_end);
}

static void of_a_stack_that_the_main_thread_made_nothing_is_known(void **state)
{
    (void)state;
    enum { BYTES = 256 << 10 };
    char *stack = aligned_alloc(4096, BYTES);
    assert_non_null(stack);
    getcontext(&elsewhere);
    elsewhere.uc_stack.ss_sp = stack;
    elsewhere.uc_stack.ss_size = BYTES;
    elsewhere.uc_link = &before;
    makecontext(&elsewhere, look, 0);
    assert_int_equal(swapcontext(&before, &elsewhere), 0);
    assert_int_equal(found_start, 0);
    assert_int_equal(found_end, 0);
    free(stack);
}

static void *look_in_thread(void *bytes)
{
    stack_bounds(false, *(const size_t *)bytes, &found_start, &found_end);
    return (void *)__builtin_frame_address(0);
}

static void that_of_another_thread_holds_its_frames_whether_its_size_is_known_or_not(void **state)
{
    (void)state;
    size_t sizes[] = {0, 256 << 10};
    for (size_t i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        void *frame;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 256 << 10);
        assert_int_equal(pthread_create(&thread, &attributes, look_in_thread, &sizes[i]), 0);
        assert_int_equal(pthread_join(thread, &frame), 0);
        pthread_attr_destroy(&attributes);
        assert_in_range((uint64_t)(uintptr_t)frame, found_start, found_end - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(that_of_the_main_thread_ends_where_its_mapping_does_and_may_grow),
        cmocka_unit_test(of_a_stack_that_the_main_thread_made_nothing_is_known),
        cmocka_unit_test(that_of_another_thread_holds_its_frames_whether_its_size_is_known_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
