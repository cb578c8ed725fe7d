/* What a frame costs to unwind: Sonde against libunwind's unw_step, from the same saved registers.
 *
 *     bench_unwind [--json]
 *
 * 256 stacks of 30 frames and a few more wait, each in a coroutine of its own. Their functions keep no frame pointer and save
 * different registers; each has eight places that it calls from, so that the stacks meet 2048 return addresses in different
 * order.
 *
 *     warm                    the same stack again and again
 *     256 different stacks    one after the other
 *     L2 evicted              another stack each time, after 16 MiB of other memory were read
 *
 * Times are ns per frame: the least and the median of many rounds. */
#include "unwind/unwind.h"

#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum {
    STACKS = 256,
    DEPTH = 30,
    SITES = 8,
    FUNCTIONS = 256,
    STACK_BYTES = 32768,
    ROOM = 128,
    EVICT_BYTES = 16 << 20,
};

/* --- the stacks ------------------------------------------------------------------------------------------------------- */

struct path {
    unsigned depth;
    uint8_t function[DEPTH], site[DEPTH];
    ucontext_t context;
    char *stack;
};

static struct path paths[STACKS];
static ucontext_t main_context;
static uint64_t descend(struct path *path, uint64_t value);

/* Many values are live across the call, so that registers have to be saved; how many differs. */
#define SITE(n)                                                                                                                \
    case n:                                                                                                                    \
        result = descend(path, value + n);                                                                                     \
        __asm__ volatile("# after call " #n ::: "memory");                                                                     \
        break;
#define FUNCTION(name, live)                                                                                                   \
    __attribute__((noinline)) static uint64_t name(struct path *path, uint64_t value)                                          \
    {                                                                                                                          \
        uint64_t kept[live], result = 0;                                                                                       \
        for (unsigned i = 0; i < live; i++)                                                                                    \
            kept[i] = value * (i + 3);                                                                                         \
        switch (path->site[path->depth - 1]) {                                                                                 \
            SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7)                                                    \
        }                                                                                                                      \
        for (unsigned i = 0; i < live; i++)                                                                                    \
            result ^= kept[i];                                                                                                 \
        return result;                                                                                                         \
    }
#define FUNCTIONS_8(name)                                                                                                      \
    FUNCTION(name##0, 1)                                                                                                       \
    FUNCTION(name##1, 2)                                                                                                       \
    FUNCTION(name##2, 3)                                                                                                       \
    FUNCTION(name##3, 4)                                                                                                       \
    FUNCTION(name##4, 5)                                                                                                       \
    FUNCTION(name##5, 6) FUNCTION(name##6, 9) FUNCTION(name##7, 2)
#define FUNCTIONS_64(name)                                                                                                     \
    FUNCTIONS_8(name##0)                                                                                                       \
    FUNCTIONS_8(name##1)                                                                                                       \
    FUNCTIONS_8(name##2)                                                                                                       \
    FUNCTIONS_8(name##3) FUNCTIONS_8(name##4) FUNCTIONS_8(name##5) FUNCTIONS_8(name##6) FUNCTIONS_8(name##7)
FUNCTIONS_64(a)
FUNCTIONS_64(b)
FUNCTIONS_64(c)
FUNCTIONS_64(d)

#define NAMES_8(name) name##0, name##1, name##2, name##3, name##4, name##5, name##6, name##7
#define NAMES_64(name)                                                                                                         \
    NAMES_8(name##0), NAMES_8(name##1), NAMES_8(name##2), NAMES_8(name##3), NAMES_8(name##4), NAMES_8(name##5),                \
        NAMES_8(name##6), NAMES_8(name##7)
static uint64_t (*const functions[FUNCTIONS])(struct path *, uint64_t) = {NAMES_64(a), NAMES_64(b), NAMES_64(c), NAMES_64(d)};

__attribute__((always_inline)) static inline uint64_t descend(struct path *path, uint64_t value)
{
    if (path->depth == DEPTH) {
        swapcontext(&path->context, &main_context);
        return value;
    }
    return functions[path->function[path->depth++]](path, value);
}

static void start(unsigned index)
{
    descend(&paths[index], index);
    abort(); /* nobody goes back in */
}

static void start_path(unsigned index)
{
    struct path *path = &paths[index];
    path->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (path->stack == MAP_FAILED)
        abort();
    getcontext(&path->context);
    path->context.uc_stack.ss_sp = path->stack;
    path->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&path->context, (void (*)(void))start, 1, index);
    swapcontext(&main_context, &path->context);
}

static void make_stacks(void)
{
    uint64_t state = 88172645463325252;
    for (unsigned i = 0; i < STACKS; i++) {
        for (unsigned j = 0; j < DEPTH; j++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            paths[i].function[j] = (uint8_t)(state >> 20);
            paths[i].site[j] = (uint8_t)(state >> 40) % SITES;
        }
        start_path(i);
    }
}

/* --- the methods ------------------------------------------------------------------------------------------------------ */

static struct unwind unwind;

static size_t walk_ours(struct path *path)
{
    struct unwind_registers registers;
    struct unwind_frame frames[ROOM];
    uint64_t start_address = (uint64_t)(uintptr_t)path->stack;
    struct unwind_memory memory = {.start = start_address, .end = start_address + STACK_BYTES};
    enum unwind_end end;
    unwind_registers_from_context(&registers, &path->context);
    size_t count = unwind_stack(&unwind, &registers, &memory, frames, ROOM, &end);
    if (count < DEPTH)
        abort();
    return count;
}

#ifdef HAVE_LIBUNWIND
#define NAME_(name) #name
#define NAME(name) NAME_(name)
static int (*init)(unw_cursor_t *, unw_context_t *, int);
static int (*step)(unw_cursor_t *);
static int (*get_register)(unw_cursor_t *, unw_regnum_t, unw_word_t *);

/* Loaded apart, because a program that is linked with it throws its exceptions through it, too. */
static bool load_libunwind(void)
{
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&init = dlsym(library, NAME(unw_init_local2));
    *(void **)&step = dlsym(library, NAME(unw_step));
    *(void **)&get_register = dlsym(library, NAME(unw_get_reg));
    return init && step && get_register;
}

static size_t walk_theirs(struct path *path)
{
    unw_cursor_t cursor;
    uint64_t pcs[ROOM];
    size_t count = 0;
    if (init(&cursor, &path->context, UNW_INIT_SIGNAL_FRAME) != 0)
        abort();
    do {
        unw_word_t pc = 0;
        get_register(&cursor, UNW_REG_IP, &pc);
        pcs[count++] = pc;
    } while (count < ROOM && step(&cursor) > 0);
    __asm__ volatile("" ::"r"(pcs) : "memory");
    return count;
}
#else
static bool load_libunwind(void)
{
    return false;
}

static size_t walk_theirs(struct path *path)
{
    (void)path;
    abort();
}
#endif

/* --- measuring -------------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread {
    double least, median;
};

static struct spread spread_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return (struct spread){values[0], values[count / 2]};
}

enum { ROUNDS = 200 };

static struct spread measure_warm(size_t (*walk)(struct path *))
{
    enum { TIMES = 32 };
    double rounds[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t frames = 0;
        double begin = now();
        for (unsigned j = 0; j < TIMES; j++)
            frames += walk(&paths[0]);
        rounds[i] = (now() - begin) / (double)frames;
    }
    return spread_of(rounds, ROUNDS);
}

static struct spread measure_different(size_t (*walk)(struct path *))
{
    double rounds[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t frames = 0;
        double begin = now();
        for (unsigned j = 0; j < STACKS; j++)
            frames += walk(&paths[j]);
        rounds[i] = (now() - begin) / (double)frames;
    }
    return spread_of(rounds, ROUNDS);
}

static struct spread measure_evicted(size_t (*walk)(struct path *), const volatile uint64_t *memory)
{
    double rounds[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (size_t j = 0; j < EVICT_BYTES / sizeof *memory; j += 8)
            (void)memory[j];
        double begin = now();
        size_t frames = walk(&paths[i * 37 % STACKS]);
        rounds[i] = (now() - begin) / (double)frames;
    }
    return spread_of(rounds, ROUNDS);
}

static void print(bool json, const char *method, struct spread warm, struct spread different, struct spread evicted)
{
    if (json)
        printf("{\"method\": \"%s\", \"warm\": [%.2f, %.2f], \"different\": [%.2f, %.2f], \"evicted\": [%.2f, %.2f]}\n", method,
               warm.least, warm.median, different.least, different.median, evicted.least, evicted.median);
    else
        printf("%-20s %8.1f – %-8.1f %8.1f – %-8.1f %8.1f – %-8.1f\n", method, warm.least, warm.median, different.least,
               different.median, evicted.least, evicted.median);
}

int main(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    struct unwind_modules *modules = unwind_modules_create(NULL, NULL);
    struct unwind_cache *cache = mmap(NULL, sizeof *cache, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t *evict = mmap(NULL, EVICT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!modules || cache == MAP_FAILED || evict == MAP_FAILED)
        return 1;
    memset(evict, 1, EVICT_BYTES);
    bool have_libunwind = load_libunwind();
    if (unwind_modules_refresh(modules, NULL, NULL) != 0)
        return 1;
    unwind = (struct unwind){.modules = modules, .cache = cache};
    make_stacks();
    if (!json)
        printf("%-20s %-19s %-19s %s\n", "ns per frame", "warm", "256 stacks", "L2 evicted");
    size_t (*const methods[])(struct path *) = {walk_ours, walk_theirs};
    static const char *const names[] = {"sonde", "libunwind unw_step"};
    struct spread results[2][3] = {0};
    unsigned count = have_libunwind ? 2 : 1;
    for (unsigned i = 0; i < count; i++) {
        results[i][0] = measure_warm(methods[i]);
        results[i][1] = measure_different(methods[i]);
        results[i][2] = measure_evicted(methods[i], evict);
        print(json, names[i], results[i][0], results[i][1], results[i][2]);
    }
    if (!json && count == 2)
        printf("%-20s %17.1f×  %17.1f×  %17.1f×   (medians)\n", "ratio", results[1][0].median / results[0][0].median,
               results[1][1].median / results[0][1].median, results[1][2].median / results[0][2].median);
    if (!json && count == 1)
        printf("libunwind is missing\n");
    unwind_modules_free(modules);
    return 0;
}
