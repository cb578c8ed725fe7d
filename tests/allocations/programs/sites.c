/* A program of which it is known what each of its functions allocates, keeps and frees. It prints that at its end: a line for
 * each function with its name, all bytes, all blocks, and those of both that it never freed.
 *
 *     sites                 many functions, of small, mixed and large blocks
 *     sites leak NUMBER     one function that leaks, leak_here(), among others that allocate far more and free it again */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

struct truth {
    size_t bytes, blocks, left_bytes, left_blocks;
};

static void *volatile kept; /* from the compiler, which knows malloc() */

/* --- functions, each with sizes of its own ---------------------------------------------------------------------------------
 */

enum { SITES = 32, WINDOW = 64 };

static struct truth truths[SITES];
static void *windows[SITES][WINDOW];

/* Sizes from `least` to `least + spread`; one block in `keeps` stays. */
struct habit {
    size_t least, spread;
    unsigned count, keeps;
};

static struct habit habit_of(unsigned site)
{
    static const size_t sizes[] = {1, 16, 24, 48, 100, 500, 3000, 20000};
    return (struct habit){.least = sizes[site % 8],
                          .spread = site % 3 == 0 ? 0 : sizes[site % 8] * 2,
                          .count = (unsigned)(400000 * (1 + site / 8) / (sizes[site % 8] + 20)),
                          .keeps = 3 + site % 5};
}

static size_t size_of(const struct habit *habit)
{
    return habit->least + (habit->spread > 0 ? next_random() % habit->spread : 0);
}

/* Notes what was allocated. True: it stays. */
static int note(unsigned site, const struct habit *habit, size_t size)
{
    struct truth *truth = &truths[site];
    int stays = truth->blocks % habit->keeps == 0;
    truth->blocks++;
    truth->bytes += size;
    truth->left_blocks += (size_t)stays;
    truth->left_bytes += stays ? size : 0;
    return stays;
}

#define SITE(number)                                                                                                           \
    NOINLINE static void site_##number(const struct habit *habit)                                                              \
    {                                                                                                                          \
        size_t size = size_of(habit);                                                                                          \
        char *block = malloc(size);                                                                                            \
        *block = 1;                                                                                                            \
        void **place = &windows[number][next_random() % WINDOW];                                                               \
        if (note(number, habit, size)) {                                                                                       \
            kept = block;                                                                                                      \
            return;                                                                                                            \
        }                                                                                                                      \
        free(*place);                                                                                                          \
        *place = block;                                                                                                        \
    }
/* clang-format off */
#define EACH_SITE(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
/* clang-format on */
EACH_SITE(SITE)

static void (*const sites[SITES])(const struct habit *habit) = {
#define ENTRY(number) site_##number,
    EACH_SITE(ENTRY)
#undef ENTRY
};

static void play_sites(void)
{
    struct habit habits[SITES];
    for (unsigned i = 0; i < SITES; i++)
        habits[i] = habit_of(i);
    for (unsigned left = SITES; left > 0;) {
        left = 0;
        for (unsigned i = 0; i < SITES; i++)
            for (unsigned j = 0; j < 100 && truths[i].blocks < habits[i].count; j++, left++)
                sites[i](&habits[i]);
    }
    for (unsigned i = 0; i < SITES; i++)
        for (unsigned j = 0; j < WINDOW; j++)
            free(windows[i][j]);
    for (unsigned i = 0; i < SITES; i++)
        printf("site_%u %zu %zu %zu %zu\n", i, truths[i].bytes, truths[i].blocks, truths[i].left_bytes, truths[i].left_blocks);
}

/* --- a leak ----------------------------------------------------------------------------------------------------------------
 */

struct node {
    struct node *next;
    char text[];
};

static struct node *chain;
static size_t leaked;

NOINLINE static void leak_here(size_t size)
{
    struct node *node = malloc(sizeof *node + size);
    node->next = chain;
    chain = node;
    leaked += sizeof *node + size;
}

NOINLINE static void work_on_text(size_t size)
{
    char *text = malloc(size), *longer = NULL;
    memset(text, 'x', size);
    text[size - 1] = '\0';
    longer = realloc(text, size * 2);
    for (size_t i = 0; longer && i < size; i++)
        random_state = (random_state ^ (unsigned char)longer[i]) * 16777619;
    free(longer);
}

NOINLINE static void *cache_something(size_t size)
{
    return calloc(1, size);
}

static void play_leak(unsigned number)
{
    /* Sizes of the leak, how many, and how often there is other work for each. */
    static const struct {
        size_t size;
        unsigned count, work;
    } leaks[] = {{100, 60000, 1}, {16, 200000, 1}, {1500, 4000, 15}, {8000, 800, 80}, {3000000, 3, 20000}};
    void *cache[256] = {NULL};
    size_t size = leaks[number].size;
    for (unsigned i = 0; i < leaks[number].count; i++) {
        leak_here(size);
        for (unsigned j = 0; j < leaks[number].work; j++) {
            work_on_text(20 + next_random() % 2000);
            void **place = &cache[next_random() % 256];
            free(*place);
            *place = cache_something(next_random() % 1000);
        }
    }
    printf("leak_here %zu %u %zu %u\n", leaked, leaks[number].count, leaked, leaks[number].count);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "leak") == 0)
        play_leak((unsigned)atoi(argv[2]) % 5);
    else
        play_sites();
    return kept == &chain;
}
