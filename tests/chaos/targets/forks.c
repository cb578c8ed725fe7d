/* A storm of children: by fork, from two threads at once while others compute; with threads and children of their own; by exec,
 * vfork, posix_spawn, system and popen. */
#include "check.h"

#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { FORKS = 80, SPAWNS = 8 };

extern char **environ;
static atomic_bool over;

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) != pid)
        check(errno == EINTR);
    check(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void *compute_once(void *argument)
{
    return (void *)(uintptr_t)compute((uint32_t)(uintptr_t)argument, 100000);
}

static void in_child(unsigned number)
{
    char *memory = malloc(1000 + number);
    memset(memory, (int)number, 1000 + number);
    if (number % 4 == 0) {
        pthread_t thread;
        void *value;
        check(pthread_create(&thread, NULL, compute_once, (void *)(uintptr_t)number) == 0);
        check(pthread_join(thread, &value) == 0);
        check((uintptr_t)value == compute(number, 100000));
    }
    if (number % 5 == 0) {
        pid_t grandchild = fork();
        check(grandchild >= 0);
        if (grandchild == 0)
            _exit((int)(compute(number, 1000) % 100));
        check(wait_for(grandchild) == (int)(compute(number, 1000) % 100));
    }
    if (number % 8 == 3)
        execl("/proc/self/exe", "forks", "child", NULL);
    compute(number, 200000);
    check(memory[999] == (char)number);
    free(memory);
    if (number % 2)
        exit((int)(number % 50));
    _exit((int)(number % 50));
}

static void *fork_often(void *argument)
{
    unsigned base = (unsigned)(uintptr_t)argument;
    for (unsigned i = base; i < base + FORKS; i++) {
        pid_t child = fork();
        check(child >= 0);
        if (child == 0)
            in_child(i);
        check(wait_for(child) == (int)(i % 8 == 3 ? 42 : i % 50));
    }
    return NULL;
}

static void *stay_busy(void *argument)
{
    unsigned rounds = 0;
    while (!atomic_load(&over)) {
        check(compute(7, 10000) == (uint32_t)(uintptr_t)argument);
        if (!CHECKED_MEMORY)
            free(malloc(++rounds % 5000));
    }
    return NULL;
}

static void spawn(void)
{
    pid_t child;
    char *const words[] = {"forks", "child", NULL};
    check(posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0);
    check(wait_for(child) == 42);
    child = vfork();
    check(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 9", NULL);
        _exit(127);
    }
    check(wait_for(child) == 9);
    child = vfork();
    if (child == 0)
        _exit(11);
    check(wait_for(child) == 11);
    check(WEXITSTATUS(system("exit 7")) == 7);
    FILE *said = popen("echo said", "r");
    char line[16] = "";
    check(said && fgets(line, sizeof line, said) && strcmp(line, "said\n") == 0);
    check(WEXITSTATUS(pclose(said)) == 0);
}

int main(int argc, char **argv)
{
    alarm(240);
    if (argc == 2 && strcmp(argv[1], "child") == 0)
        return compute(1, 100000) == compute(1, 100000) ? 42 : 1;
    pthread_t forking[2], busy;
    check(pthread_create(&busy, NULL, stay_busy, (void *)(uintptr_t)compute(7, 10000)) == 0);
    for (unsigned i = 0; i < 2; i++) {
        check(pthread_create(&forking[i], NULL, fork_often, (void *)(uintptr_t)(i * FORKS)) == 0);
        /* A child made while another thread is in the allocator of AddressSanitizer can never allocate. */
        if (CHECKED_MEMORY)
            check(pthread_join(forking[i], NULL) == 0);
    }
    for (unsigned i = 0; i < SPAWNS; i++)
        spawn();
    for (unsigned i = 0; i < 2 && !CHECKED_MEMORY; i++)
        check(pthread_join(forking[i], NULL) == 0);
    atomic_store(&over, true);
    check(pthread_join(busy, NULL) == 0);
    printf("%d children\n", 2 * FORKS + 5 * SPAWNS);
    return 0;
}
