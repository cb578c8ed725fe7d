/* Threads walk their stacks, through libraries that come and go, while another refreshes the modules: nothing is read that was
 * freed, and no walk finds what is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOADERS = 2, WALKERS = 2, ROUNDS = 300 };

static atomic_int loaders_left;
static atomic_ulong walks, complete, in_plugin;
static const char *const plugins[LOADERS] = {PLUGIN, PLUGIN_WITHOUT_INDEX};

static _Thread_local struct walked walked;

static void walk_here(void)
{
    struct unwind_registers registers;
    unwind_registers_here(&registers);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walked);
    atomic_fetch_add_explicit(&walks, 1, memory_order_relaxed);
    if (walked.end == UNWIND_COMPLETE)
        atomic_fetch_add_explicit(&complete, 1, memory_order_relaxed);
}

/* The library may not be in the list yet: then its frames have no rules, and the walk ends there or goes by frame pointers. */
static void *load_and_walk(void *data)
{
    const char *path = data;
    for (int i = 0; i < ROUNDS; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            abort();
        void (*call)(void (*)(void), int) = NULL;
        *(void **)&call = dlsym(library, "plugin_call");
        uint64_t start = (uint64_t)(uintptr_t)call;
        for (int j = 0; j < 8; j++) {
            call(walk_here, 5);
            unsigned frames = 0;
            for (size_t k = 0; k < walked.count; k++)
                frames += walked.frames[k].pc - start < 256;
            if (walked.end == UNWIND_COMPLETE && frames == 5)
                atomic_fetch_add_explicit(&in_plugin, 1, memory_order_relaxed);
        }
        dlclose(library);
    }
    atomic_fetch_sub(&loaders_left, 1);
    return NULL;
}

void descend(int depth);
__attribute__((noinline)) void descend(int depth)
{
    if (depth > 0)
        descend(depth - 1);
    else
        walk_here();
    __asm__ volatile("" ::: "memory");
}

static void *only_walk(void *data)
{
    atomic_ulong *wrong = data;
    while (atomic_load(&loaders_left) > 0) {
        descend(20);
        /* This code never goes away: its stacks are always whole. */
        if (walked.end != UNWIND_COMPLETE || walked.count < 22)
            atomic_fetch_add(wrong, 1);
    }
    return NULL;
}

static void *refresh(void *data)
{
    (void)data;
    while (atomic_load(&loaders_left) > 0) {
        if (unwind_modules_refresh(walker_modules(), NULL, NULL) != 0)
            abort();
        struct timespec pause = {0, 50000};
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void walks_are_right_while_libraries_come_and_go(void **state)
{
    (void)state;
    pthread_t loaders[LOADERS], walkers[WALKERS], refresher;
    atomic_ulong wrong = 0;
    atomic_store(&loaders_left, LOADERS);
    for (int i = 0; i < LOADERS; i++)
        assert_int_equal(pthread_create(&loaders[i], NULL, load_and_walk, (void *)(uintptr_t)plugins[i]), 0);
    for (int i = 0; i < WALKERS; i++)
        assert_int_equal(pthread_create(&walkers[i], NULL, only_walk, &wrong), 0);
    assert_int_equal(pthread_create(&refresher, NULL, refresh, NULL), 0);
    for (int i = 0; i < LOADERS; i++)
        pthread_join(loaders[i], NULL);
    for (int i = 0; i < WALKERS; i++)
        pthread_join(walkers[i], NULL);
    pthread_join(refresher, NULL);
    print_message("%lu walks, %lu complete, %lu of them through a library just loaded\n", walks, complete, in_plugin);
    assert_int_equal(wrong, 0);
    assert_true(atomic_load(&complete) > 0);
}

int main(void)
{
    alarm(110);
    walker_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_right_while_libraries_come_and_go),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
