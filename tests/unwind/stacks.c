/* Stacks of every kind, walked. The functions that a test looks for are exported, so that they have names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walker.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

/* After each call, so that no call becomes a jump. */
#define BARRIER() __asm__ volatile("" ::: "memory")
#define EXPORTED __attribute__((noinline, visibility("default")))

void leaf(void (*then)(void));
void middle(void (*then)(void));
void outer(void (*then)(void));

EXPORTED void leaf(void (*then)(void))
{
    then();
    BARRIER();
}

EXPORTED void middle(void (*then)(void))
{
    leaf(then);
    BARRIER();
}

EXPORTED void outer(void (*then)(void))
{
    middle(then);
    BARRIER();
}

static void raise_signal(void)
{
    raise(SIGUSR1);
    BARRIER();
}

/* From the test's own function outwards the stack is cmocka's. */
static void expect_names(const char *first, const char *expected)
{
    const char *names = walked_names(&walker_result, first);
    if (strncmp(names, expected, strlen(expected)) != 0)
        fail_msg("expected %s …, got %s", expected, names);
}

static void a_stack_is_walked_from_where_a_signal_hit_it(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    outer(raise_signal);
    expect_names("leaf", "leaf middle outer");
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_true(walker_result.frames[0].exact);
    assert_false(walker_result.frames[1].exact);
    assert_string_equal(walked_names(&walker_result, "main"), "main");
}

static void stack_pointers_rise_towards_the_callers(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    outer(raise_signal);
    assert_true(walker_result.count > 5);
    for (size_t i = 1; i < walker_result.count; i++)
        assert_true(walker_result.frames[i].sp > walker_result.frames[i - 1].sp);
}

static void a_walk_out_of_a_handler_passes_the_signal_frame(void **state)
{
    (void)state;
    walker_catch_from_here(SIGUSR1, 0);
    outer(raise_signal);
    expect_names("leaf", "leaf middle outer");
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    size_t exact = 0;
    for (size_t i = 1; i < walker_result.count; i++)
        exact += walker_result.frames[i].exact;
    assert_int_equal(exact, 1);
}

static struct walked window, copy;

static void walk_both_ways(void)
{
    struct unwind_registers registers, same;
    unwind_registers_here(&registers);
    same = registers;
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &window);
    walk(&same, WALKER_COPY, WALKER_ROOM, &copy);
    BARRIER();
}

static void copied_stacks_are_walked_like_those_read_directly(void **state)
{
    (void)state;
    outer(walk_both_ways);
    assert_int_equal(window.end, UNWIND_COMPLETE);
    assert_int_equal(copy.end, UNWIND_COMPLETE);
    assert_true(window.count > 5);
    assert_int_equal(copy.count, window.count);
    assert_memory_equal(copy.frames, window.frames, window.count * sizeof *window.frames);
}

static void *in_thread(void *data)
{
    outer(raise_signal);
    memcpy(data, &walker_result, sizeof walker_result);
    return NULL;
}

static void the_stack_of_a_thread_ends_where_it_was_started(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, in_thread, &window), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(strstr(walked_names(&window, "leaf"), "leaf middle outer"));
    assert_int_equal(window.end, UNWIND_COMPLETE);
}

/* --- unusual stacks -------------------------------------------------------------------------------------------------- */

void realigned(void (*then)(void), size_t size);
EXPORTED void realigned(void (*then)(void), size_t size)
{
    uint64_t __attribute__((aligned(64))) aligned[8] = {size};
    uint64_t *any = alloca(size * sizeof *any);
    __asm__ volatile("" ::"r"(aligned), "r"(any) : "memory");
    leaf(then);
    __asm__ volatile("" ::"r"(aligned), "r"(any) : "memory");
}

static void functions_that_realign_their_stack_are_passed(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    realigned(raise_signal, 5);
    expect_names("leaf", "leaf realigned");
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

static void a_handler_on_a_stack_of_its_own_is_left_for_the_interrupted_stack(void **state)
{
    (void)state;
    static char stack[1 << 17];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack}, before;
    assert_int_equal(sigaltstack(&other, &before), 0);
    walker_catch_from_here(SIGUSR1, SA_ONSTACK);
    outer(raise_signal);
    sigaltstack(&before, NULL);
    expect_names("leaf", "leaf middle outer");
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    uint64_t start = (uint64_t)(uintptr_t)stack;
    assert_true(walker_result.frames[0].sp >= start && walker_result.frames[0].sp < start + sizeof stack);
    uint64_t last = walker_result.frames[walker_result.count - 1].sp;
    assert_true(last < start || last >= start + sizeof stack);
}

static ucontext_t test_context, coroutine_context;

void coroutine(void);
EXPORTED void coroutine(void)
{
    outer(raise_signal);
    BARRIER();
}

static void coroutine_without_link(void)
{
    coroutine();
    setcontext(&test_context);
}

static void run_coroutine(ucontext_t *link)
{
    static char stack[1 << 17];
    walker_catch_from_context(SIGUSR1, 0);
    getcontext(&coroutine_context);
    coroutine_context.uc_stack.ss_sp = stack;
    coroutine_context.uc_stack.ss_size = sizeof stack;
    coroutine_context.uc_link = link;
    makecontext(&coroutine_context, link ? coroutine : coroutine_without_link, 0);
    swapcontext(&test_context, &coroutine_context);
    expect_names("leaf", "leaf middle outer coroutine");
}

/* Its oldest frame is what its first function returns to: the beginning of a function that nobody called. */
static void the_stack_of_a_coroutine_is_whole(void **state)
{
    (void)state;
    run_coroutine(&test_context);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_true(walker_result.frames[walker_result.count - 1].exact);
    run_coroutine(NULL);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_true(walker_result.frames[walker_result.count - 1].exact);
}

static jmp_buf jump_back;

static void jump_away(void)
{
    longjmp(jump_back, 1);
}

static void a_stack_is_whole_again_after_longjmp(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    if (setjmp(jump_back) == 0)
        outer(jump_away);
    else
        middle(raise_signal);
    expect_names("leaf", "leaf middle");
    assert_null(strstr(walked_names(&walker_result, "leaf"), "outer"));
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

static int compare_and_raise(const void *a, const void *b)
{
    raise(SIGUSR1);
    return *(const int *)a - *(const int *)b;
}

void sort_numbers(void);
EXPORTED void sort_numbers(void)
{
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare_and_raise);
    BARRIER();
}

static void callbacks_from_libraries_are_passed(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    sort_numbers();
    expect_names("sort_numbers", "sort_numbers");
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

static void walk_twice(void)
{
    struct unwind_registers registers, same;
    unwind_registers_here(&registers);
    same = registers;
    memset(walker.cache, 0, sizeof *walker.cache);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &window);
    walk(&same, WALKER_WINDOW, WALKER_ROOM, &copy);
    BARRIER();
}

static void an_empty_and_a_full_cache_give_the_same(void **state)
{
    (void)state;
    outer(walk_twice);
    assert_true(window.count > 5);
    assert_int_equal(window.count, copy.count);
    assert_memory_equal(window.frames, copy.frames, window.count * sizeof *window.frames);
}

/* --- random points --------------------------------------------------------------------------------------------------- */

static volatile unsigned interrupted, completed;

static void walk_and_count(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    struct unwind_registers registers;
    unwind_registers_from_context(&registers, context);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walker_result);
    interrupted++;
    completed += walker_result.end == UNWIND_COMPLETE;
    if (walker_result.end != UNWIND_COMPLETE)
        window = walker_result;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void work(void)
{
    int numbers[100];
    char text[100];
    for (int i = 0; i < 100; i++)
        numbers[i] = i * 37 % 100;
    qsort(numbers, 100, sizeof *numbers, compare);
    for (int i = 0; i < 100; i++) {
        void *block = malloc((size_t)numbers[i] + 1);
        snprintf(text, sizeof text, "%d %g %p", numbers[i], numbers[i] / 7.0, block);
        free(block);
    }
}

/* The timer runs in real time, so that there are enough of them whatever else the machine does. */
static void walks_from_random_points_get_to_the_start(void **state)
{
    (void)state;
    enum { ENOUGH = 200 };
    struct itimerval timer = {{0, 997}, {0, 997}}, none = {{0, 0}, {0, 0}};
    walker_catch(SIGALRM, walk_and_count, SA_RESTART);
    interrupted = completed = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
    time_t start = time(NULL);
    while (interrupted < ENOUGH && time(NULL) - start < 60)
        work();
    setitimer(ITIMER_REAL, &none, NULL);
    print_message("%u of %u complete\n", completed, interrupted);
    if (completed < interrupted)
        print_message("the last one that was not: %s, %s\n", unwind_end_name(window.end), walked_names(&window, NULL));
    assert_true(interrupted >= ENOUGH);
    enum { LEAST_PERCENT = 99 };
    assert_true(completed * 100 >= interrupted * LEAST_PERCENT);
}

/* --- how a walk ends ------------------------------------------------------------------------------------------------- */

static struct {
    struct unwind_frame *frames;
    size_t count;
    enum unwind_end end;
} deep;

__attribute__((noinline)) static void walk_here(size_t room)
{
    struct unwind_registers registers;
    static uint8_t bytes[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = bytes};
    unwind_registers_here(&registers);
    deep.count = unwind_stack(&walker, &registers, &memory, deep.frames, room, &deep.end);
}

void recurse(size_t depth, size_t room);
EXPORTED void recurse(size_t depth, size_t room)
{
    if (depth > 1)
        recurse(depth - 1, room);
    else
        walk_here(room);
    BARRIER();
}

static void walk_deep(size_t depth, size_t room)
{
    free(deep.frames);
    deep.frames = calloc(room, sizeof *deep.frames);
    assert_non_null(deep.frames);
    recurse(depth, room);
}

/* Frames: walk_here, the innermost recurse, and all others, which stand at one and the same call. */
static void a_deep_recursion_is_walked_to_its_end(void **state)
{
    (void)state;
    enum { DEPTH = 5000 };
    walk_deep(DEPTH, 2 * DEPTH);
    assert_int_equal(deep.end, UNWIND_COMPLETE);
    size_t same = 0;
    for (size_t i = 2; i < deep.count; i++)
        same += deep.frames[i].pc == deep.frames[2].pc;
    assert_int_equal(same, DEPTH - 1);
}

static void a_stack_with_more_frames_than_room_says_so(void **state)
{
    (void)state;
    walk_deep(100, 50);
    assert_int_equal(deep.count, 50);
    assert_int_equal(deep.end, UNWIND_NO_ROOM);
    assert_true(deep.frames[10].pc == deep.frames[49].pc);
}

static void a_stack_that_just_fits_is_complete(void **state)
{
    (void)state;
    walk_deep(100, 1000);
    size_t count = deep.count;
    walk_deep(100, count);
    assert_int_equal(deep.count, count);
    assert_int_equal(deep.end, UNWIND_COMPLETE);
    walk_deep(100, count - 1);
    assert_int_equal(deep.count, count - 1);
    assert_int_equal(deep.end, UNWIND_NO_ROOM);
}

static enum unwind_end end_of(struct unwind_registers registers, size_t *count)
{
    struct walked walked;
    walk(&registers, WALKER_COPY, WALKER_ROOM, &walked);
    *count = walked.count;
    return walked.end;
}

static void a_stack_that_is_not_mapped_is_unreadable(void **state)
{
    (void)state;
    enum { NOTHING = 1 << 20 }; /* more than the frame of this function */
    struct unwind_registers registers;
    unwind_registers_here(&registers);
    char *nothing = mmap(NULL, NOTHING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(nothing, MAP_FAILED);
    munmap(nothing, NOTHING);
    registers.value[UNWIND_SP] = (uint64_t)(uintptr_t)nothing;
    registers.value[UNWIND_FP] = (uint64_t)(uintptr_t)nothing + NOTHING / 2;
    size_t count;
    assert_int_equal(end_of(registers, &count), UNWIND_UNREADABLE);
    assert_int_equal(count, 1);
}

static void code_without_rules_and_frame_pointer_has_no_rule(void **state)
{
    (void)state;
    static uint64_t code[16];
    struct unwind_registers registers;
    unwind_registers_from_pc_sp(&registers, (uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code);
    size_t count;
    assert_int_equal(end_of(registers, &count), UNWIND_NO_RULE);
    assert_int_equal(count, 1);
}

static void code_without_rules_ends_the_stack_where_its_frame_pointer_is_0(void **state)
{
    (void)state;
    static uint64_t code[16];
    struct unwind_registers registers;
    unwind_registers_from_pc_sp(&registers, (uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code);
    registers.known |= (uint64_t)1 << UNWIND_FP;
    registers.value[UNWIND_FP] = 0;
    size_t count;
    assert_int_equal(end_of(registers, &count), UNWIND_COMPLETE);
    assert_int_equal(count, 1);
}

/* The frame pointer of a caller must lie above that of its callee, and both above the stack pointer. */
static void a_frame_pointer_that_leads_down_is_not_followed(void **state)
{
    (void)state;
    uint64_t stack[16] = {0};
    uint64_t at = (uint64_t)(uintptr_t)stack;
    struct unwind_registers registers;
    unwind_registers_from_pc_sp(&registers, at, at);
    registers.known |= (uint64_t)1 << UNWIND_FP;
    size_t count;

    registers.value[UNWIND_FP] = at + 32;
    stack[4] = at + 16; /* below itself */
    stack[5] = at;      /* no code that has rules */
    assert_int_equal(end_of(registers, &count), UNWIND_NO_RULE);
    assert_int_equal(count, 1);

    stack[4] = at + 64; /* leads up once, then to nothing */
    stack[9] = at;
    assert_int_equal(end_of(registers, &count), UNWIND_NO_RULE);
    assert_int_equal(count, 2);

    registers.value[UNWIND_FP] = at + 33; /* not aligned */
    assert_int_equal(end_of(registers, &count), UNWIND_NO_RULE);
    assert_int_equal(count, 1);

    registers.value[UNWIND_FP] = at - 8; /* below the stack pointer */
    assert_int_equal(end_of(registers, &count), UNWIND_NO_RULE);
    assert_int_equal(count, 1);

    registers.value[UNWIND_FP] = at + 32;
    stack[5] = 0; /* the outermost frame */
    assert_int_equal(end_of(registers, &count), UNWIND_COMPLETE);
    assert_int_equal(count, 1);
}

int main(void)
{
    walker_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_walked_from_where_a_signal_hit_it),
        cmocka_unit_test(stack_pointers_rise_towards_the_callers),
        cmocka_unit_test(a_walk_out_of_a_handler_passes_the_signal_frame),
        cmocka_unit_test(copied_stacks_are_walked_like_those_read_directly),
        cmocka_unit_test(the_stack_of_a_thread_ends_where_it_was_started),
        cmocka_unit_test(functions_that_realign_their_stack_are_passed),
        cmocka_unit_test(a_handler_on_a_stack_of_its_own_is_left_for_the_interrupted_stack),
        cmocka_unit_test(the_stack_of_a_coroutine_is_whole),
        cmocka_unit_test(a_stack_is_whole_again_after_longjmp),
        cmocka_unit_test(callbacks_from_libraries_are_passed),
        cmocka_unit_test(an_empty_and_a_full_cache_give_the_same),
        cmocka_unit_test(walks_from_random_points_get_to_the_start),
        cmocka_unit_test(a_deep_recursion_is_walked_to_its_end),
        cmocka_unit_test(a_stack_with_more_frames_than_room_says_so),
        cmocka_unit_test(a_stack_that_just_fits_is_complete),
        cmocka_unit_test(a_stack_that_is_not_mapped_is_unreadable),
        cmocka_unit_test(code_without_rules_and_frame_pointer_has_no_rule),
        cmocka_unit_test(code_without_rules_ends_the_stack_where_its_frame_pointer_is_0),
        cmocka_unit_test(a_frame_pointer_that_leads_down_is_not_followed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(deep.frames);
    walker_stop();
    return failed;
}
