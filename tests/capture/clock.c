/* Sleeping until a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/clock.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERVAL = 1000000, SLEEPS = 20 };

static bool sleep_some_times(void)
{
    uint64_t next = clock_now();
    bool in_time = true;
    for (unsigned i = 0; i < SLEEPS; i++) {
        next += INTERVAL;
        clock_sleep_until(next);
        in_time &= clock_now() >= next;
    }
    return in_time;
}

static void no_sleep_ends_before_its_time(void **state)
{
    (void)state;
    assert_true(sleep_some_times());
}

static void a_time_that_has_passed_is_not_waited_for(void **state)
{
    (void)state;
    clock_sleep_until(0);
}

/* Of the calling process from now on. */
static bool forbid_sleep(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void programs_that_may_not_sleep_have_ticks_all_the_same(void **state)
{
    (void)state;
    enum { CANNOT_FORBID = 77 };
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        if (!forbid_sleep())
            _exit(CANNOT_FORBID);
        _exit(sleep_some_times() ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_FORBID)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    clock_set_origin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sleep_ends_before_its_time),
        cmocka_unit_test(a_time_that_has_passed_is_not_waited_for),
        cmocka_unit_test(programs_that_may_not_sleep_have_ticks_all_the_same),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
