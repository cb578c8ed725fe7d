/* One limit for many processes. Most tests play processes that do as they are told, some time later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/budget.h"
#include "session/format.h"
#include "session/link.h"

enum { CHUNK = CHUNK_BYTES, LEAST = LINK_LEAST_BYTES, USED = LINK_LEAST_BYTES };
static const uint64_t second = 1000000000, ms = 1000000;

/* ---- a play of processes and their recorder ---- */

enum { ACTORS = 40, CHUNKS_MOST = 4096 };

struct actor {
    struct budget_process share;
    bool lives, frozen;
    uint64_t goes_by; /* its limit … */
    uint64_t taken;   /* … what it took from the room … */
    uint32_t number;  /* … and the number of that */
    uint64_t told[8]; /* limits under way to it … */
    uint64_t told_taken[8];
    uint32_t told_number[8];
    uint64_t told_at[8];                  /* … and when they are there */
    unsigned told_count;                  /* of those */
    struct budget_usage said;             /* under way to the recorder … */
    uint64_t said_at;                     /* … and when it is there; 0 = nothing is */
    struct budget_usage before;           /* what it said last */
    uint64_t done[CHUNKS_MOST], recycled; /* times, the oldest first */
    size_t done_count;
    struct budget_file *left; /* when it has ended */
};

struct play {
    struct budget budget;
    struct room room;
    struct actor actors[ACTORS];
    uint64_t now, seed;
    uint64_t delay; /* at most, of a message */
    uint64_t oldest_cut, cuts;
    size_t files;
};

static uint64_t random_below(struct play *play, uint64_t bound)
{
    play->seed = play->seed * 6364136223846793005u + 1442695040888963407u;
    return (play->seed >> 33) % bound;
}

static struct play *begin(uint64_t limit, uint64_t seed)
{
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    budget_init(&play->budget, limit, &play->room);
    play->now = 100 * second;
    play->seed = seed;
    play->delay = 5 * ms;
    budget_balance(&play->budget, play->now, NULL, NULL);
    return play;
}

static void cut(void *data, struct budget_file *file)
{
    struct play *play = data;
    play->cuts++;
    play->oldest_cut = file->pieces.items[file->next - 1].done_ns;
    if (file->next < file->pieces.count)
        return;
    for (int i = 0; i < ACTORS; i++)
        if (play->actors[i].left == file)
            play->actors[i].left = NULL;
    vec_free(&file->pieces);
    free(file);
    play->files--;
}

static void end(struct play *play)
{
    for (int i = 0; i < ACTORS; i++)
        if (play->actors[i].left) {
            vec_free(&play->actors[i].left->pieces);
            free(play->actors[i].left);
        }
    budget_free(&play->budget);
    free(play);
}

static uint64_t holds(const struct actor *actor)
{
    return USED + actor->done_count * (uint64_t)CHUNK;
}

static struct actor *join(struct play *play, int number)
{
    struct actor *actor = &play->actors[number];
    *actor = (struct actor){.lives = true, .goes_by = LEAST, .left = actor->left};
    assert_true(budget_join(&play->budget, &actor->share, play->now));
    return actor;
}

static void recycle(struct actor *actor)
{
    memmove(actor->done, actor->done + 1, --actor->done_count * sizeof *actor->done);
    actor->recycled++;
}

/* A chunk is full. */
static void write_chunk(struct play *play, struct actor *actor)
{
    if (holds(actor) + CHUNK > actor->goes_by) {
        uint64_t taken = room_take(&play->room, holds(actor) + CHUNK - actor->goes_by, 2 * CHUNK);
        actor->goes_by += taken;
        actor->taken += taken;
    }
    if (holds(actor) + CHUNK > actor->goes_by && actor->done_count > 0)
        recycle(actor);
    if (holds(actor) + CHUNK <= actor->goes_by && actor->done_count < CHUNKS_MOST)
        actor->done[actor->done_count++] = play->now;
}

static void act(struct play *play, struct actor *actor)
{
    if (actor->frozen)
        return;
    while (actor->told_count > 0 && actor->told_at[0] <= play->now) {
        actor->goes_by = actor->told[0] + (actor->taken - actor->told_taken[0]);
        actor->number = actor->told_number[0];
        actor->told_count--;
        memmove(actor->told, actor->told + 1, sizeof actor->told - sizeof *actor->told);
        memmove(actor->told_taken, actor->told_taken + 1, sizeof actor->told_taken - sizeof *actor->told_taken);
        memmove(actor->told_number, actor->told_number + 1, sizeof actor->told_number - sizeof *actor->told_number);
        memmove(actor->told_at, actor->told_at + 1, sizeof actor->told_at - sizeof *actor->told_at);
    }
    while (holds(actor) > actor->goes_by && actor->done_count > 0)
        recycle(actor);
    struct budget_usage usage = {
        .number = actor->number,
        .used = USED,
        .done = actor->done_count * (uint64_t)CHUNK,
        .wanted = holds(actor) + CHUNK > actor->goes_by ? CHUNK : 0,
        .taken = actor->taken,
        .oldest_ns = actor->done_count > 0 ? actor->done[0] : 0,
        .in_file = SESSION_HEADER_BYTES + holds(actor),
    };
    if (actor->said_at == 0 && memcmp(&usage, &actor->before, sizeof usage) != 0) {
        actor->said = actor->before = usage;
        actor->said_at = play->now + 1 + random_below(play, play->delay);
    }
}

static void tell(struct play *play, struct actor *actor)
{
    if (!actor->share.to_tell || actor->told_count == 8)
        return;
    uint64_t there = play->now + 1 + random_below(play, play->delay);
    if (actor->told_count > 0 && there < actor->told_at[actor->told_count - 1])
        there = actor->told_at[actor->told_count - 1];
    actor->told[actor->told_count] = actor->share.limit;
    actor->told_taken[actor->told_count] = actor->share.taken;
    actor->told_number[actor->told_count] = actor->share.number;
    actor->told_at[actor->told_count++] = there;
    actor->share.to_tell = false;
}

static uint64_t total(const struct play *play)
{
    uint64_t sum = play->budget.file_bytes;
    for (int i = 0; i < ACTORS; i++)
        if (play->actors[i].lives)
            sum += SESSION_HEADER_BYTES + holds(&play->actors[i]);
    return sum;
}

/* A millisecond. */
static void step(struct play *play)
{
    play->now += ms;
    for (int i = 0; i < ACTORS; i++) {
        struct actor *actor = &play->actors[i];
        if (actor->lives && actor->said_at > 0 && actor->said_at <= play->now) {
            budget_use(&play->budget, &actor->share, &actor->said, play->now);
            actor->said_at = 0;
        }
    }
    budget_balance(&play->budget, play->now, cut, play);
    for (int i = 0; i < ACTORS; i++)
        if (play->actors[i].lives) {
            tell(play, &play->actors[i]);
            act(play, &play->actors[i]);
        }
}

static void die(struct play *play, struct actor *actor)
{
    budget_settle(&play->budget, actor->taken - actor->share.taken);
    budget_leave(&play->budget, &actor->share);
    actor->lives = false;
    assert_null(actor->left);
    struct budget_file *file = calloc(1, sizeof *file);
    assert_non_null(file);
    for (size_t i = 0; i < actor->done_count; i++)
        assert_true(vec_push(&file->pieces, ((struct budget_piece){actor->done[i], CHUNK})));
    assert_true(vec_push(&file->pieces, ((struct budget_piece){play->now, SESSION_HEADER_BYTES + USED})));
    assert_true(budget_add_file(&play->budget, file));
    actor->left = file;
    play->files++;
}

/* ---- tests ---- */

static void a_process_alone_gets_almost_everything(void **state)
{
    (void)state;
    struct play *play = begin(64 << 20, 1);
    struct actor *actor = join(play, 0);
    for (int i = 0; i < 2000; i++) {
        write_chunk(play, actor);
        step(play);
        assert_true(total(play) <= 64 << 20);
    }
    /* All but what is kept for others that may come. */
    assert_true(holds(actor) >= (64 << 20) - play->budget.reserve - 2 * CHUNK);
    end(play);
}

static void nothing_is_thrown_away_while_there_is_room(void **state)
{
    (void)state;
    struct play *play = begin(64 << 20, 2);
    for (int i = 0; i < 10; i++)
        join(play, i);
    for (int i = 0; i < 50; i++)
        step(play);
    /* 40 MiB in bursts of 8 chunks */
    for (int i = 0; i < 80; i++) {
        for (int chunk = 0; chunk < 8; chunk++)
            write_chunk(play, &play->actors[i % 10]);
        for (int wait = 0; wait < 20; wait++)
            step(play);
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(play->actors[i].recycled, 0);
        assert_int_equal(play->actors[i].done_count, 64);
    }
    end(play);
}

static void a_burst_loses_nothing_before_anybody_has_answered(void **state)
{
    (void)state;
    struct play *play = begin(64 << 20, 7);
    for (int i = 0; i < 10; i++) {
        struct actor *actor = join(play, i);
        for (int chunk = 0; chunk < 80; chunk++)
            write_chunk(play, actor);
        assert_int_equal(actor->recycled, 0);
    }
    assert_true(total(play) <= 64 << 20);
    for (int i = 0; i < 100; i++) {
        step(play);
        assert_true(budget_held(&play->budget) <= 64 << 20);
    }
    for (int i = 0; i < 10; i++)
        assert_int_equal(play->actors[i].recycled, 0);
    end(play);
}

static void what_one_took_and_did_not_say_is_free_again_when_it_has_ended(void **state)
{
    (void)state;
    struct play *play = begin(16 << 20, 8);
    for (int round = 0; round < 50; round++) {
        struct actor *actor = join(play, 0);
        for (int chunk = 0; chunk < 60; chunk++)
            write_chunk(play, actor);
        actor->done_count = 0; /* so that its file is small */
        die(play, actor);
        step(play);
        play->actors[0].left = NULL; /* the play has no room for more */
        while (play->files > 0) {
            struct budget_file *file = play->budget.files.items[--play->budget.files.count];
            for (size_t i = 0; i < file->pieces.count; i++)
                play->budget.file_bytes -= file->pieces.items[i].bytes;
            vec_free(&file->pieces);
            free(file);
            play->files--;
        }
        step(play);
        assert_true(room_free(&play->room) >= (16 << 20) - play->budget.reserve - 2 * CHUNK);
    }
    end(play);
}

static void nonsense_in_the_room_is_taken_out_again(void **state)
{
    (void)state;
    static const uint64_t nonsense[] = {UINT64_MAX, INT64_MAX, 1 << 30, 17, 0};
    struct play *play = begin(16 << 20, 9);
    struct actor *actor = join(play, 0);
    for (int i = 0; i < 500; i++) {
        if (i % 50 == 0)
            play->room.free = nonsense[i / 50 % 5];
        step(play);
        assert_true(room_free(&play->room) <= 16 << 20);
        write_chunk(play, actor);
        assert_true(budget_held(&play->budget) <= 16 << 20);
    }
    end(play);
}

static void the_oldest_chunk_goes_first_whoever_has_it(void **state)
{
    (void)state;
    struct play *play = begin(32 << 20, 3);
    struct actor *idle = join(play, 0), *busy = join(play, 1);
    for (int i = 0; i < 300; i++) {
        write_chunk(play, idle);
        for (int wait = 0; wait < 10; wait++)
            step(play);
    }
    assert_int_equal(idle->recycled, 0);
    for (int i = 0; i < 3000 && idle->done_count > 6; i++) {
        write_chunk(play, busy);
        for (int wait = 0; wait < 30; wait++)
            step(play);
        assert_true(total(play) <= 32 << 20);
        if (busy->recycled > 0)
            break;
    }
    /* Times are known about: the last few of one and the first of the other are as good as equally old. */
    assert_true(idle->done_count <= 6);
    assert_int_equal(busy->recycled, 0);
    end(play);
}

static void a_file_of_one_that_ended_goes_by_its_age_too(void **state)
{
    (void)state;
    struct play *play = begin(16 << 20, 4);
    struct actor *first = join(play, 0), *second_one = join(play, 1);
    for (int i = 0; i < 100; i++) {
        write_chunk(play, first);
        for (int wait = 0; wait < 10; wait++)
            step(play);
    }
    uint64_t middle = play->now, pieces = first->done_count + 1;
    assert_true(pieces >= 99);
    die(play, first);
    for (int i = 0; i < 400 && play->files > 0; i++) {
        write_chunk(play, second_one);
        for (int wait = 0; wait < 20; wait++)
            step(play);
        assert_true(total(play) <= 16 << 20);
        /* As long as there is anything of it the other one loses nothing. */
        assert_true(play->files == 0 || second_one->recycled == 0);
    }
    assert_int_equal(play->files, 0);
    assert_true(play->cuts == pieces && play->oldest_cut <= middle);
    end(play);
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
    struct play *play = begin(16 << 20, 5);
    struct actor *frozen = join(play, 0), *other = join(play, 1), *third = join(play, 2);
    for (int i = 0; i < 60; i++) {
        write_chunk(play, frozen);
        write_chunk(play, other);
        for (int wait = 0; wait < 10; wait++)
            step(play);
    }
    frozen->frozen = true;
    size_t left = frozen->done_count;
    for (int i = 0; i < 400; i++) {
        write_chunk(play, third);
        for (int wait = 0; wait < 10; wait++)
            step(play);
        assert_true(total(play) <= 16 << 20);
    }
    assert_int_equal(frozen->done_count, left);
    assert_true(other->done_count <= 4);
    assert_true(third->done_count > 100);
    end(play);
}

static void wild_figures_change_only_the_share_of_who_says_them(void **state)
{
    (void)state;
    struct play *play = begin(64 << 20, 6);
    struct actor *honest = join(play, 0);
    struct budget_process wild;
    assert_true(budget_join(&play->budget, &wild, play->now));
    for (int i = 0; i < 20; i++)
        step(play);
    for (int i = 0; i < 400; i++) {
        static const uint64_t figures[] = {0, 1, CHUNK_BYTES - 1, 1 << 30, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
        uint64_t said[6];
        for (int at = 0; at < 6; at++)
            said[at] = figures[random_below(play, sizeof figures / sizeof *figures)];
        struct budget_usage usage = {(uint32_t)said[0], said[1], said[2], said[3], said[4], said[5], 2 << 20};
        budget_use(&play->budget, &wild, &usage, play->now);
        write_chunk(play, honest);
        step(play);
        assert_true(wild.used + wild.done <= 2 << 20);
        assert_true(budget_held(&play->budget) <= 64 << 20);
    }
    /* 25 MiB: it has lost nothing. */
    assert_int_equal(honest->recycled, 0);
    budget_leave(&play->budget, &wild);
    end(play);
}

/* Everything at random: writing, joining, dying, freezing. `calm`: nobody joins where there is no room even for the least. */
static void play_at_random(uint64_t seed, bool calm)
{
    static const uint64_t limits[] = {1 << 20, 4 << 20, 16 << 20, 64 << 20};
    uint64_t limit = limits[seed % 4];
    struct play *play = begin(limit, seed);
    unsigned live = 0;
    play->delay = 1 + random_below(play, 100 * ms);
    for (int i = 0; i < 4000; i++) {
        struct actor *actor = &play->actors[random_below(play, ACTORS)];
        bool fits = budget_held(&play->budget) + SESSION_HEADER_BYTES + LEAST <= limit;
        if (!actor->lives && !actor->left && random_below(play, 4) == 0 && (fits || !calm)) {
            join(play, (int)(actor - play->actors));
            live++;
        } else if (actor->lives && random_below(play, 200) == 0) {
            die(play, actor);
            live--;
        } else if (actor->lives && random_below(play, 300) == 0) {
            actor->frozen = !actor->frozen;
        } else if (actor->lives && !actor->frozen) {
            for (uint64_t burst = random_below(play, 20); burst > 0; burst--)
                write_chunk(play, actor);
        }
        /* A file of an ended one whose memory is to be used again is what the play has no room for. */
        step(play);
        uint64_t allowed = limit + (calm ? 0 : live * (uint64_t)(SESSION_HEADER_BYTES + LEAST) + play->files * USED);
        assert_true(total(play) <= allowed);
        assert_true(!calm || budget_held(&play->budget) <= limit);
    }
    end(play);
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
        cmocka_unit_test(nothing_is_thrown_away_while_there_is_room),
        cmocka_unit_test(a_burst_loses_nothing_before_anybody_has_answered),
        cmocka_unit_test(what_one_took_and_did_not_say_is_free_again_when_it_has_ended),
        cmocka_unit_test(nonsense_in_the_room_is_taken_out_again),
        cmocka_unit_test(the_oldest_chunk_goes_first_whoever_has_it),
        cmocka_unit_test(a_file_of_one_that_ended_goes_by_its_age_too),
        cmocka_unit_test(what_has_just_ended_does_not_go_for_the_wishes_of_others),
        cmocka_unit_test(room_is_given_away_only_when_its_owner_has_left_it),
        cmocka_unit_test(one_that_is_stopped_does_not_keep_others_from_room),
        cmocka_unit_test(wild_figures_change_only_the_share_of_who_says_them),
        cmocka_unit_test(the_limit_holds_at_every_step_of_random_sessions),
        cmocka_unit_test(more_processes_than_fit_hold_the_least_and_no_more),
        cmocka_unit_test(there_is_room_for_one_more_as_long_as_all_can_have_the_least),
        cmocka_unit_test(an_empty_heap_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
