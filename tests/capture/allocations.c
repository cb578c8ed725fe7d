/* What is recorded of a program's allocations, held against what the program did. It is recorded twice: with a mean of one
 * byte, so that whatever is larger than some dozen bytes is certainly there; and with all of its allocations. Called with the
 * name of a scene this is the recorded program. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/reader.h"

#include "common/vec.h"

/* --- the recorded program: each line on standard output is a fact about a block: address, size, whether it was freed --------
 */

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
    if (realloc(block, too_much) || errno != ENOMEM || reallocarray(block, all_bits / 2, 3))
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

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] = {
    {"families", play_families}, {"realloc", play_realloc},   {"failing", play_failing}, {"threads", play_threads},
    {"signals", play_signals},   {"recycled", play_recycled}, {"fork", play_fork},
};

/* --- recording it -----------------------------------------------------------------------------------------------------------
 */

struct block {
    uint64_t address, size, time, frames;
    bool is_freed;
};

static char self[PATH_MAX], folder[64];
static VEC(struct block) told;     /* by the program */
static VEC(struct block) recorded; /* in the file of the program … */
static VEC(struct block) frees;    /* … and the times of frees */
static struct session_file_header header;

/* Behind a CALLER. */
static struct {
    uint64_t time, address;
    VEC(uint64_t) frames; /* of each path */
} run;

static void take_event(const struct any_entry *entry)
{
    const struct allocated_entry *made = &entry->allocated;
    struct block block = {0};
    switch (entry->kind) {
    case ENTRY_CALLER:
        run.time = entry->caller.time;
        run.address = 0;
        run.frames.count = 0;
        break;
    case ENTRY_CALL_PATH:
        assert_true(vec_push(&run.frames, (uint64_t)entry->call_path.stack.frames.count));
        break;
    case ENTRY_ALLOCATED:
        run.time += made->time_delta;
        run.address += (uint64_t)made->address_delta;
        assert_true(made->path < run.frames.count);
        block = (struct block){run.address * ALLOCATED_ALIGNMENT, made->size, run.time, run.frames.items[made->path], false};
        assert_true(vec_push(&recorded, block));
        break;
    case ENTRY_FREED:
        run.time += entry->freed.time_delta;
        run.address += (uint64_t)entry->freed.address_delta;
        block = (struct block){.address = run.address * ALLOCATED_ALIGNMENT, .time = run.time};
        assert_true(vec_push(&frees, block));
        break;
    default:
        break;
    }
}

static int take_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)data, (void)error;
    struct block block = {0};
    take_event(entry);
    if (entry->kind == ENTRY_ALLOCATION) {
        const struct allocation_entry *made = &entry->allocation;
        block = (struct block){made->address, made->size, made->time, made->stack.frames.count, false};
        assert_true(vec_push(&recorded, block));
    } else if (entry->kind == ENTRY_FREE) {
        block = (struct block){.address = entry->free.address, .time = entry->free.time};
        assert_true(vec_push(&frees, block));
    }
    return 0;
}

/* Of the first process, which is the scene. */
static void read_session(int pid)
{
    char path[128];
    struct error error = {0};
    struct session_reading reading = {0};
    run.frames.count = 0;
    static const struct session_visitor visitor = {.entry = take_entry};
    snprintf(path, sizeof path, "%s/%d-0.sonde", folder, pid);
    struct session_file *file = session_file_open(path, &error);
    if (!file)
        fail_msg("%s", error.message);
    assert_int_equal(session_file_visit(file, &visitor, NULL, &reading, &error), 0);
    assert_int_equal(reading.bad_entries, 0);
    session_file_header(file, &header);
    session_file_close(file);
}

/* A block is freed where a FREE of its address lies between it and the next block there. */
static void match_frees(void)
{
    for (size_t i = 0; i < recorded.count; i++) {
        struct block *block = &recorded.items[i];
        uint64_t next = UINT64_MAX;
        for (size_t j = 0; j < recorded.count; j++)
            if (recorded.items[j].address == block->address && recorded.items[j].time > block->time &&
                recorded.items[j].time < next)
                next = recorded.items[j].time;
        for (size_t j = 0; j < frees.count; j++)
            block->is_freed |=
                frees.items[j].address == block->address && frees.items[j].time >= block->time && frees.items[j].time <= next;
    }
}

static void read_facts(int fd)
{
    FILE *facts = fdopen(fd, "r");
    struct block block = {0};
    unsigned long address, size;
    int is_freed;
    assert_non_null(facts);
    while (fscanf(facts, "%lu %lu %d", &address, &size, &is_freed) == 3) {
        block.address = address;
        block.size = size;
        block.is_freed = is_freed;
        assert_true(vec_push(&told, block));
    }
    fclose(facts);
}

static void record(const char *scene, const char *what, const char *variable)
{
    int pipe_ends[2], status;
    strcpy(folder, "/tmp/sonde-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_ends[1], STDOUT_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        setenv("LD_PRELOAD", PRELOAD ":" PRELOAD_ALLOCATIONS, 1);
        setenv("SONDE_ALLOCATIONS", what, 1);
        setenv("SONDE_STARTUP", "1", 1);
        setenv("SONDE_SESSION", folder, 1);
        if (variable)
            putenv((char *)(uintptr_t)variable);
        execl(self, self, scene, (char *)NULL);
        _exit(127);
    }
    close(pipe_ends[1]);
    read_facts(pipe_ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    read_session(pid);
    match_frees();
}

static int forget(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    vec_free(&told);
    vec_free(&recorded);
    vec_free(&frees);
    vec_free(&run.frames);
    return system(command);
}

static bool is_of_the_scene(const struct block *block)
{
    return block->size >= 5000;
}

static uint64_t bytes_recorded(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < recorded.count; i++)
        bytes += recorded.items[i].size;
    return bytes;
}

/* What the program said is what was recorded, as often, and nothing else that is as large. */
static void assert_recorded_as_told(void)
{
    for (size_t i = 0; i < told.count; i++) {
        size_t found = 0, same = 0, freed = 0;
        for (size_t j = 0; j < told.count; j++)
            same += told.items[j].address == told.items[i].address && told.items[j].size == told.items[i].size;
        for (size_t j = 0; j < recorded.count; j++) {
            const struct block *block = &recorded.items[j];
            if (block->address != told.items[i].address || block->size != told.items[i].size)
                continue;
            found++;
            freed += block->is_freed;
            assert_true(block->frames > 1);
        }
        if (found != same || freed != (told.items[i].is_freed ? same : 0))
            fail_msg("block %lx of %lu bytes: recorded %zu times, freed %zu times; it was allocated %zu times%s",
                     told.items[i].address, told.items[i].size, found, freed, same,
                     told.items[i].is_freed ? " and freed as often" : "");
    }
    assert_true(told.count > 0);
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS], recorded.count);
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS_LOST], 0);
    assert_int_equal(header.statistics[STATISTIC_FREES_MISSED], 0);
    assert_true(header.statistics[STATISTIC_ALLOCATED_BYTES] >= bytes_recorded());
}

static size_t count_of_the_scene(void)
{
    size_t count = 0;
    for (size_t i = 0; i < recorded.count; i++)
        count += is_of_the_scene(&recorded.items[i]);
    return count;
}

/* Both ways. */
static void assert_scene(const char *scene, const char *variable, size_t of_the_scene)
{
    static const char *const ways[] = {"1", "all"};
    for (size_t i = 0; i < 2; i++) {
        record(scene, ways[i], variable);
        assert_recorded_as_told();
        if (of_the_scene)
            assert_int_equal(count_of_the_scene(), of_the_scene);
        /* Of all of them there are all. */
        if (i == 1)
            assert_int_equal(header.statistics[STATISTIC_ALLOCATED_BYTES], bytes_recorded());
        forget(NULL);
    }
}

static void every_function_that_allocates_is_seen(void **state)
{
    (void)state;
    assert_scene("families", NULL, 0);
}

static void realloc_frees_the_old_block_and_allocates_the_new_one(void **state)
{
    (void)state;
    assert_scene("realloc", NULL, 202);
}

static void what_fails_is_no_block(void **state)
{
    (void)state;
    assert_scene("failing", NULL, 1);
}

static void blocks_are_freed_by_any_thread_at_any_time(void **state)
{
    (void)state;
    assert_scene("threads", NULL, 0);
}

static void signal_handlers_allocate(void **state)
{
    (void)state;
    assert_scene("signals", NULL, 20);
}

static void a_child_has_its_own_blocks(void **state)
{
    (void)state;
    assert_scene("fork", NULL, 2);
}

static void what_is_allocated_before_main_is_seen(void **state)
{
    (void)state;
    assert_scene("failing", "SCENE_EARLY=1", 2);
}

/* Those that are held are all there, though the first chunks are not; and none is that was freed, whose free may be gone only
 * with it. */
static void live_blocks_outlive_the_chunks_that_they_were_written_to(void **state)
{
    (void)state;
    record("recycled", "1", "SONDE_STARTUP_ENTRIES=1MiB");
    assert_true(header.statistics[STATISTIC_CHUNKS_RECYCLED] > 50);
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS_LOST], 0);
    for (size_t i = 0; i < told.count; i++) {
        size_t held = 0;
        for (size_t j = 0; j < recorded.count; j++)
            held += recorded.items[j].address == told.items[i].address && recorded.items[j].size == told.items[i].size &&
                    !recorded.items[j].is_freed;
        if (told.items[i].is_freed ? held != 0 : held == 0)
            fail_msg("block %zu of %lu bytes: it is held %zu times, and was %sfreed", i, told.items[i].size, held,
                     told.items[i].is_freed ? "" : "not ");
    }
    forget(NULL);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].play();
            return 0;
        }
    if (!realpath(argv[0], self))
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_function_that_allocates_is_seen, forget),
        cmocka_unit_test_teardown(realloc_frees_the_old_block_and_allocates_the_new_one, forget),
        cmocka_unit_test_teardown(what_fails_is_no_block, forget),
        cmocka_unit_test_teardown(blocks_are_freed_by_any_thread_at_any_time, forget),
        cmocka_unit_test_teardown(signal_handlers_allocate, forget),
        cmocka_unit_test(live_blocks_outlive_the_chunks_that_they_were_written_to),
        cmocka_unit_test_teardown(a_child_has_its_own_blocks, forget),
        cmocka_unit_test_teardown(what_is_allocated_before_main_is_seen, forget),
    };
    return cmocka_run_group_tests_name("allocations", tests, NULL, NULL);
}
