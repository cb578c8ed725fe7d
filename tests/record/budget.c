/* One limit for many processes: who gets how much, and whose data goes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "budget_play.h"
#include "common/memory.h"

static void a_process_alone_gets_almost_everything(void **state)
{
    (void)state;
    struct play *play = play_begin(64 << 20, 1);
    struct actor *actor = play_join(play, 0);
    for (int i = 0; i < 2000; i++) {
        actor_write_chunk(play, actor);
        play_step(play);
        assert_true(play_total(play) <= 64 << 20);
    }
    /* All but what is kept for others that may come. */
    assert_true(actor_holds(actor) >= (64 << 20) - play->budget.reserve - 2 * CHUNK);
    play_end(play);
}

static void the_oldest_chunk_goes_first_whoever_has_it(void **state)
{
    (void)state;
    struct play *play = play_begin(32 << 20, 3);
    struct actor *idle = play_join(play, 0), *busy = play_join(play, 1);
    for (int i = 0; i < 300; i++) {
        actor_write_chunk(play, idle);
        for (int wait = 0; wait < 10; wait++)
            play_step(play);
    }
    assert_int_equal(idle->recycled, 0);
    for (int i = 0; i < 3000 && idle->done_count > 6; i++) {
        actor_write_chunk(play, busy);
        for (int wait = 0; wait < 30; wait++)
            play_step(play);
        assert_true(play_total(play) <= 32 << 20);
        if (busy->recycled > 0)
            break;
    }
    /* Times are known about: the last few of one and the first of the other are as good as equally old. */
    assert_true(idle->done_count <= 6);
    assert_int_equal(busy->recycled, 0);
    play_end(play);
}

static void a_file_of_one_that_ended_goes_by_its_age_too(void **state)
{
    (void)state;
    struct play *play = play_begin(16 << 20, 4);
    struct actor *first = play_join(play, 0), *second_one = play_join(play, 1);
    for (int i = 0; i < 100; i++) {
        actor_write_chunk(play, first);
        for (int wait = 0; wait < 10; wait++)
            play_step(play);
    }
    uint64_t middle = play->now, pieces = first->done_count + 1;
    assert_true(pieces >= 99);
    play_die(play, first);
    for (int i = 0; i < 400 && play->files > 0; i++) {
        actor_write_chunk(play, second_one);
        for (int wait = 0; wait < 20; wait++)
            play_step(play);
        assert_true(play_total(play) <= 16 << 20);
        /* As long as there is anything of it the other one loses nothing. */
        assert_true(play->files == 0 || second_one->recycled == 0);
    }
    assert_int_equal(play->files, 0);
    assert_true(play->cuts == pieces && play->oldest_cut <= middle);
    play_end(play);
}

static void count_cut(void *data, struct budget_file *file)
{
    (void)file;
    ++*(unsigned *)data;
}

/* The first holds nearly all, and does not answer; the second wishes for more; a third has just ended. */
static void what_has_just_ended_does_not_go_for_the_wishes_of_others(void **state)
{
    (void)state;
    struct budget budget;
    struct budget_process stopped, greedy;
    budget_init(&budget, 16 << 20, NULL);
    uint64_t now = 10 * second;
    struct budget_usage usage = {.number = 1, .used = USED, .wanted = CHUNK, .in_file = 64 << 20, .oldest_ns = second};
    assert_true(budget_join(&budget, &stopped, now));
    for (int i = 0; i < 100; i++) {
        budget_use(&budget, &stopped, &usage, now += ms);
        budget_balance(&budget, now, NULL, NULL);
        usage.number = stopped.number;
        usage.done = stopped.limit - USED;
    }
    assert_true(budget_join(&budget, &greedy, now));
    struct budget_file file = {0};
    unsigned cuts = 0;
    usage = (struct budget_usage){.number = 1, .used = USED, .wanted = 4 * CHUNK, .in_file = USED};
    for (int i = 0; i < 30; i++) {
        budget_use(&budget, &greedy, &usage, now += 100 * ms);
        budget_balance(&budget, now, count_cut, &cuts);
        usage.number = greedy.number;
    }
    assert_true(stopped.asked_ns > 0 && now - stopped.asked_ns > second && greedy.limit < USED + 4 * CHUNK);
    assert_true(vec_push(&file.pieces, ((struct budget_piece){now, CHUNK / 4})));
    assert_true(budget_add_file(&budget, &file));
    budget_use(&budget, &greedy, &usage, now += 100 * ms);
    budget_balance(&budget, now, count_cut, &cuts);
    assert_int_equal(cuts, 0);
    /* Later it is older than what the other one writes. */
    budget_use(&budget, &greedy, &usage, now += 5 * second);
    budget_balance(&budget, now, count_cut, &cuts);
    assert_int_equal(cuts, 1);
    vec_free(&file.pieces);
    budget_free(&budget);
}

/* Somebody writes so much that all it holds is newer, and wishes for more; another one has just ended. */
static void the_newest_chunk_of_what_has_just_ended_does_not_go_either(void **state)
{
    (void)state;
    struct budget budget;
    struct budget_process greedy;
    budget_init(&budget, 16 << 20, NULL);
    uint64_t now = 10 * second;
    struct budget_usage usage = {.number = 1, .used = USED, .wanted = 4 * CHUNK, .in_file = 64 << 20};
    assert_true(budget_join(&budget, &greedy, now));
    struct budget_file file = {0};
    for (uint64_t i = 0; i < 3; i++)
        assert_true(vec_push(&file.pieces, ((struct budget_piece){now - (3 - i) * ms, CHUNK})));
    assert_true(budget_add_file(&budget, &file));
    unsigned cuts = 0;
    for (int i = 0; i < 200; i++) {
        usage.oldest_ns = now;
        budget_use(&budget, &greedy, &usage, now += ms);
        budget_balance(&budget, now, count_cut, &cuts);
        usage.number = greedy.number;
        usage.done = greedy.limit - USED;
    }
    assert_true(greedy.limit > 14 << 20);
    assert_int_equal(cuts, 1);
    usage.oldest_ns = now += 5 * second;
    budget_use(&budget, &greedy, &usage, now);
    budget_balance(&budget, now, count_cut, &cuts);
    assert_int_equal(cuts, 3);
    vec_free(&file.pieces);
    budget_free(&budget);
}

static void room_is_given_away_only_when_its_owner_has_left_it(void **state)
{
    (void)state;
    struct budget budget;
    struct budget_process first, second_one;
    budget_init(&budget, 16 << 20, NULL);
    uint64_t now = 10 * second;
    assert_true(budget_join(&budget, &first, now));
    struct budget_usage usage = {.number = 1, .used = USED, .wanted = CHUNK, .in_file = 64 << 20};
    for (int i = 0; i < 100; i++) {
        budget_use(&budget, &first, &usage, now += ms);
        budget_balance(&budget, now, NULL, NULL);
        usage.number = first.number;
        usage.done = first.limit - USED;
        usage.oldest_ns = second;
    }
    uint64_t before = first.limit;
    uint32_t before_number = first.number;
    assert_true(before >= (16 << 20) - budget.reserve - 2 * CHUNK);

    assert_true(budget_join(&budget, &second_one, now));
    struct budget_usage wish = {.number = 1, .used = LEAST, .wanted = CHUNK, .in_file = 64 << 20};
    for (int i = 0; i < 20; i++) {
        budget_use(&budget, &second_one, &wish, now += ms);
        budget_balance(&budget, now, NULL, NULL);
        assert_true(budget_held(&budget) <= 16 << 20);
        assert_true(second_one.limit == LEAST);
    }
    assert_true(first.limit < before && first.to_tell);

    /* Something that it had sent before it got the message */
    usage.number = before_number;
    budget_use(&budget, &first, &usage, now += ms);
    budget_balance(&budget, now, NULL, NULL);
    assert_true(second_one.limit == LEAST);

    usage.number = first.number;
    usage.done = first.limit - USED;
    usage.wanted = 0;
    budget_use(&budget, &first, &usage, now += ms);
    budget_balance(&budget, now, NULL, NULL);
    assert_true(second_one.limit > LEAST);
    assert_true(budget_held(&budget) <= 16 << 20);
    budget_free(&budget);
}

static void one_that_is_stopped_does_not_keep_others_from_room(void **state)
{
    (void)state;
    struct play *play = play_begin(16 << 20, 5);
    struct actor *frozen = play_join(play, 0), *other = play_join(play, 1), *third = play_join(play, 2);
    for (int i = 0; i < 60; i++) {
        actor_write_chunk(play, frozen);
        actor_write_chunk(play, other);
        for (int wait = 0; wait < 10; wait++)
            play_step(play);
    }
    frozen->frozen = true;
    size_t left = frozen->done_count;
    for (int i = 0; i < 400; i++) {
        actor_write_chunk(play, third);
        for (int wait = 0; wait < 10; wait++)
            play_step(play);
        assert_true(play_total(play) <= 16 << 20);
    }
    assert_int_equal(frozen->done_count, left);
    assert_true(other->done_count <= 4);
    assert_true(third->done_count > 100);
    play_end(play);
}

static void wild_figures_change_only_the_share_of_who_says_them(void **state)
{
    (void)state;
    struct play *play = play_begin(64 << 20, 6);
    struct actor *honest = play_join(play, 0);
    struct budget_process wild;
    assert_true(budget_join(&play->budget, &wild, play->now));
    for (int i = 0; i < 20; i++)
        play_step(play);
    for (int i = 0; i < 400; i++) {
        static const uint64_t figures[] = {0, 1, CHUNK_BYTES - 1, 1 << 30, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
        uint64_t said[6];
        for (int at = 0; at < 6; at++)
            said[at] = figures[play_random_below(play, sizeof figures / sizeof *figures)];
        struct budget_usage usage = {(uint32_t)said[0], said[1], said[2], said[3], said[4], said[5], 2 << 20};
        budget_use(&play->budget, &wild, &usage, play->now);
        actor_write_chunk(play, honest);
        play_step(play);
        assert_true(wild.used + wild.done <= 2 << 20);
        assert_true(budget_held(&play->budget) <= 64 << 20);
    }
    /* 25 MiB: it has lost nothing. */
    assert_int_equal(honest->recycled, 0);
    budget_leave(&play->budget, &wild);
    play_end(play);
}

static void there_is_room_for_one_more_as_long_as_all_can_have_the_least(void **state)
{
    (void)state;
    struct budget budget;
    enum { FIT = 13 };
    struct budget_process processes[FIT];
    struct budget_file file = {0};
    budget_init(&budget, 1 << 20, NULL);
    assert_int_equal(((1 << 20) - budget.reserve) / (SESSION_HEADER_BYTES + LEAST), FIT);
    /* What one left that ended can go. */
    assert_true(vec_push(&file.pieces, ((struct budget_piece){1, 1 << 20})));
    assert_true(budget_add_file(&budget, &file));
    for (int i = 0; i < FIT; i++) {
        assert_true(budget_has_room(&budget, second));
        assert_true(budget_join(&budget, &processes[i], second));
    }
    assert_false(budget_has_room(&budget, second));
    budget_leave(&budget, &processes[0]);
    assert_true(budget_has_room(&budget, second));
    /* What others hold for good, or a file that nobody answers for, cannot. */
    struct budget_usage usage = {.number = 1, .used = LEAST + CHUNK, .in_file = 1 << 20};
    budget_use(&budget, &processes[1], &usage, second);
    assert_false(budget_has_room(&budget, second));
    usage.used = LEAST;
    usage.done = CHUNK;
    budget_use(&budget, &processes[1], &usage, second);
    assert_true(budget_has_room(&budget, second));
    budget.others = LEAST;
    assert_false(budget_has_room(&budget, second));
    vec_free(&file.pieces);
    budget_free(&budget);
}

static void an_empty_heap_is_an_answer(void **state)
{
    (void)state;
    struct budget budget;
    struct budget_process process;
    struct budget_file file = {0};
    budget_init(&budget, 1 << 20, NULL);
    assert_true(vec_push(&file.pieces, ((struct budget_piece){1, 1})));
    memory_fail_after(1);
    assert_false(budget_join(&budget, &process, 1));
    assert_false(budget_add_file(&budget, &file));
    memory_fail_after(0);
    assert_int_equal(budget_held(&budget), 0);
    vec_free(&file.pieces);
    budget_free(&budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_alone_gets_almost_everything),
        cmocka_unit_test(the_oldest_chunk_goes_first_whoever_has_it),
        cmocka_unit_test(a_file_of_one_that_ended_goes_by_its_age_too),
        cmocka_unit_test(what_has_just_ended_does_not_go_for_the_wishes_of_others),
        cmocka_unit_test(the_newest_chunk_of_what_has_just_ended_does_not_go_either),
        cmocka_unit_test(room_is_given_away_only_when_its_owner_has_left_it),
        cmocka_unit_test(one_that_is_stopped_does_not_keep_others_from_room),
        cmocka_unit_test(wild_figures_change_only_the_share_of_who_says_them),
        cmocka_unit_test(there_is_room_for_one_more_as_long_as_all_can_have_the_least),
        cmocka_unit_test(an_empty_heap_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
