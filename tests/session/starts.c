/* The board on which processes tell what they start. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ipc/starts.h"

/* As the processes of a session share it. */
static struct starts *board;

static int set_up(void **state)
{
    (void)state;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return board == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    return munmap(board, sizeof *board);
}

static bool tell(int pid, const char *path)
{
    return starts_tell(board, &(struct start_notice){.pid = pid, .image = (uint32_t)pid + 1, .reason = 1, .path = path});
}

/* What the recorder finds. */
struct found {
    size_t count;
    struct start_notice last;
    char path[START_PATH];
};

static void find(void *data, const struct start_notice *start)
{
    struct found *found = data;
    found->count++;
    found->last = *start;
    strcpy(found->path, start->path);
}

static size_t take(struct found *found)
{
    *found = (struct found){0};
    size_t count = starts_take(board, find, found);
    assert_int_equal(found->count, count);
    return count;
}

static size_t take_all(void)
{
    struct found found;
    return take(&found);
}

static void what_is_told_is_taken_once(void **state)
{
    (void)state;
    struct found found;
    assert_int_equal(take(&found), 0);
    assert_true(tell(7, "/bin/sh"));
    assert_int_equal(take(&found), 1);
    assert_int_equal(found.last.pid, 7);
    assert_int_equal(found.last.image, 8);
    assert_int_equal(found.last.reason, 1);
    assert_string_equal(found.path, "/bin/sh");
    assert_int_equal(take(&found), 0);
}

static void a_path_that_is_too_long_is_told_in_another_way(void **state)
{
    (void)state;
    char path[START_PATH + 1];
    struct found found;
    memset(path, 'x', sizeof path);
    path[START_PATH] = '\0';
    assert_false(tell(1, path));
    assert_int_equal(take(&found), 0);
    path[START_PATH - 1] = '\0';
    assert_true(tell(1, path));
    assert_int_equal(take(&found), 1);
    assert_string_equal(found.path, path);
}

static void when_all_slots_are_used_nobody_waits(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < START_SLOTS; i++)
            assert_true(tell(i + 1, "/bin/sh"));
        assert_false(tell(1000, "/bin/sh"));
        assert_int_equal(take_all(), START_SLOTS);
    }
}

static void slots_are_used_again_for_ever(void **state)
{
    (void)state;
    struct found found;
    for (int i = 1; i < 100 * START_SLOTS; i++) {
        assert_true(tell(i, "/bin/sh"));
        assert_int_equal(take(&found), 1);
        assert_int_equal(found.last.pid, i);
    }
    /* Also where the count of uses comes to its end. */
    for (size_t i = 0; i < START_SLOTS; i++)
        board->states[i] = UINT32_MAX & ~(uint32_t)3;
    for (int i = 0; i < 3 * START_SLOTS; i++) {
        assert_true(tell(i + 1, "/bin/sh"));
        assert_int_equal(take_all(), 1);
    }
}

/* ---- many at once ---- */

enum { TELLERS = 4, EACH = 20000 };
static size_t heard[TELLERS];

static void hear(void *data, const struct start_notice *start)
{
    (void)data;
    char path[START_PATH];
    assert_in_range(start->pid, 0, TELLERS - 1);
    /* Nobody else has written into it. */
    snprintf(path, sizeof path, "/teller/%d/%u", start->pid, start->image);
    assert_string_equal(start->path, path);
    heard[start->pid]++;
}

static void tell_much(int who)
{
    for (uint32_t i = 0; i < EACH; i++) {
        char path[START_PATH];
        snprintf(path, sizeof path, "/teller/%d/%u", who, i);
        while (!starts_tell(board, &(struct start_notice){.pid = who, .image = i, .path = path}))
            usleep(100);
    }
}

static void *tell_from_thread(void *who)
{
    tell_much((int)(intptr_t)who);
    return NULL;
}

static bool all_are_heard(void)
{
    for (size_t i = 0; i < TELLERS; i++)
        if (heard[i] < EACH)
            return false;
    return true;
}

static void threads_that_tell_at_once_are_all_heard(void **state)
{
    (void)state;
    pthread_t threads[TELLERS];
    memset(heard, 0, sizeof heard);
    for (intptr_t i = 0; i < TELLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tell_from_thread, (void *)i), 0);
    while (!all_are_heard())
        starts_take(board, hear, NULL);
    for (int i = 0; i < TELLERS; i++)
        pthread_join(threads[i], NULL);
    starts_take(board, hear, NULL);
    for (int i = 0; i < TELLERS; i++)
        assert_int_equal(heard[i], EACH);
}

static pid_t start_teller(int who)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        tell_much(who);
        _exit(0);
    }
    return pid;
}

static void processes_that_tell_at_once_are_all_heard(void **state)
{
    (void)state;
    memset(heard, 0, sizeof heard);
    pid_t pids[TELLERS];
    for (int i = 0; i < TELLERS; i++)
        pids[i] = start_teller(i);
    while (!all_are_heard())
        starts_take(board, hear, NULL);
    for (int i = 0; i < TELLERS; i++)
        assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
    for (int i = 0; i < TELLERS; i++)
        assert_int_equal(heard[i], EACH);
}

/* ---- those that are killed, and those that write what they like ---- */

static void processes_that_are_killed_at_any_moment_leave_the_slots_to_others(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        pid_t pid = start_teller(0);
        starts_take(board, hear, NULL);
        usleep((useconds_t)(i * 7 % 500));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
    for (int i = 0; i < START_LOOKS + 2; i++)
        starts_take(board, hear, NULL);
    for (int i = 0; i < START_SLOTS; i++)
        assert_true(tell(i + 1, "/bin/sh"));
}

/* As one that is stopped for long, or killed, in the middle of it. */
static uint64_t claim_and_stop(size_t slot, int teller)
{
    return board->states[slot] |= (uint64_t)teller << 32 | 1;
}

static pid_t one_that_is_gone(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

static void one_that_is_gone_loses_its_slot(void **state)
{
    (void)state;
    uint64_t claimed = claim_and_stop(5, one_that_is_gone());
    for (int i = 0; i < START_LOOKS - 1; i++)
        assert_int_equal(take_all(), 0);
    assert_int_equal(board->states[5], claimed);
    assert_int_equal(take_all(), 0);
    assert_true(board->states[5] != claimed);
    /* The others go on, before and after; what it does in the end is compared with its own state. */
    for (int i = 0; i < START_SLOTS; i++)
        assert_true(tell(i + 1, "/bin/sh"));
    uint64_t late = claimed;
    assert_false(atomic_compare_exchange_strong(&board->states[5], &late, claimed + 1));
    assert_int_equal(take_all(), START_SLOTS);
}

static void one_that_is_there_keeps_its_slot_however_long_it_takes(void **state)
{
    (void)state;
    struct found found;
    uint64_t claimed = claim_and_stop(5, getpid());
    for (int i = 0; i < 5 * START_LOOKS; i++)
        take_all();
    assert_int_equal(board->states[5], claimed);
    strcpy(board->slots[5].path, "/late");
    board->states[5] = claimed + 1;
    assert_int_equal(take(&found), 1);
    assert_string_equal(found.path, "/late");
    /* The next one there is not asked for at once. */
    claimed = claim_and_stop(5, one_that_is_gone());
    for (int i = 0; i < START_LOOKS - 1; i++)
        take_all();
    assert_int_equal(board->states[5], claimed);
}

static void whatever_is_written_there_the_recorder_stays_whole(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 500; round++) {
        for (size_t i = 0; i < sizeof *board; i++)
            ((uint8_t *)board)[i] = (uint8_t)(rand_r(&seed) >> 7);
        assert_true(take_all() <= START_SLOTS);
        (void)tell(1, "/bin/sh");
    }
    /* Texts without an end. */
    memset(board, 'x', sizeof *board);
    for (size_t i = 0; i < START_SLOTS; i++)
        board->states[i] = 2;
    struct found found;
    assert_int_equal(take(&found), START_SLOTS);
    assert_int_equal(strlen(found.path), START_PATH - 1);
    /* And afterwards it works as before. */
    assert_true(tell(7, "/bin/sh"));
    assert_int_equal(take(&found), 1);
    assert_string_equal(found.path, "/bin/sh");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    alarm(120);
    const struct CMUnitTest tests[] = {
        TEST(what_is_told_is_taken_once),
        TEST(a_path_that_is_too_long_is_told_in_another_way),
        TEST(when_all_slots_are_used_nobody_waits),
        TEST(slots_are_used_again_for_ever),
        TEST(threads_that_tell_at_once_are_all_heard),
        TEST(processes_that_tell_at_once_are_all_heard),
        TEST(processes_that_are_killed_at_any_moment_leave_the_slots_to_others),
        TEST(one_that_is_gone_loses_its_slot),
        TEST(one_that_is_there_keeps_its_slot_however_long_it_takes),
        TEST(whatever_is_written_there_the_recorder_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
