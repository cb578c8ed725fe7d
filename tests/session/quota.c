/* What the processes of a session have left, and how they share it. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ipc/quota.h"
#include "managed.h"

enum { ALLOWED = 4 }; /* chunks that a process has without taking more */

static struct quota *make(const struct managed *managed)
{
    int folder = open(managed->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct quota *quota = quota_make(folder);
    assert_non_null(quota);
    close(folder);
    return quota;
}

static int tear_down(void **state)
{
    const struct managed *managed = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/" QUOTA_NAME, managed->folder);
    unlink(path);
    return managed_teardown(state);
}

static struct chunk_manager *share(struct managed *managed)
{
    struct chunk_manager *manager = managed_create(managed, 1000);
    assert_non_null(manager);
    chunk_manager_set_limit(manager, (uint64_t)ALLOWED * CHUNK_BYTES);
    chunk_manager_share_quota(manager, NULL);
    return manager;
}

static struct chunk_manager_usage usage_of(struct chunk_manager *manager)
{
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
    return usage;
}

static void what_one_puts_in_another_takes_out(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed), *other = quota_open_beside(chunk_manager_path(managed->manager));
    assert_non_null(other);
    assert_int_equal(quota_take(other, 1, 100), 0);
    quota_put(quota, 1000);
    assert_int_equal(quota_take(other, 100, 300), 300);
    assert_int_equal(quota_take(other, 701, 5000), 0);
    assert_int_equal(quota_take(other, 700, 5000), 700);
    assert_int_equal(quota_free(quota), 0);
    quota_close(other);
    quota_close(quota);
}

static void it_is_found_by_its_folder_and_knows_who_made_it(void **state)
{
    struct managed *managed = *state;
    assert_null(quota_open(managed->folder));
    struct quota *quota = make(managed), *other = quota_open(managed->folder);
    assert_non_null(other);
    assert_int_equal(other->recorder, getpid());
    quota_close(other);
    quota_close(quota);
}

static void take_start(void *data, const struct start_notice *start)
{
    assert_string_equal(start->path, "/bin/sh");
    *(int *)data = start->pid;
}

static void what_processes_start_is_told_there_too(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed), *other = quota_open(managed->folder);
    struct start_notice start = {.pid = 7, .path = "/bin/sh"};
    int pid = 0;
    assert_true(quota_tell_start(other, &start));
    assert_int_equal(quota_take_starts(quota, take_start, &pid), 1);
    assert_int_equal(pid, 7);
    assert_false(quota_tell_start(NULL, &start));
    assert_int_equal(quota_take_starts(NULL, take_start, &pid), 0);
    quota_close(other);
    quota_close(quota);
}

static void more_than_there_can_be_stays_a_number(void **state)
{
    struct quota *quota = make(*state);
    quota_put(quota, UINT64_MAX - 10);
    quota_put(quota, 100);
    assert_true(quota_free(quota) == UINT64_MAX);
    quota_close(quota);
}

static void a_file_that_is_none_is_no_room(void **state)
{
    struct managed *managed = *state;
    char path[128];
    const char *file = chunk_manager_path(managed->manager);
    assert_null(quota_open_beside(file));
    snprintf(path, sizeof path, "%s/" QUOTA_NAME, managed->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, "short", 5) == 5);
    close(fd);
    assert_null(quota_open_beside(file));
    unlink(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_null(quota_open_beside(file));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(quota_open_beside(file));
}

static struct quota *contended;
static _Atomic uint64_t taken_by_all;

static void *take_much(void *unused)
{
    (void)unused;
    for (uint64_t taken; (taken = quota_take(contended, 1, 7)) > 0;)
        atomic_fetch_add(&taken_by_all, taken);
    return NULL;
}

static void nothing_is_taken_twice(void **state)
{
    enum { TAKERS = 4, ALL = 1000000 };
    pthread_t threads[TAKERS];
    contended = make(*state);
    taken_by_all = 0;
    quota_put(contended, ALL);
    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_much, NULL), 0);
    for (int i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(taken_by_all, ALL);
    quota_close(contended);
}

static void a_process_throws_nothing_away_while_there_is_room(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed);
    quota_put(quota, 100 * CHUNK_BYTES);
    struct chunk_manager *manager = share(managed);
    for (uint64_t i = 0; i < ALLOWED + 100; i++)
        use_one(manager, CHUNK_MARKERS, i + 1);
    assert_int_equal(recycled(manager), 0);
    assert_int_equal(usage_of(manager).bytes_held, (ALLOWED + 100) * CHUNK_BYTES);
    assert_int_equal(usage_of(manager).bytes_taken, 100 * CHUNK_BYTES);
    assert_int_equal(chunk_manager_header(manager)->quota_taken, 100 * CHUNK_BYTES);
    assert_int_equal(quota_free(quota), 0);
    /* And then the oldest, as ever. */
    use_one(manager, CHUNK_MARKERS, 1000);
    assert_int_equal(recycled(manager), 1);
    assert_true(usage_of(manager).bytes_wished > 0);
    chunk_manager_free(manager);
    quota_close(quota);
}

static void what_was_taken_since_comes_on_top_of_a_new_limit(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed);
    quota_put(quota, 10 * CHUNK_BYTES);
    struct chunk_manager *manager = share(managed);
    for (uint64_t i = 0; i < ALLOWED + 10; i++)
        use_one(manager, CHUNK_MARKERS, i + 1);
    /* The recorder knew of three of ten when it said so. */
    chunk_manager_set_share(manager, (ALLOWED + 3 + 1) * CHUNK_BYTES, 3 * CHUNK_BYTES);
    assert_int_equal(usage_of(manager).bytes_limit, (ALLOWED + 10 + 1) * CHUNK_BYTES);
    chunk_manager_set_share(manager, ALLOWED * CHUNK_BYTES, 10 * CHUNK_BYTES);
    assert_int_equal(usage_of(manager).bytes_limit, ALLOWED * CHUNK_BYTES);
    /* Somebody who claims more than was taken, and one who allows everything. */
    chunk_manager_set_share(manager, ALLOWED * CHUNK_BYTES, UINT64_MAX);
    assert_int_equal(usage_of(manager).bytes_limit, ALLOWED * CHUNK_BYTES);
    chunk_manager_set_share(manager, UINT64_MAX, 0);
    assert_int_equal(usage_of(manager).bytes_limit, 1000 * CHUNK_BYTES);
    chunk_manager_free(manager);
    quota_close(quota);
}

static void nobody_takes_beyond_the_limit_of_all(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed);
    quota_put(quota, UINT64_MAX);
    struct chunk_manager *manager = managed_create(managed, 16);
    chunk_manager_set_limit(manager, (uint64_t)ALLOWED * CHUNK_BYTES);
    chunk_manager_share_quota(manager, NULL);
    for (uint64_t i = 0; i < 40; i++)
        use_one(manager, CHUNK_MARKERS, i + 1);
    assert_int_equal(held_chunks(manager), 16);
    chunk_manager_free(manager);
    quota_close(quota);
}

static void a_room_needs_no_file_once_it_is_shared(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed);
    quota_put(quota, 10 * CHUNK_BYTES);
    struct chunk_manager *manager = share(managed);
    char path[128];
    snprintf(path, sizeof path, "%s/" QUOTA_NAME, managed->folder);
    assert_int_equal(unlink(path), 0);
    for (uint64_t i = 0; i < ALLOWED + 10; i++)
        use_one(manager, CHUNK_MARKERS, i + 1);
    assert_int_equal(recycled(manager), 0);
    chunk_manager_free(manager);
    quota_close(quota);
}

static void a_room_that_is_lent_stays_when_the_session_ends(void **state)
{
    struct managed *managed = *state;
    struct quota *quota = make(managed);
    quota_put(quota, 10 * CHUNK_BYTES);
    for (int i = 0; i < 2; i++) {
        struct chunk_manager *manager = managed_create(managed, 1000);
        assert_non_null(manager);
        chunk_manager_set_limit(manager, (uint64_t)ALLOWED * CHUNK_BYTES);
        chunk_manager_share_quota(manager, quota);
        for (uint64_t j = 0; j < ALLOWED + 5; j++)
            use_one(manager, CHUNK_MARKERS, j + 1);
        assert_int_equal(recycled(manager), 0);
        assert_int_equal(quota_free(quota), (uint64_t)(1 - i) * 5 * CHUNK_BYTES);
        /* Also that of a child that was forked. */
        if (i == 0)
            chunk_manager_free(manager);
        else
            chunk_manager_forget(manager);
    }
    quota_put(quota, 1);
    assert_int_equal(quota_free(quota), 1);
    quota_close(quota);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, managed_setup, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_one_puts_in_another_takes_out),
        TEST(it_is_found_by_its_folder_and_knows_who_made_it),
        TEST(what_processes_start_is_told_there_too),
        TEST(more_than_there_can_be_stays_a_number),
        TEST(a_file_that_is_none_is_no_room),
        TEST(nothing_is_taken_twice),
        TEST(a_process_throws_nothing_away_while_there_is_room),
        TEST(what_was_taken_since_comes_on_top_of_a_new_limit),
        TEST(nobody_takes_beyond_the_limit_of_all),
        TEST(a_room_needs_no_file_once_it_is_shared),
        TEST(a_room_that_is_lent_stays_when_the_session_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
