#include "looker/waiter.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Keeps a call from being the last thing a function does, and so from taking its place on the stack. */
#define NOT_LAST() __asm__ volatile("" ::: "memory")

void waiter_start(struct waiter *waiter, void (*play)(struct waiter *waiter))
{
    waiter->facts = mmap(NULL, sizeof *waiter->facts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(waiter->facts != MAP_FAILED);
    assert_int_equal(pipe(waiter->pipe), 0);
    waiter->pid = fork();
    assert_true(waiter->pid >= 0);
    if (waiter->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(waiter->pipe[1]);
        play(waiter);
        _exit(0);
    }
    close(waiter->pipe[0]);
    struct error error = {0};
    waiter->looker = looker_create(64);
    assert_non_null(waiter->looker);
    waiter->target = look_target_open(waiter->looker, waiter->pid, &error);
    assert_non_null(waiter->target);
    look_thread_init(&waiter->thread, waiter->pid, (uintptr_t)&waiter->facts->labels, 0);
}

void waiter_end(struct waiter *waiter)
{
    look_thread_close(waiter->target, &waiter->thread);
    look_target_close(waiter->target);
    looker_free(waiter->looker);
    kill(waiter->pid, SIGKILL);
    waitpid(waiter->pid, NULL, 0);
    close(waiter->pipe[1]);
    munmap(waiter->facts, sizeof *waiter->facts);
}

void waiter_look(struct waiter *waiter, struct look_thread *thread, struct look *look)
{
    for (int tries = 0; tries < 5000; tries++) {
        if (atomic_load(&waiter->facts->ready)) {
            assert_true(look_take(waiter->target, thread, look));
            if (look->state == LOOK_WAITING && !look->same)
                return;
            look_thread_forget(thread);
        }
        usleep(1000);
    }
    fail_msg("the thread never waits");
}

const char *look_name(const struct look *look, size_t from_leaf)
{
    size_t natives = 0;
    for (size_t i = look->count; i-- > 0;) {
        Dl_info info;
        if (look->frames[i].kind != FRAME_NATIVE || natives++ != from_leaf)
            continue;
        /* A call may be the last instruction of its function. */
        uint64_t address = look->frames[i].address - (from_leaf > 0);
        return dladdr((void *)(uintptr_t)address, &info) && info.dli_sname ? info.dli_sname : "?";
    }
    return "?";
}

bool look_has(const struct look *look, const char *function)
{
    for (size_t i = 0; i < look->count; i++)
        if (strcmp(look_name(look, i), function) == 0)
            return true;
    return false;
}

__attribute__((noinline)) void wait_in_read(struct waiter *waiter)
{
    char byte;
    ssize_t got = read(waiter->pipe[0], &byte, 1);
    (void)got;
    NOT_LAST();
}

__attribute__((noinline)) void wait_in_nanosleep(struct waiter *waiter)
{
    (void)waiter;
    struct timespec time = {.tv_sec = 1000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    NOT_LAST();
}

__attribute__((noinline)) void wait_in_futex(struct waiter *waiter)
{
    uint32_t steps = atomic_load(&waiter->facts->steps);
    syscall(SYS_futex, &waiter->facts->steps, FUTEX_WAIT, steps, NULL, NULL, 0);
    NOT_LAST();
}

__attribute__((noinline)) void wait_in_poll(struct waiter *waiter)
{
    struct pollfd file = {.fd = waiter->pipe[0], .events = POLLIN};
    poll(&file, 1, -1);
    NOT_LAST();
}

__attribute__((noinline)) void wait_in_epoll(struct waiter *waiter)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, waiter->pipe[0], &event);
    epoll_wait(epoll, &event, 1, -1);
    NOT_LAST();
}

__attribute__((noinline)) void wait_in_condition(struct waiter *waiter)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&waiter->facts->go))
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    NOT_LAST();
}

/* The child overwrites what stands below this function on the stack that it shares with its parent. */
__attribute__((noinline)) void wait_in_vfork(struct waiter *waiter)
{
    char byte;
    pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(read(waiter->pipe[0], &byte, 1) == 1);
    }
    NOT_LAST();
}

__attribute__((noinline)) static void middle(struct waiter *waiter, void (*wait)(struct waiter *waiter))
{
    char room[200];
    memset(room, 1, sizeof room);
    __asm__ volatile("" ::"r"(room) : "memory");
    wait(waiter);
    NOT_LAST();
}

__attribute__((noinline)) void outer(struct waiter *waiter, void (*wait)(struct waiter *waiter))
{
    atomic_store(&waiter->facts->ready, true);
    middle(waiter, wait);
    NOT_LAST();
}

__attribute__((noinline)) void deep(struct waiter *waiter, unsigned depth)
{
    if (depth > 0)
        deep(waiter, depth - 1);
    else
        outer(waiter, wait_in_read);
    NOT_LAST();
}

__attribute__((noinline)) void spin(struct waiter *waiter)
{
    atomic_store(&waiter->facts->ready, true);
    while (!atomic_load(&waiter->facts->go))
        ;
    NOT_LAST();
}
