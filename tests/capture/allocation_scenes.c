/* The programs of allocations.c, each of which is recorded. Each line on standard output is a fact about a block: address,
 * size, whether it was freed. */
#include "allocation_scenes.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const void *block, size_t size, bool is_freed)
{
    char line[100];
    int length = snprintf(line, sizeof line, "%lu %zu %d\n", (unsigned long)(uintptr_t)block, size, is_freed);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        abort();
}

/* Sizes tell blocks apart whose addresses are used again. */
static size_t next_size(void)
{
    static size_t size = 5000;
    return size += 16;
}

static void keep(void *block, size_t size)
{
    say(block, size, false);
}

static void let_go(void *block, size_t size)
{
    say(block, size, true);
    free(block);
}

static void *volatile hidden; /* from the compiler, which knows malloc() */
static volatile size_t too_much = PTRDIFF_MAX, all_bits = SIZE_MAX, just_negative = (SIZE_MAX >> 1) + 100;

static void *hide(void *block)
{
    hidden = block;
    return hidden;
}

static void *aligned_by_posix(size_t size)
{
    void *block = NULL;
    return posix_memalign(&block, 64, size) == 0 ? block : NULL;
}

static void play_families(void)
{
    for (int round = 0; round < 2; round++) {
        void (*done)(void *, size_t) = round ? let_go : keep;
        const size_t size = next_size(), aligned = size / 64 * 64;
        done(hide(malloc(size)), size);
        done(hide(calloc(2, size / 2)), size);
        done(hide(realloc(NULL, size)), size);
        done(hide(reallocarray(NULL, 2, size / 2)), size);
        done(hide(memalign(256, size)), size);
        done(hide(aligned_alloc(64, aligned)), aligned);
        done(hide(aligned_by_posix(size)), size);
        done(hide(valloc(size)), size);
        if (!getenv("SCENE_OTHER_ALLOCATOR"))
            done(hide(pvalloc(size)), size);
        done(hide(strdup(memset(calloc(1, 7000), 'x', 6999))), 7000);
    }
}

/* Each size is freed with the next one. */
static void play_realloc(void)
{
    size_t size = next_size();
    void *block = hide(malloc(size));
    for (int i = 0; i < 200; i++) {
        say(block, size, true);
        size = i % 2 ? next_size() : size * 3 - next_size();
        block = hide(realloc(block, size));
    }
    say(block, size, true);
    block = hide(realloc(block, 0));
    size = next_size();
    block = hide(malloc(size));
    if (realloc(block, too_much) || (errno != ENOMEM && !getenv("SCENE_OTHER_ALLOCATOR")) ||
        reallocarray(block, all_bits / 2, 3))
        abort();
    keep(block, size);
}

/* None of these is a block. */
static void play_failing(void)
{
    void *none = NULL;
    errno = 0;
    if (hide(malloc(too_much)) || errno != ENOMEM || hide(calloc(all_bits / 2, 3)) || hide(malloc(all_bits)) ||
        hide(malloc(just_negative)) || posix_memalign(&none, 3, 10000) != EINVAL || hide(aligned_alloc(64, too_much)))
        abort();
    free(NULL);
    size_t size = next_size();
    keep(hide(malloc(size)), size);
}

static pthread_key_t key;

static void free_at_the_end(void *block)
{
    let_go(block, malloc_usable_size(block) >= 9000 ? 9000 : 0);
}

static void *run_thread(void *block)
{
    let_go(block, 8000);
    pthread_setspecific(key, hide(malloc(9000)));
    size_t size = next_size();
    void *made = hide(malloc(size));
    say(made, size, true);
    return made;
}

static void play_threads(void)
{
    pthread_key_create(&key, free_at_the_end);
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        void *made;
        if (pthread_create(&thread, NULL, run_thread, hide(malloc(8000))) != 0 || pthread_join(thread, &made) != 0)
            abort();
        free(made);
    }
}

static void *from_handler;

static void on_signal(int number)
{
    (void)number;
    from_handler = malloc(20000);
}

static void play_signals(void)
{
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 20; i++) {
        raise(SIGUSR1);
        let_go(hide(from_handler), 20000);
    }
}

/* What is inherited is the parent's; what the child makes is its own. */
static void play_fork(void)
{
    size_t size = next_size();
    void *inherited = hide(malloc(size));
    keep(inherited, size);
    pid_t child = fork();
    if (child == 0) {
        free(inherited);
        inherited = hide(malloc(30000));
        free(inherited);
        exit(inherited == NULL);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
    let_go(hide(malloc(31000)), 31000);
}

enum { EARLY_BLOCKS = 300, LATE_BLOCKS = 300000 };

static void *early[EARLY_BLOCKS];
static pthread_barrier_t is_early, is_late;

/* Its chunk is not full, and stays. */
static void *allocate_early(void *unused)
{
    for (int i = 0; i < EARLY_BLOCKS; i++) {
        size_t size = next_size();
        say(early[i] = hide(malloc(size)), size, i % 2 == 0);
    }
    pthread_barrier_wait(&is_early);
    pthread_barrier_wait(&is_late);
    return unused;
}

/* What is held from the beginning, by this thread and by one that waits, and what was freed soon, while so much is written that
 * the memory of the recording is used many times over. */
static void play_recycled(void)
{
    pthread_t thread;
    pthread_barrier_init(&is_early, NULL, 2);
    pthread_barrier_init(&is_late, NULL, 2);
    for (int i = 0; i < EARLY_BLOCKS; i++) {
        size_t size = next_size();
        keep(hide(malloc(size)), size);
    }
    if (pthread_create(&thread, NULL, allocate_early, NULL) != 0)
        abort();
    pthread_barrier_wait(&is_early);
    for (int i = 0; i < EARLY_BLOCKS; i += 2)
        free(early[i]);
    for (int i = 0; i < LATE_BLOCKS; i++)
        free(hide(malloc(3000)));
    pthread_barrier_wait(&is_late);
    pthread_join(thread, NULL);
}

__attribute__((constructor)) static void before_main(void)
{
    if (getenv("SCENE_EARLY"))
        keep(hide(malloc(12345)), 12345);
}

/* --- other allocators, and the kernel --------------------------------------------------------------------------------------
 */

typedef void *new_function(size_t size);
typedef void *new_aligned_function(size_t size, size_t alignment);
typedef void delete_function(void *block);
typedef void delete_second_function(void *block, size_t size_or_alignment);

/* As a program finds them: those of the first library that has them. */
static void *operator_named(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found)
        abort();
    return found;
}

static void play_operators(void)
{
    static const char *const pairs[][2] = {{"_Znwm", "_ZdlPv"}, {"_Znam", "_ZdaPv"}};
    static const char *const aligned[][2] = {{"_ZnwmSt11align_val_t", "_ZdlPvSt11align_val_t"},
                                             {"_ZnamSt11align_val_t", "_ZdaPvSt11align_val_t"}};
    for (int i = 0; i < 2; i++) {
        size_t size = next_size();
        new_function *make = (new_function *)operator_named(pairs[i][0]);
        delete_function *destroy = (delete_function *)operator_named(pairs[i][1]);
        keep(hide(make(size)), size);
        say(hide(make(size)), size, true);
        destroy(hidden);
        size = next_size() / 64 * 64;
        new_aligned_function *make_aligned = (new_aligned_function *)operator_named(aligned[i][0]);
        delete_second_function *destroy_aligned = (delete_second_function *)operator_named(aligned[i][1]);
        keep(hide(make_aligned(size, 64)), size);
        say(hide(make_aligned(size, 64)), size, true);
        if ((uintptr_t)hidden % 64 != 0)
            abort();
        destroy_aligned(hidden, 64);
    }
    new_aligned_function *nothrow = (new_aligned_function *)operator_named("_ZnwmRKSt9nothrow_t");
    size_t size = next_size();
    if (getenv("SCENE_OTHER_ALLOCATOR") && nothrow(too_much, 0))
        abort();
    say(hide(nothrow(size, 0)), size, true);
    ((delete_second_function *)operator_named("_ZdlPvm"))(hidden, size);
}

enum { MAPPED = 1 << 20 };

static char *map(void *where, size_t size, int protection, int flags)
{
    char *mapped = mmap(where, size, protection, MAP_PRIVATE | flags, -1, 0);
    if (mapped == MAP_FAILED)
        abort();
    return mapped;
}

/* A block is where a mapping begins. Each has a size of its own. */
static void play_maps(void)
{
    const int writable = PROT_READ | PROT_WRITE;
    size_t size = MAPPED;
    keep(map(NULL, size, writable, MAP_ANONYMOUS), size);
    size += 4096;
    char *gone = map(NULL, size, writable, MAP_ANONYMOUS);
    say(gone, size, true);
    munmap(gone, size);
    size += 4096;
    char *moved = map(NULL, size, writable, MAP_ANONYMOUS);
    say(moved, size, true);
    moved = mremap(moved, size, 3 * MAPPED, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        abort();
    keep(moved, 3 * MAPPED);
    size += 4096;
    char *covered = map(NULL, 2 * MAPPED, PROT_NONE, MAP_ANONYMOUS | MAP_NORESERVE); /* nothing yet */
    say(map(covered, size, writable, MAP_ANONYMOUS | MAP_FIXED), size, true);
    keep(map(covered, 2 * MAPPED, writable, MAP_ANONYMOUS | MAP_FIXED), 2 * MAPPED);
    map(NULL, 4096, writable, MAP_ANONYMOUS); /* too small */
    keep(sbrk(5 * MAPPED), 5 * MAPPED);
}

/* It is killed in the middle, and other threads allocate, too. */
static void *allocate_for_ever(void *unused)
{
    for (;;)
        free(hide(malloc(100)));
    return unused;
}

static void play_killed(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, allocate_for_ever, NULL) != 0)
            abort();
    }
    play_families();
    kill(getpid(), SIGKILL);
}

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] = {
    {"families", play_families}, {"realloc", play_realloc},   {"failing", play_failing}, {"threads", play_threads},
    {"signals", play_signals},   {"recycled", play_recycled}, {"fork", play_fork},       {"operators", play_operators},
    {"maps", play_maps},         {"killed", play_killed},
};

bool allocation_scene_play(const char *name)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(name, scenes[i].name) == 0) {
            scenes[i].play();
            return true;
        }
    return false;
}
