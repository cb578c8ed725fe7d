/* Sessions in which everything happens at random: the limit holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "budget_play.h"

/* Everything at random: writing, joining, dying, freezing. `calm`: nobody joins where there is no room even for the least. */
static void play_at_random(uint64_t seed, bool calm)
{
    static const uint64_t limits[] = {1 << 20, 4 << 20, 16 << 20, 64 << 20};
    uint64_t limit = limits[seed % 4];
    struct play *play = play_begin(limit, seed);
    unsigned live = 0;
    play->delay = 1 + play_random_below(play, 100 * ms);
    for (int i = 0; i < 4000; i++) {
        struct actor *actor = &play->actors[play_random_below(play, ACTORS)];
        bool fits = budget_held(&play->budget) + SESSION_HEADER_BYTES + LEAST <= limit;
        if (!actor->lives && !actor->left && play_random_below(play, 4) == 0 && (fits || !calm)) {
            play_join(play, (int)(actor - play->actors));
            live++;
        } else if (actor->lives && play_random_below(play, 200) == 0) {
            play_die(play, actor);
            live--;
        } else if (actor->lives && play_random_below(play, 300) == 0) {
            actor->frozen = !actor->frozen;
        } else if (actor->lives && !actor->frozen) {
            for (uint64_t burst = play_random_below(play, 20); burst > 0; burst--)
                actor_write_chunk(play, actor);
        }
        /* A file of an ended one whose memory is to be used again is what the play has no room for. */
        play_step(play);
        uint64_t allowed = limit + (calm ? 0 : live * (uint64_t)(SESSION_HEADER_BYTES + LEAST) + play->files * USED);
        assert_true(play_total(play) <= allowed);
        assert_true(!calm || budget_held(&play->budget) <= limit);
    }
    play_end(play);
}

static void the_limit_holds_at_every_step_of_random_sessions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        play_at_random(seed, true);
}

static void more_processes_than_fit_hold_the_least_and_no_more(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        play_at_random(seed, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_holds_at_every_step_of_random_sessions),
        cmocka_unit_test(more_processes_than_fit_hold_the_least_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
