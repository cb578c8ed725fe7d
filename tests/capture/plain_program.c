/* A program that knows nothing of profilers. It does with threads and signals what programs do, and says what it sees of it. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <threads.h>
#include <unistd.h>

static void *returns(void *argument)
{
    pthread_setname_np(pthread_self(), "returns");
    return argument;
}

static void *exits(void *argument)
{
    prctl(PR_SET_NAME, "exits");
    pthread_exit(argument);
}

static void note_cleanup(void *argument)
{
    *(int *)argument = 1;
}

static void *is_cancelled(void *argument)
{
    pthread_setname_np(pthread_self(), "is cancelled");
    pthread_cleanup_push(note_cleanup, argument);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static int c11(void *argument)
{
    prctl(PR_SET_NAME, "c11");
    return *(int *)argument;
}

static void *waits_for_all_signals(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "all signals");
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    int signal = 0;
    siginfo_t info;
    int result = sigwait(&all, &signal);
    printf("sigwait: %d, signal %d\n", result, signal == SIGUSR1);
    result = sigtimedwait(&all, &info, &(struct timespec){.tv_nsec = 30000000});
    printf("sigtimedwait: %d\n", result < 0 && errno == EAGAIN);
    return NULL;
}

int main(int argument_count, char **arguments)
{
    alarm(60);
    pthread_t thread;
    void *result;
    int cleaned_up = 0, number = 42;
    pthread_create(&thread, NULL, returns, arguments);
    pthread_join(thread, &result);
    printf("returned %d\n", result == arguments);
    pthread_create(&thread, NULL, exits, &number);
    pthread_join(thread, &result);
    printf("exited %d\n", result == &number);
    pthread_create(&thread, NULL, is_cancelled, &cleaned_up);
    /* At once, perhaps before it has begun: it gets to its clean-up handler all the same. */
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("cancelled %d, cleaned up %d\n", result == PTHREAD_CANCELED, cleaned_up);
    thrd_t c11_thread;
    int c11_result;
    thrd_create(&c11_thread, c11, &number);
    thrd_join(c11_thread, &c11_result);
    printf("c11 %d\n", c11_result);

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    printf("too small %d\n", pthread_attr_setstacksize(&attributes, 1) == EINVAL);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_create(&thread, &attributes, returns, NULL);
    pthread_join(thread, NULL);

    /* Blocked in the new thread from its beginning, so that the signal waits for it. */
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    pthread_create(&thread, NULL, waits_for_all_signals, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return argument_count + 2;
}
