/* 1,500 waits with a time limit, of five kinds, in threads of their own, beside one that computes: none of them is interrupted,
 * as nobody sends signals. */
#include "burn.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

enum kind { NANOSLEEP, POLL, EPOLL_WAIT, SELECT, SEM_TIMEDWAIT, KINDS };
enum { WAITS = 300, WAIT_MS = 3 };

static unsigned interrupted[KINDS];
static atomic_bool over;
static sem_t never;

static int wait_once(enum kind kind, int epoll)
{
    struct timespec time = {.tv_nsec = WAIT_MS * 1000000};
    struct timeval limit = {.tv_usec = WAIT_MS * 1000};
    struct epoll_event event;
    switch (kind) {
    case NANOSLEEP:
        return nanosleep(&time, NULL);
    case POLL:
        return poll(NULL, 0, WAIT_MS);
    case EPOLL_WAIT:
        return epoll_wait(epoll, &event, 1, WAIT_MS);
    case SELECT:
        return select(0, NULL, NULL, NULL, &limit);
    case SEM_TIMEDWAIT:
    case KINDS:
        break;
    }
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += WAIT_MS * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return sem_timedwait(&never, &time);
}

/* Between two waits there is some work, so that the CPU clock of the thread goes on and meets the edges of waits. */
static void *wait_often(void *argument)
{
    enum kind kind = (enum kind)(uintptr_t)argument;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    check(epoll >= 0);
    for (unsigned i = 0; i < WAITS; i++) {
        burn(100000);
        if (wait_once(kind, epoll) < 0 && errno == EINTR)
            interrupted[kind]++;
    }
    close(epoll);
    return NULL;
}

static void *stay_busy(void *argument)
{
    while (!atomic_load(&over))
        burn(100000);
    return argument;
}

int main(void)
{
    static const char *const names[] = {"nanosleep", "poll", "epoll_wait", "select", "sem_timedwait"};
    pthread_t waiting[KINDS], busy;
    check(sem_init(&never, 0, 0) == 0);
    check(pthread_create(&busy, NULL, stay_busy, NULL) == 0);
    for (unsigned i = 0; i < KINDS; i++)
        check(pthread_create(&waiting[i], NULL, wait_often, (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < KINDS; i++)
        check(pthread_join(waiting[i], NULL) == 0);
    atomic_store(&over, true);
    check(pthread_join(busy, NULL) == 0);
    for (unsigned i = 0; i < KINDS; i++)
        printf("%s: %u of %d waits interrupted\n", names[i], interrupted[i], WAITS);
    return 0;
}
