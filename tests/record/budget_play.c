#include "budget_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint64_t play_random_below(struct play *play, uint64_t bound)
{
    play->seed = play->seed * 6364136223846793005u + 1442695040888963407u;
    return (play->seed >> 33) % bound;
}

struct play *play_begin(uint64_t limit, uint64_t seed)
{
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    budget_init(&play->budget, limit, &play->quota);
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

void play_end(struct play *play)
{
    for (int i = 0; i < ACTORS; i++)
        if (play->actors[i].left) {
            vec_free(&play->actors[i].left->pieces);
            free(play->actors[i].left);
        }
    budget_free(&play->budget);
    free(play);
}

uint64_t actor_holds(const struct actor *actor)
{
    return USED + actor->done_count * (uint64_t)CHUNK;
}

struct actor *play_join(struct play *play, int number)
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

void actor_write_chunk(struct play *play, struct actor *actor)
{
    if (actor_holds(actor) + CHUNK > actor->goes_by) {
        uint64_t taken = quota_take(&play->quota, actor_holds(actor) + CHUNK - actor->goes_by, 2 * CHUNK);
        actor->goes_by += taken;
        actor->taken += taken;
    }
    if (actor_holds(actor) + CHUNK > actor->goes_by && actor->done_count > 0)
        recycle(actor);
    if (actor_holds(actor) + CHUNK <= actor->goes_by && actor->done_count < CHUNKS_MOST)
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
    while (actor_holds(actor) > actor->goes_by && actor->done_count > 0)
        recycle(actor);
    struct budget_usage usage = {
        .number = actor->number,
        .used = USED,
        .done = actor->done_count * (uint64_t)CHUNK,
        .wanted = actor_holds(actor) + CHUNK > actor->goes_by ? CHUNK : 0,
        .taken = actor->taken,
        .oldest_ns = actor->done_count > 0 ? actor->done[0] : 0,
        .in_file = SESSION_HEADER_BYTES + actor_holds(actor),
    };
    if (actor->said_at == 0 && memcmp(&usage, &actor->before, sizeof usage) != 0) {
        actor->said = actor->before = usage;
        actor->said_at = play->now + 1 + play_random_below(play, play->delay);
    }
}

static void tell(struct play *play, struct actor *actor)
{
    if (!actor->share.to_tell || actor->told_count == 8)
        return;
    uint64_t there = play->now + 1 + play_random_below(play, play->delay);
    if (actor->told_count > 0 && there < actor->told_at[actor->told_count - 1])
        there = actor->told_at[actor->told_count - 1];
    actor->told[actor->told_count] = actor->share.limit;
    actor->told_taken[actor->told_count] = actor->share.taken;
    actor->told_number[actor->told_count] = actor->share.number;
    actor->told_at[actor->told_count++] = there;
    actor->share.to_tell = false;
}

uint64_t play_total(const struct play *play)
{
    uint64_t sum = play->budget.file_bytes;
    for (int i = 0; i < ACTORS; i++)
        if (play->actors[i].lives)
            sum += SESSION_HEADER_BYTES + actor_holds(&play->actors[i]);
    return sum;
}

void play_step(struct play *play)
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

void play_die(struct play *play, struct actor *actor)
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
