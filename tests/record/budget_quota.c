/* The quota of a session, of which everybody takes without asking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "budget_play.h"

static void nothing_is_thrown_away_while_there_is_room(void **state)
{
    (void)state;
    struct play *play = play_begin(64 << 20, 2);
    for (int i = 0; i < 10; i++)
        play_join(play, i);
    for (int i = 0; i < 50; i++)
        play_step(play);
    /* 40 MiB in bursts of 8 chunks */
    for (int i = 0; i < 80; i++) {
        for (int chunk = 0; chunk < 8; chunk++)
            actor_write_chunk(play, &play->actors[i % 10]);
        for (int wait = 0; wait < 20; wait++)
            play_step(play);
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(play->actors[i].recycled, 0);
        assert_int_equal(play->actors[i].done_count, 64);
    }
    play_end(play);
}

static void a_burst_loses_nothing_before_anybody_has_answered(void **state)
{
    (void)state;
    struct play *play = play_begin(64 << 20, 7);
    for (int i = 0; i < 10; i++) {
        struct actor *actor = play_join(play, i);
        for (int chunk = 0; chunk < 80; chunk++)
            actor_write_chunk(play, actor);
        assert_int_equal(actor->recycled, 0);
    }
    assert_true(play_total(play) <= 64 << 20);
    for (int i = 0; i < 100; i++) {
        play_step(play);
        assert_true(budget_held(&play->budget) <= 64 << 20);
    }
    for (int i = 0; i < 10; i++)
        assert_int_equal(play->actors[i].recycled, 0);
    play_end(play);
}

static void what_one_took_and_did_not_say_is_free_again_when_it_has_ended(void **state)
{
    (void)state;
    struct play *play = play_begin(16 << 20, 8);
    for (int round = 0; round < 50; round++) {
        struct actor *actor = play_join(play, 0);
        for (int chunk = 0; chunk < 60; chunk++)
            actor_write_chunk(play, actor);
        actor->done_count = 0; /* so that its file is small */
        play_die(play, actor);
        play_step(play);
        play->actors[0].left = NULL; /* the play has no room for more */
        while (play->files > 0) {
            struct budget_file *file = play->budget.files.items[--play->budget.files.count];
            for (size_t i = 0; i < file->pieces.count; i++)
                play->budget.file_bytes -= file->pieces.items[i].bytes;
            vec_free(&file->pieces);
            free(file);
            play->files--;
        }
        play_step(play);
        assert_true(quota_free(&play->quota) >= (16 << 20) - play->budget.reserve - 2 * CHUNK);
    }
    play_end(play);
}

static void nonsense_in_the_room_is_taken_out_again(void **state)
{
    (void)state;
    static const uint64_t nonsense[] = {UINT64_MAX, INT64_MAX, 1 << 30, 17, 0};
    struct play *play = play_begin(16 << 20, 9);
    struct actor *actor = play_join(play, 0);
    for (int i = 0; i < 500; i++) {
        if (i % 50 == 0)
            play->quota.free = nonsense[i / 50 % 5];
        play_step(play);
        assert_true(quota_free(&play->quota) <= 16 << 20);
        actor_write_chunk(play, actor);
        assert_true(budget_held(&play->budget) <= 16 << 20);
    }
    play_end(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_thrown_away_while_there_is_room),
        cmocka_unit_test(a_burst_loses_nothing_before_anybody_has_answered),
        cmocka_unit_test(what_one_took_and_did_not_say_is_free_again_when_it_has_ended),
        cmocka_unit_test(nonsense_in_the_room_is_taken_out_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
