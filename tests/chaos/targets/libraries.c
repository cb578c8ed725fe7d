/* Libraries come and go at the same addresses, while threads run in them and in others. Each of three threads loads, uses and
 * unloads a library of its own, so that each dlclose really unmaps it; a fourth stays in one and looks up symbols. */
#include "check.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LIBRARIES = 3, ROUNDS = 800 };

static atomic_uint running = LIBRARIES;

static void *load(unsigned number)
{
    char path[4096];
    snprintf(path, sizeof path, PLUGIN_FOLDER "/libchaos_plugin_%u.so", number);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    check(library);
    return library;
}

static unsigned call(void *library, unsigned seed)
{
    unsigned (*function)(unsigned);
    *(void **)&function = dlsym(library, "plugin_compute");
    check(function);
    return function(seed);
}

static void *come_and_go(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument, first = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        void *library = load(number);
        unsigned answer = call(library, number);
        for (unsigned j = 0; j < 3; j++)
            check(call(library, number) == answer);
        if (i == 0)
            first = answer;
        check(answer == first);
        check(dlclose(library) == 0);
    }
    atomic_fetch_sub(&running, 1);
    return (void *)(uintptr_t)first;
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)info, (void)size;
    ++*(unsigned *)data;
    return 0;
}

static void *stay(void *argument)
{
    void *library = load(LIBRARIES);
    unsigned answer = call(library, 3);
    while (atomic_load(&running) > 0) {
        check(call(library, 3) == answer);
        unsigned libraries = 0;
        dl_iterate_phdr(count, &libraries);
        check(libraries > 2);
    }
    check(dlclose(library) == 0);
    *(unsigned *)argument = answer;
    return NULL;
}

int main(void)
{
    alarm(240);
    pthread_t threads[LIBRARIES], staying;
    unsigned answers[LIBRARIES + 1] = {0};
    check(pthread_create(&staying, NULL, stay, &answers[LIBRARIES]) == 0);
    for (unsigned i = 0; i < LIBRARIES; i++)
        check(pthread_create(&threads[i], NULL, come_and_go, (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < LIBRARIES; i++) {
        void *value;
        check(pthread_join(threads[i], &value) == 0);
        answers[i] = (unsigned)(uintptr_t)value;
    }
    check(pthread_join(staying, NULL) == 0);
    for (unsigned i = 0; i <= LIBRARIES; i++)
        printf("%08x\n", answers[i]);
    return 0;
}
