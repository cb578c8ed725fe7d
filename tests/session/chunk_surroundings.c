/* A chunk manager in programs that fork, close what they did not open, and rely on their errno. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "managed.h"

/* Runs `body` in a child, which gets a minute; what it returns is its exit status. */
static int in_child(int (*body)(struct managed *managed), struct managed *managed)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(body(managed));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int forget_and_write(struct managed *managed)
{
    chunk_manager_forget(managed->manager);
    struct chunk_manager *own = managed_create(managed, LIMIT);
    return own && use_one(own, CHUNK_MARKERS, 1) ? 0 : 1;
}

static void a_forked_child_forgets_and_the_parents_file_is_untouched(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunk = chunk_manager_take(managed->manager, CHUNK_MARKERS, 1);
    chunk_reserve(chunk, 10);
    chunk_commit(chunk, 10, 10);
    assert_int_equal(in_child(forget_and_write, managed), 0);
    assert_int_equal(atomic_load(&chunk->header.used), 11);
    assert_int_equal(sequence_of(chunk), 1);
    assert_non_null(chunk_manager_take(managed->manager, CHUNK_MARKERS, 1));
}

/* What many programs do at their start. */
static int close_everything(struct managed *managed)
{
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    for (uint64_t i = 1; i <= 2 * LIMIT; i++)
        if (!chunk_manager_take(managed->manager, CHUNK_MARKERS, i))
            return 1;
    return chunk_count(managed->manager) >= 2 * LIMIT ? 0 : 2;
}

static void a_program_that_closes_all_descriptors_loses_nothing(void **state)
{
    assert_int_equal(in_child(close_everything, *state), 0);
}

/* The program's own file gets the number that was ours. */
static int reuse_every_descriptor(struct managed *managed)
{
    char path[128];
    snprintf(path, sizeof path, "%s/own", managed->folder);
    int own = open(path, O_RDWR | O_CREAT, 0600);
    if (own < 0 || write(own, "mine", 4) != 4)
        return 1;
    for (int fd = 3; fd < 2000; fd++)
        if (fd != own)
            dup2(own, fd);
    for (uint64_t i = 1; i <= 2 * LIMIT; i++)
        if (!chunk_manager_take(managed->manager, CHUNK_MARKERS, i))
            return 2;
    struct stat status;
    return fstat(own, &status) == 0 && status.st_size == 4 ? 0 : 3;
}

static void a_file_of_the_program_under_our_number_is_not_touched(void **state)
{
    assert_int_equal(in_child(reuse_every_descriptor, *state), 0);
}

static int change_folder(struct managed *managed)
{
    if (chdir(managed->folder) != 0)
        return 1;
    struct chunk_manager_options options = {.folder = ".", .pid = 7, .limit_bytes = LIMIT * CHUNK_BYTES};
    struct chunk_manager *manager = chunk_manager_create(&options, &managed->error);
    if (!manager || chdir("/") != 0)
        return 2;
    return close_everything(&(struct managed){.manager = manager});
}

static void a_program_may_change_its_working_folder(void **state)
{
    assert_int_equal(in_child(change_folder, *state), 0);
}

static int lowest_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY);
    assert_true(fd >= 0);
    close(fd);
    return fd;
}

static void low_descriptors_stay_free(void **state)
{
    struct managed *managed = *state;
    int before = lowest_descriptor();
    struct chunk_manager *second = managed_create(managed, LIMIT);
    assert_int_equal(lowest_descriptor(), before);
    chunk_manager_free(second);
}

static void errno_of_the_program_stays(void **state)
{
    struct managed *managed = *state;
    errno = 12345;
    for (uint64_t i = 1; i <= 2 * LIMIT; i++)
        assert_non_null(chunk_manager_take(managed->manager, CHUNK_MARKERS, i));
    chunk_manager_prepare(managed->manager);
    assert_int_equal(errno, 12345);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_forked_child_forgets_and_the_parents_file_is_untouched),
        TEST(a_program_that_closes_all_descriptors_loses_nothing),
        TEST(a_file_of_the_program_under_our_number_is_not_touched),
        TEST(a_program_may_change_its_working_folder),
        TEST(low_descriptors_stay_free),
        TEST(errno_of_the_program_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
