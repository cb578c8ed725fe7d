/* SIGPROF in a program that records itself: what is not ours is the program's. */
#include "capture/sampler/handler.h"

#include "recording.h"
#include "session/own_mask.h"
#define SONDE_LINKED_BASE
#include "sonde/sonde.h"
#include "support/cpu_work.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t ours = UINT64_C(1) << (SAMPLE_SIGNAL - 1);
static volatile sig_atomic_t came, last_code;

static void count(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    came++;
    last_code = info->si_code;
}

static size_t samples_in(char *text)
{
    size_t samples = lines_like(text, "sample 1 *");
    free(text);
    return samples;
}

/* ThreadSanitizer calls handlers later, and not with the kernel's mask. */
#ifdef __SANITIZE_THREAD__
#define HAS_REAL_SIGNALS 0
#else
#define HAS_REAL_SIGNALS 1
#endif

/* Before anything was recorded: the program's own action is the real one. */
static void before_the_first_session_there_is_no_handler(void **state)
{
    (void)state;
    struct sigaction mine = {.sa_sigaction = count, .sa_flags = SA_SIGINFO}, found;
    assert_false(handler_is_installed());
    assert_int_equal(handler_change_action(&mine, &found), 0);
    assert_ptr_equal(found.sa_handler, SIG_DFL);
    assert_int_equal(kill(getpid(), SIGPROF), 0);
    assert_int_equal(came, 1);
}

static void samples_are_ours_and_all_else_is_the_programs(void **state)
{
    (void)state;
    struct sigaction found;
    recording_start(NULL, NULL);
    assert_true(handler_is_installed());
    assert_int_equal(sigaction(SIGPROF, NULL, &found), 0);
    assert_true(handler_is(&found));
    assert_int_equal(handler_change_action(NULL, &found), 0);
    assert_ptr_equal(found.sa_sigaction, count); /* as it believes */
    came = 0;
    work_ms(100);
    assert_int_equal(came, 0);
    while (came == 0) /* one is lost where a sample comes in the same microsecond: a thread has a signal pending once */
        raise(SIGPROF);
    assert_int_equal(came, 1);
    assert_int_equal(last_code, SI_TKILL);
    kill(getpid(), SIGPROF);
    assert_int_equal(came, 2);
    struct itimerval every = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &every, NULL);
    while (came < 10)
        work_ms(1);
    setitimer(ITIMER_PROF, &never, NULL);
    assert_true(samples_in(recording_stop()) > 0);
}

static void it_stays_when_the_session_is_over(void **state)
{
    (void)state;
    struct sigaction found;
    recording_start(NULL, NULL);
    recording_end();
    assert_int_equal(sigaction(SIGPROF, NULL, &found), 0);
    assert_true(handler_is(&found));
    came = 0;
    kill(getpid(), SIGPROF);
    assert_int_equal(came, 1);
}

static void what_the_program_ignores_is_ignored_and_its_default_ends_it(void **state)
{
    (void)state;
    if (!HAS_REAL_SIGNALS)
        skip();
    struct sigaction mine, ignored = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
    recording_start(NULL, NULL);
    assert_int_equal(handler_change_action(&ignored, &mine), 0);
    kill(getpid(), SIGPROF);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        handler_change_action(&standard, NULL);
        kill(getpid(), SIGPROF);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF);
    assert_int_equal(handler_change_action(&mine, NULL), 0);
    recording_end();
}

static void what_comes_while_the_program_has_it_blocked_waits(void **state)
{
    (void)state;
    if (!HAS_REAL_SIGNALS)
        skip();
    recording_start(NULL, NULL);
    came = 0;
    handler_set_blocked(true, own_mask_get());
    assert_true(handler_is_blocked(own_mask_get()));
    kill(getpid(), SIGPROF);
    assert_int_equal(came, 0);
    assert_true(own_mask_get() & ours);
    assert_true(own_mask_waiting() & ours);
    handler_set_blocked(false, 0);
    own_mask_change(SIG_UNBLOCK, ours);
    assert_int_equal(came, 1);
    recording_end();
}

static void a_mask_that_was_restored_behind_our_back_is_noticed(void **state)
{
    (void)state;
    uint64_t before = own_mask_get(), usr1 = UINT64_C(1) << (SIGUSR1 - 1);
    handler_set_blocked(true, before | usr1);
    assert_true(handler_is_blocked(before | usr1));
    assert_true(handler_is_blocked(UINT64_MAX)); /* in a handler that blocks more */
    assert_false(handler_is_blocked(before));
    handler_set_blocked(false, 0);
    assert_false(handler_is_blocked(UINT64_MAX));
}

static void a_blocked_signal_is_found_in_the_mask_that_was_inherited(void **state)
{
    (void)state;
    own_mask_change(SIG_BLOCK, ours);
    handler_adopt_mask(false);
    assert_false(own_mask_get() & ours); /* so that the thread is sampled */
    assert_true(handler_is_blocked(own_mask_get()));
    handler_set_blocked(false, 0);
    handler_adopt_mask(false);
    assert_false(handler_is_blocked(own_mask_get()));
}

static void before_the_program_is_replaced_the_signal_is_ignored(void **state)
{
    (void)state;
    struct sigaction found;
    recording_start(NULL, NULL);
    handler_set_blocked(true, own_mask_get());
    handler_quiet(true);
    assert_int_equal(sigaction(SIGPROF, NULL, &found), 0);
    assert_ptr_equal(found.sa_handler, SIG_IGN);
    assert_true(own_mask_get() & ours); /* which is inherited, as the program believes */
    work_ms(20);
    handler_quiet(false);
    assert_int_equal(sigaction(SIGPROF, NULL, &found), 0);
    assert_true(handler_is(&found));
    assert_false(own_mask_get() & ours);
    handler_set_blocked(false, 0);
    work_ms(100);
    assert_true(samples_in(recording_stop()) > 0);
}

static sigjmp_buf place;

static void jump(int number)
{
    (void)number;
    siglongjmp(place, 1);
}

static void the_programs_handler_may_jump_out(void **state)
{
    (void)state;
    struct sigaction mine, jumps = {.sa_handler = jump};
    uint64_t before = own_mask_get();
    recording_start(NULL, NULL);
    handler_change_action(&jumps, &mine);
    for (volatile int i = 0; i < 20; i++) {
        if (sigsetjmp(place, 1) == 0) {
            kill(getpid(), SIGPROF);
            fail_msg("it came back");
        }
        work_ms(5);
    }
    assert_true(own_mask_get() == before);
    handler_change_action(&mine, NULL);
    assert_true(samples_in(recording_stop()) > 0);
}

static atomic_bool enough;

static void *work(void *unused)
{
    sonde_thread_register("works");
    while (!enough)
        work_ms(1);
    sonde_thread_unregister();
    return unused;
}

/* Under ThreadSanitizer, too: no session is unmapped under a handler. */
static void sessions_begin_and_end_while_handlers_run(void **state)
{
    (void)state;
    enum { THREADS = 3, SESSIONS = 40 };
    pthread_t threads[THREADS];
    enough = false;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    size_t samples = 0;
    for (int i = 0; i < SESSIONS; i++) {
        recording_start_with(&(struct sonde_start_options){.interval_ms = 0.1, .buffer_bytes = 1 << 20});
        work_ms(10);
        samples += samples_in(recording_stop());
    }
    enough = true;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(samples > 0);
}

int main(void)
{
    alarm(280);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_session_there_is_no_handler), /* first */
        cmocka_unit_test(samples_are_ours_and_all_else_is_the_programs),
        cmocka_unit_test(it_stays_when_the_session_is_over),
        cmocka_unit_test(what_the_program_ignores_is_ignored_and_its_default_ends_it),
        cmocka_unit_test(what_comes_while_the_program_has_it_blocked_waits),
        cmocka_unit_test(a_mask_that_was_restored_behind_our_back_is_noticed),
        cmocka_unit_test(a_blocked_signal_is_found_in_the_mask_that_was_inherited),
        cmocka_unit_test(before_the_program_is_replaced_the_signal_is_ignored),
        cmocka_unit_test(the_programs_handler_may_jump_out),
        cmocka_unit_test(sessions_begin_and_end_while_handlers_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
