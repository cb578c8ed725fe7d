/* The text of dlerror() waits until it is asked for, whatever is called meanwhile: each of these for the first time. */
#include "burn.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static void *do_nothing(void *argument)
{
    return argument;
}

static void call_pthread_create(void)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
    check(pthread_join(thread, NULL) == 0);
}

static void call_usleep(void)
{
    usleep(1000);
}

static void call_nanosleep(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void call_clock_nanosleep(void)
{
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void call_sleep(void)
{
    sleep(1);
}

static void call_poll(void)
{
    poll(NULL, 0, 1);
}

static void call_ppoll(void)
{
    ppoll(NULL, 0, &(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void call_select(void)
{
    select(0, NULL, NULL, NULL, &(struct timeval){.tv_usec = 1000});
}

static void call_epoll_wait(void)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    check(epoll_wait(epoll, &event, 1, 1) == 0);
    close(epoll);
}

static void call_sem_timedwait(void)
{
    sem_t semaphore;
    check(sem_init(&semaphore, 0, 0) == 0);
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    sem_timedwait(&semaphore, &time);
}

static void call_pthread_cond_timedwait(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &time);
    pthread_mutex_unlock(&mutex);
}

static void call_sockets(void)
{
    int ends[2];
    char byte = 'b';
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    check(send(ends[0], &byte, 1, 0) == 1 && recv(ends[1], &byte, 1, 0) == 1);
    check(write(ends[0], &byte, 1) == 1 && read(ends[1], &byte, 1) == 1);
    close(ends[0]);
    close(ends[1]);
}

static void call_sigaction(void)
{
    struct sigaction action;
    check(sigaction(SIGUSR1, NULL, &action) == 0);
    signal(SIGUSR2, SIG_IGN);
}

static void call_pthread_sigmask(void)
{
    sigset_t set, old;
    sigfillset(&set);
    check(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
}

static void call_sigtimedwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigtimedwait(&set, NULL, &(struct timespec){.tv_nsec = 1000000});
}

static void call_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    check(waitpid(child, NULL, 0) == child);
}

static void call_posix_spawn(void)
{
    pid_t child;
    char *words[] = {"true", NULL};
    check(posix_spawnp(&child, "true", NULL, NULL, words, environ) == 0);
    check(waitpid(child, NULL, 0) == child);
}

static void call_system(void)
{
    check(system("true") == 0);
}

static void call_sched_yield(void)
{
    sched_yield();
}

/* The handler of whoever samples it. */
static void call_nothing(void)
{
    burn(200000000);
}

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    {"usleep", call_usleep},
    {"pthread_create", call_pthread_create},
    {"nanosleep", call_nanosleep},
    {"clock_nanosleep", call_clock_nanosleep},
    {"sleep", call_sleep},
    {"poll", call_poll},
    {"ppoll", call_ppoll},
    {"select", call_select},
    {"epoll_wait", call_epoll_wait},
    {"sem_timedwait", call_sem_timedwait},
    {"pthread_cond_timedwait", call_pthread_cond_timedwait},
    {"sockets", call_sockets},
    {"sigaction", call_sigaction},
    {"pthread_sigmask", call_pthread_sigmask},
    {"sigtimedwait", call_sigtimedwait},
    {"fork", call_fork},
    {"posix_spawn", call_posix_spawn},
    {"system", call_system},
    {"sched_yield", call_sched_yield},
    {"computing", call_nothing},
};

int main(void)
{
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        char name[64];
        snprintf(name, sizeof name, "/no/such/library-%u.so", i);
        check(dlopen(name, RTLD_NOW) == NULL);
        calls[i].call();
        const char *error = dlerror();
        printf("%s: %s\n", calls[i].name, error && strstr(error, name) ? "kept" : error ? "another text" : "lost");
    }
    return 0;
}
