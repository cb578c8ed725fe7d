/* Does Sonde find the frames that libunwind finds, wherever a program is interrupted?
 *
 * Each workload runs one instruction at a time (the trap flag of the processor); at random ones the handler walks the stack
 * with both and compares the lists of pcs. Where there is no such flag a timer interrupts the workload, again and again.
 * libunwind is loaded apart, so that exceptions are still thrown by libgcc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walker.h"
#include "workloads.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    FRAMES = 128,
    MOST_COMPARED = 15000, /* of one workload */
    SHOWN = 6,
};

#define NAME_(name) #name
#define NAME(name) NAME_(name)

static int (*init)(unw_cursor_t *, unw_context_t *, int);
static int (*step)(unw_cursor_t *);
static int (*get_register)(unw_cursor_t *, unw_regnum_t, unw_word_t *);

static bool load_libunwind(void)
{
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&init = dlsym(library, NAME(unw_init_local2));
    *(void **)&step = dlsym(library, NAME(unw_step));
    *(void **)&get_register = dlsym(library, NAME(unw_get_reg));
    return init && step && get_register;
}

struct counts {
    uint64_t stops, compared, same;
    uint64_t shorter;   /* ours is the beginning of theirs */
    uint64_t longer;    /* theirs is the beginning of ours */
    uint64_t ours_only; /* ours gets to the start of the program, theirs does not */
};

static struct counts now, total;
static uint64_t start_of_program; /* the pc of the outermost frame of every whole stack */
static unsigned rate;             /* one of so many stops is compared */
static uint64_t random_state = 88172645463325252;

struct difference {
    uint64_t ours[FRAMES], theirs[FRAMES];
    size_t our_count, their_count;
    enum unwind_end end;
} differences[SHOWN];
static size_t difference_count;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int get_pc(unw_cursor_t *cursor, unw_word_t *pc)
{
#if defined(__aarch64__)
    /* libunwind 1.6 gives x30 as the pc here, which is right behind calls only. Its own is the fourth word of its state. */
    *pc = cursor->opaque[3];
    return 0;
#else
    return get_register(cursor, UNW_REG_IP, pc);
#endif
}

/* libunwind reads what it takes for a return address or a frame pointer, and falls where it is none. */
static sigjmp_buf fall;
static volatile sig_atomic_t may_fall;

static void on_fall(int number)
{
    if (may_fall)
        siglongjmp(fall, 1);
    signal(number, SIG_DFL);
}

static size_t walk_with_libunwind(void *context, uint64_t *pcs)
{
    unw_cursor_t cursor;
    volatile size_t count = 0;
    may_fall = sigsetjmp(fall, 1) == 0;
    if (!may_fall)
        return count;
    bool more = init(&cursor, context, UNW_INIT_SIGNAL_FRAME) == 0;
    while (more) {
        unw_word_t pc = 0;
        if (get_pc(&cursor, &pc) != 0 || pc == 0)
            break;
        pcs[count] = pc;
        count++;
        more = pc != start_of_program && count < FRAMES && step(&cursor) > 0;
    }
#if defined(__aarch64__)
    /* The first function of a coroutine it gives twice. */
    if (count > 1 && pcs[count - 1] == pcs[count - 2])
        count--;
#endif
    may_fall = 0;
    return count;
}

static void compare(void *context)
{
    static struct difference found;
    struct unwind_frame frames[FRAMES];
    struct unwind_registers registers;
    static uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    unwind_registers_from_context(&registers, context);
    found.our_count = unwind_stack(&walker, &registers, &memory, frames, FRAMES, &found.end);
    for (size_t i = 0; i < found.our_count; i++)
        found.ours[i] = frames[i].pc;
    found.their_count = walk_with_libunwind(context, found.theirs);
    now.compared++;
    size_t least = found.our_count < found.their_count ? found.our_count : found.their_count;
    bool alike = memcmp(found.ours, found.theirs, least * sizeof *found.ours) == 0;
    if (alike && found.our_count == found.their_count) {
        now.same++;
        return;
    }
    now.shorter += alike && found.our_count < found.their_count;
    now.longer += alike && found.our_count > found.their_count;
    bool theirs_complete = found.their_count > 0 && found.theirs[found.their_count - 1] == start_of_program;
    now.ours_only += !theirs_complete && found.end == UNWIND_COMPLETE && found.ours[found.our_count - 1] == start_of_program;
    if (difference_count < SHOWN)
        differences[difference_count++] = found;
}

#if defined(__x86_64__)
enum { STOP = SIGTRAP, TRAP_FLAG = 0x100 };

static void on_stop(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    now.stops++;
    if (now.compared < MOST_COMPARED && random_number() % rate == 0)
        compare(context);
    /* The rest runs at full speed. */
    if (now.compared >= MOST_COMPARED)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void stops_on(void)
{
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
}

static void stops_off(void)
{
    __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
}

static void stop_in(void (*workload)(void))
{
    stops_on();
    workload();
    stops_off();
}

enum { ENOUGH = 10000 };
static const double least_same = 0.999, least_same_of_each = 0.99;
#else
enum { STOP = SIGALRM };

/* Once, and again from the handler: in an emulator one could follow the other without a step of the workload in between. */
static void stop_soon(long microseconds)
{
    struct itimerval timer = {{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_stop(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    now.stops++;
    compare(context);
    stop_soon(500 + (long)(random_number() % 1000));
}

static void stops_on(void)
{
}

static void stop_in(void (*workload)(void))
{
    enum { STOPS = 300, SECONDS = 20 };
    time_t start = time(NULL);
    stop_soon(1000);
    while (now.compared < STOPS && time(NULL) - start < SECONDS)
        workload();
    stop_soon(0);
}

enum { ENOUGH = 1000 };
/* libunwind has a frame too many where the second instruction of what handlers return to was interrupted, which happens often
 * in an emulator. */
static const double least_same = 0.995, least_same_of_each = 0.98;
#endif

static const char *name_of(uint64_t pc, char *text, size_t size)
{
    Dl_info info;
    if (pc == 0 || !dladdr((void *)(uintptr_t)pc, &info))
        snprintf(text, size, "%#lx", pc);
    else
        snprintf(text, size, "%#lx %s+%#lx (%s)", pc, strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : "",
                 pc - (uint64_t)(uintptr_t)info.dli_fbase, info.dli_sname ? info.dli_sname : "?");
    return text;
}

static void show_differences(void)
{
    for (size_t i = 0; i < difference_count; i++) {
        struct difference *d = &differences[i];
        print_message("  ours has %zu frames (%s), theirs %zu; they differ from here on:\n", d->our_count,
                      unwind_end_name(d->end), d->their_count);
        size_t at = 0;
        while (at < d->our_count && at < d->their_count && d->ours[at] == d->theirs[at])
            at++;
        for (size_t j = at > 4 ? at - 4 : 0; j < at + 2; j++) {
            char ours[200], theirs[200];
            print_message("    %zu: %s | %s\n", j, j < d->our_count ? name_of(d->ours[j], ours, sizeof ours) : "-",
                          j < d->their_count ? name_of(d->theirs[j], theirs, sizeof theirs) : "-");
        }
    }
    difference_count = 0;
}

static void print_counts(const char *name, const struct counts *counts)
{
    print_message("%-12s %8lu instructions, %6lu compared, %6lu the same (%.3f %%); the others: %lu shorter than theirs, %lu "
                  "longer, %lu complete where theirs is not\n",
                  name, counts->stops, counts->compared, counts->same, 100.0 * (double)counts->same / (double)counts->compared,
                  counts->shorter, counts->longer, counts->ours_only);
}

static void run(const char *name, void (*workload)(void), unsigned every)
{
    rate = every;
    now = (struct counts){0};
    struct sigaction action = {.sa_sigaction = on_stop, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    assert_int_equal(sigaction(STOP, &action, &before), 0);
    stop_in(workload);
    sigaction(STOP, &before, NULL);
    print_counts(name, &now);
    show_differences();
    total.stops += now.stops;
    total.compared += now.compared;
    total.same += now.same;
    total.shorter += now.shorter;
    total.longer += now.longer;
    total.ours_only += now.ours_only;
    assert_true(now.compared > 100);
}

static void refresh(void)
{
    assert_int_equal(unwind_modules_refresh(walker_modules(), NULL, NULL), 0);
}

#define WORKLOAD(sentence, name, every)                                                                                        \
    static void sentence(void **state)                                                                                         \
    {                                                                                                                          \
        (void)state;                                                                                                           \
        run(#name, workload_##name, every);                                                                                    \
        assert_true((double)now.same >= least_same_of_each * (double)now.compared);                                            \
    }

WORKLOAD(both_agree_in_sorting_with_a_callback, sort, 1)
WORKLOAD(both_agree_in_printing_and_reading_text, text, 4)
WORKLOAD(both_agree_in_the_heap, heap, 8)
WORKLOAD(both_agree_around_longjmp, jumps, 8)
WORKLOAD(both_agree_in_coroutines, coroutines, 2)
WORKLOAD(both_agree_in_functions_that_realign_the_stack, realigned, 2)
WORKLOAD(both_agree_in_the_vdso, vdso, 1)
#ifndef WORKLOADS_OF_C_ALONE
WORKLOAD(both_agree_in_the_containers_of_cpp, containers, 4)
WORKLOAD(both_agree_in_the_streams_of_cpp, streams, 4)
WORKLOAD(both_agree_while_exceptions_are_thrown, exceptions, 8)
#endif

static void both_agree_in_and_around_signal_handlers(void **state)
{
    (void)state;
    workload_in_handler = stops_on; /* the kernel takes it away where a handler starts */
    run("signals", workload_signals, 1);
    workload_in_handler = NULL;
    assert_true((double)now.same >= least_same_of_each * (double)now.compared);
}

static void both_agree_where_functions_are_bound_lazily(void **state)
{
    (void)state;
    workload_lazy_binding_prepare();
    refresh();
    run("lazy binding", workload_lazy_binding, 1);
    assert_true((double)now.same >= least_same_of_each * (double)now.compared);
}

static void all_in_all_nearly_every_walk_is_the_same(void **state)
{
    (void)state;
    print_counts("all", &total);
    assert_true(total.compared > ENOUGH);
    assert_true((double)total.same >= least_same * (double)total.compared);
}

int main(void)
{
    if (!load_libunwind())
        return 77;
#if defined(__x86_64__)
    alarm(110); /* elsewhere its timer is the one that stops the workloads */
#endif
    signal(SIGSEGV, on_fall);
    walker_start();
    struct unwind_registers registers;
    struct walked walked;
    unwind_registers_here(&registers);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walked);
    start_of_program = walked.frames[walked.count - 1].pc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_agree_in_sorting_with_a_callback),
        cmocka_unit_test(both_agree_in_printing_and_reading_text),
        cmocka_unit_test(both_agree_in_the_heap),
        cmocka_unit_test(both_agree_around_longjmp),
        cmocka_unit_test(both_agree_in_and_around_signal_handlers),
        cmocka_unit_test(both_agree_in_coroutines),
        cmocka_unit_test(both_agree_in_functions_that_realign_the_stack),
        cmocka_unit_test(both_agree_in_the_vdso),
        cmocka_unit_test(both_agree_where_functions_are_bound_lazily),
#ifndef WORKLOADS_OF_C_ALONE
        cmocka_unit_test(both_agree_in_the_containers_of_cpp),
        cmocka_unit_test(both_agree_in_the_streams_of_cpp),
        cmocka_unit_test(both_agree_while_exceptions_are_thrown),
#endif
        cmocka_unit_test(all_in_all_nearly_every_walk_is_the_same),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
