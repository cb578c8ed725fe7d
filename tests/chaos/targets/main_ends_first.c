/* The main thread ends, the others go on; the last of them ends the program. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *go_on(void *argument)
{
    (void)argument;
    uint32_t expected = compute(5, 100000);
    for (unsigned i = 0; i < 1000; i++)
        check(compute(5, 100000) == expected);
    return NULL;
}

static void *end_the_program(void *argument)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, go_on, NULL) == 0);
    check(pthread_join(*(pthread_t *)argument, NULL) == 0);
    usleep(50000);
    check(pthread_join(thread, NULL) == 0);
    puts("the main thread was joined");
    exit(7);
}

int main(void)
{
    alarm(240);
    static pthread_t self;
    self = pthread_self();
    pthread_t thread;
    check(pthread_create(&thread, NULL, end_the_program, &self) == 0);
    usleep(20000);
    pthread_exit(NULL);
}
