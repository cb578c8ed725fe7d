/* What takes long, done by a few threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/work.h"

#include <semaphore.h>

/* An item that waits until it may go on. */
struct item {
    struct work_item work;
    sem_t begun, may_end, ended;
    bool cancelled;
};

static void run(struct work_item *work, bool cancelled)
{
    struct item *item = (struct item *)work;
    item->cancelled = cancelled;
    sem_post(&item->begun);
    if (!cancelled)
        sem_wait(&item->may_end);
    sem_post(&item->ended);
}

static struct work_queue queue;
static struct item items[WORK_THREADS_MOST + 2];

static int start(void **state)
{
    (void)state;
    struct error error = {0};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        items[i] = (struct item){.work.run = run};
        sem_init(&items[i].begun, 0, 0);
        sem_init(&items[i].may_end, 0, 0);
        sem_init(&items[i].ended, 0, 0);
    }
    return work_start(&queue, WORK_THREADS_MOST, &error);
}

static void as_many_items_run_at_once_as_there_are_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORK_THREADS_MOST + 2; i++)
        assert_true(work_add(&queue, &items[i].work));
    for (size_t i = 0; i < WORK_THREADS_MOST; i++)
        sem_wait(&items[i].begun);
    assert_int_equal(sem_trywait(&items[WORK_THREADS_MOST].begun), -1);
    /* In the order in which they came. */
    sem_post(&items[0].may_end);
    sem_wait(&items[WORK_THREADS_MOST].begun);
    for (size_t i = 1; i < WORK_THREADS_MOST + 2; i++)
        sem_post(&items[i].may_end);
    for (size_t i = 0; i < WORK_THREADS_MOST + 2; i++)
        sem_wait(&items[i].ended);
    assert_true(work_end(&queue, 100000));
    work_free(&queue);
}

static void what_has_not_begun_is_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORK_THREADS_MOST + 1; i++)
        assert_true(work_add(&queue, &items[i].work));
    for (size_t i = 0; i < WORK_THREADS_MOST; i++)
        sem_wait(&items[i].begun);
    /* Something still runs, and says so. */
    assert_false(work_end(&queue, 1));
    sem_wait(&items[WORK_THREADS_MOST].ended);
    assert_true(items[WORK_THREADS_MOST].cancelled);
    for (size_t i = 0; i < WORK_THREADS_MOST; i++) {
        assert_false(items[i].cancelled);
        sem_post(&items[i].may_end);
    }
    assert_true(work_end(&queue, 100000));
    work_free(&queue);
}

static void nothing_is_taken_after_the_end(void **state)
{
    (void)state;
    pthread_mutex_lock(&queue.lock);
    queue.ends = true;
    pthread_mutex_unlock(&queue.lock);
    assert_false(work_add(&queue, &items[0].work));
    assert_true(work_end(&queue, 100000));
    work_free(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(as_many_items_run_at_once_as_there_are_threads, start),
        cmocka_unit_test_setup(what_has_not_begun_is_cancelled, start),
        cmocka_unit_test_setup(nothing_is_taken_after_the_end, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
