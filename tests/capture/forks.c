#include "capture/core/clock.h"
#include "capture/sampler/registry.h"
#include "recording.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs `check` in a child; the answer is its exit status: 0 = all right, or the number of what is wrong. */
static int in_child(int (*check)(void))
{
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(check());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int is_off_and_alone(void)
{
    if (*sonde_api_1.state != 0)
        return 1;
    const struct core_locked *locked = core_lock();
    struct registration *first = registry_first(locked);
    bool alone = first && !first->next && first == registration_mine();
    bool mine = first && first->info.tid == getpid() && first->info.main && core_state(locked)->pid == getpid();
    bool active = active_state(locked) != NULL;
    core_unlock(locked);
    return !alone ? 2 : !mine ? 3 : active ? 4 : 0;
}

static void the_child_has_a_profiler_that_is_off(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    int answer = in_child(is_off_and_alone);
    assert_true(*sonde_api_1.state & SONDE_STATE_ACTIVE);
    recording_end();
    assert_int_equal(answer, 0);
}

static int can_record(void)
{
    uint64_t before = clock_now();
    if (before > UINT64_C(10000000000))
        return 1; /* time begins with the child */
    if (sonde_api_1.start(NULL) != 0)
        return 2;
    if (!(*sonde_api_1.state & SONDE_STATE_ACTIVE))
        return 3;
    sonde_api_1.stop();
    return *sonde_api_1.state == 0 ? 0 : 4;
}

static void the_child_can_record_itself(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    int answer = in_child(can_record);
    recording_end();
    assert_int_equal(answer, 0);
}

static int change_a_lot(void)
{
    for (int i = 0; i < 10; i++) {
        thread_register("child");
        thread_rename(pthread_self(), "of the child");
        thread_unregister();
    }
    exit(0); /* with all that happens at exit */
}

static void the_file_of_the_parent_is_not_touched(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){.interval_ms = 1000});
    assert_int_equal(in_child(change_a_lot), 0);
    char *text = recording_text();
    recording_end();
    assert_null(strstr(text, "child"));
    free(text);
}

static _Atomic bool stop_stirring;

static void *stir(void *unused)
{
    (void)unused;
    while (!stop_stirring) {
        thread_register("stirs");
        sonde_api_1.set_process_name("stirred");
        thread_unregister();
    }
    return NULL;
}

static int registers_once_more(void)
{
    thread_register("again");
    thread_unregister();
    return is_off_and_alone();
}

static void locks_that_other_threads_held_are_open_in_the_child(void **state)
{
    (void)state;
    pthread_t threads[2];
    stop_stirring = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, stir, NULL), 0);
    recording_start_with(&(struct sonde_start_options){0});
    int wrong = 0;
    for (int i = 0; i < 40 && !wrong; i++)
        wrong = in_child(registers_once_more);
    recording_end();
    stop_stirring = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
}

static void *fork_from_here(void *answer)
{
    thread_register("forks");
    *(int *)answer = in_child(is_off_and_alone);
    return NULL;
}

static void a_thread_that_forks_is_the_main_thread_of_the_child(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    pthread_t thread;
    int answer = -1;
    pthread_create(&thread, NULL, fork_from_here, &answer);
    pthread_join(thread, NULL);
    recording_end();
    assert_int_equal(answer, 0);
}

static void a_child_that_comes_without_fork_is_off_too(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        syscall(SYS_exit_group, *sonde_api_1.state != 0);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(*sonde_api_1.state & SONDE_STATE_ACTIVE);
    recording_end();
    assert_int_equal(status, 0);
}

int main(void)
{
    alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_has_a_profiler_that_is_off),
        cmocka_unit_test(the_child_can_record_itself),
        cmocka_unit_test(the_file_of_the_parent_is_not_touched),
        cmocka_unit_test(locks_that_other_threads_held_are_open_in_the_child),
        cmocka_unit_test(a_thread_that_forks_is_the_main_thread_of_the_child),
        cmocka_unit_test(a_child_that_comes_without_fork_is_off_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
