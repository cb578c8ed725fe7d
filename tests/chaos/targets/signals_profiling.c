/* A program that uses SIGPROF, by which a profiler samples threads, in all the ways there are. It gets its own, and no others.
 *
 * What is counted is sent to the process: a thread has a signal pending once, so that one that is sent to the thread is lost
 * where one of the profiler's comes in the same microsecond. */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile sig_atomic_t came;
static sigset_t profiling;

static void count(int number)
{
    check(number == SIGPROF);
    came++;
}

static void handle(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    check(sigaction(SIGPROF, &action, NULL) == 0);
}

/* So long that it is sampled. */
static void work(void)
{
    static uint32_t expected;
    uint32_t result = compute(1, 30000000);
    check(expected == 0 || result == expected);
    expected = result;
}

static const char *action_name(void)
{
    struct sigaction now;
    check(sigaction(SIGPROF, NULL, &now) == 0);
    return now.sa_handler == SIG_DFL ? "the default" : now.sa_handler == SIG_IGN ? "ignored" : "a handler";
}

static void send(void)
{
    check(kill(getpid(), SIGPROF) == 0);
}

static bool is_blocked(void)
{
    sigset_t now;
    check(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
    return sigismember(&now, SIGPROF) == 1;
}

static void the_handler_is_called_for_what_was_sent(void)
{
    printf("at first: %s\n", action_name());
    handle(count, SA_RESTART);
    work();
    check(came == 0);
    send();
    check(came == 1);
    check(sigqueue(getpid(), SIGPROF, (union sigval){0}) == 0 && came == 2);
    while (came < 10)
        check(raise(SIGPROF) == 0);
    printf("then: %s\n", action_name());
}

static void what_is_blocked_waits(void)
{
    sigset_t before, with, waiting;
    came = 0;
    check(sigprocmask(SIG_BLOCK, &profiling, &before) == 0 && sigismember(&before, SIGPROF) == 0);
    work();
    send();
    check(came == 0 && is_blocked());
    work();
    check(sigpending(&waiting) == 0 && sigismember(&waiting, SIGPROF) == 1);
    check(sigprocmask(SIG_SETMASK, &before, &with) == 0 && sigismember(&with, SIGPROF) == 1);
    check(came == 1 && !is_blocked());
    work();
    check(came == 1);
}

static void *wait_for_signal(void *unused)
{
    int number = 0;
    check(sigwait(&profiling, &number) == 0 && number == SIGPROF);
    return unused;
}

static void one_thread_takes_what_all_have_blocked(void)
{
    pthread_t thread;
    check(pthread_sigmask(SIG_BLOCK, &profiling, NULL) == 0);
    check(pthread_create(&thread, NULL, wait_for_signal, NULL) == 0);
    check(kill(getpid(), SIGPROF) == 0);
    check(pthread_join(thread, NULL) == 0);
    came = 0;
    check(pthread_sigmask(SIG_UNBLOCK, &profiling, NULL) == 0 && came == 0);
}

static void a_timer_of_its_own_goes_on(void)
{
    struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    came = 0;
    check(setitimer(ITIMER_PROF, &every, NULL) == 0);
    while (came < 20)
        compute(1, 1000);
    check(setitimer(ITIMER_PROF, &never, NULL) == 0);
}

static sigjmp_buf place;

static void jump(int number)
{
    (void)number;
    siglongjmp(place, 1);
}

static void a_handler_may_jump_out(void)
{
    volatile int jumps = 0;
    handle(jump, 0);
    while (jumps < 100) {
        if (sigsetjmp(place, 1) == 0)
            raise(SIGPROF);
        jumps++;
        compute(1, 100000);
    }
    check(!is_blocked());
}

static volatile sig_atomic_t usr_blocked, profiling_blocked, usr2_blocked;

static void look_at_mask(int number)
{
    (void)number;
    sigset_t now;
    check(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    profiling_blocked = sigismember(&now, SIGPROF);
    usr_blocked = sigismember(&now, SIGUSR1);
    usr2_blocked = sigismember(&now, SIGUSR2);
}

static void a_handler_has_the_mask_it_asked_for(void)
{
    struct sigaction action = {.sa_handler = look_at_mask};
    sigaddset(&action.sa_mask, SIGUSR1);
    check(sigaction(SIGPROF, &action, NULL) == 0);
    send();
    check(profiling_blocked == 1 && usr_blocked == 1 && usr2_blocked == 0);
    action.sa_flags = SA_NODEFER;
    check(sigaction(SIGPROF, &action, NULL) == 0);
    send();
    check(profiling_blocked == 0);
    handle(count, (int)SA_RESETHAND);
    came = 0;
    send();
    check(came == 1);
    printf("after a handler that is called once: %s\n", action_name());
}

/* In header files these are hidden, deprecated, or both. */
typedef void (*handler_function)(int);
handler_function bsd_signal(int number, handler_function handler);
handler_function sysv_signal(int number, handler_function handler);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void older_ways_to_set_a_handler(void)
{
    came = 0;
    handle(SIG_IGN, 0);
    check(bsd_signal(SIGPROF, count) == SIG_IGN);
    work();
    send();
    check(came == 1);
    check(ssignal(SIGPROF, count) == count);
    work();
    send();
    check(came == 2);
    check(sysv_signal(SIGPROF, count) == count);
    work();
    check(came == 2);
    send();
    check(came == 3);
    printf("after sysv_signal: %s\n", action_name());
    check(sigset(SIGPROF, count) == SIG_DFL && sigset(SIGPROF, SIG_HOLD) == count && is_blocked());
    work();
    send();
    check(came == 3);
    check(sigset(SIGPROF, count) == SIG_HOLD && !is_blocked() && came == 4);
    work();
    check(sigset(SIGPROF, SIG_IGN) == count);
    send();
    check(came == 4);
}

#pragma GCC diagnostic pop

static int nothing[2];
static atomic_bool is_reading, has_read;

static void *read_nothing(void *unused)
{
    char byte;
    is_reading = true;
    check(read(nothing[0], &byte, 1) == -1 && errno == EINTR);
    has_read = true;
    return unused;
}

static void a_call_is_interrupted_where_that_is_wanted(void)
{
    pthread_t thread;
    handle(count, 0);
    check(pipe(nothing) == 0 && pthread_create(&thread, NULL, read_nothing, NULL) == 0);
    while (!is_reading)
        usleep(1000);
    while (!has_read) {
        check(pthread_kill(thread, SIGPROF) == 0);
        usleep(5000);
    }
    check(pthread_join(thread, NULL) == 0);
}

/* What the program is told that takes the child's place. */
static void in_a_program(void)
{
    fflush(stdout);
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "in a program", "in a program", (char *)NULL);
        _exit(1);
    }
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
}

static void programs_inherit_the_mask_and_no_handler(void)
{
    in_a_program();
    check(pthread_sigmask(SIG_BLOCK, &profiling, NULL) == 0);
    in_a_program();
    check(pthread_sigmask(SIG_UNBLOCK, &profiling, NULL) == 0);
}

static void without_a_handler_it_ends_the_process(void)
{
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        check(signal(SIGPROF, SIG_DFL) == count);
        struct itimerval soon = {{0, 0}, {0, 1000}};
        setitimer(ITIMER_PROF, &soon, NULL);
        for (;;)
            compute(1, 1000);
    }
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF);
}

int main(int argc, char **argv)
{
    alarm(240);
    if (argc > 1) {
        work();
        printf("%s: %s, %sblocked\n", argv[1], action_name(), is_blocked() ? "" : "not ");
        return 0;
    }
    sigemptyset(&profiling);
    sigaddset(&profiling, SIGPROF);
    the_handler_is_called_for_what_was_sent();
    what_is_blocked_waits();
    one_thread_takes_what_all_have_blocked();
    a_timer_of_its_own_goes_on();
    a_handler_may_jump_out();
    a_handler_has_the_mask_it_asked_for();
    older_ways_to_set_a_handler();
    a_call_is_interrupted_where_that_is_wanted();
    programs_inherit_the_mask_and_no_handler();
    without_a_handler_it_ends_the_process();
    return 0;
}
