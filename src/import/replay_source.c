#include "import/replay_source.h"

static ssize_t read_kept(struct replay_source *replay, char *buffer, size_t capacity)
{
    size_t count = replay->kept.count - replay->at;
    count = count < capacity ? count : capacity;
    memcpy(buffer, replay->kept.items + replay->at, count);
    replay->at += count;
    return (ssize_t)count;
}

static ssize_t replay_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct replay_source *replay = (struct replay_source *)source;
    if (replay->at < replay->kept.count)
        return read_kept(replay, buffer, capacity);
    if (replay->committed) {
        vec_free(&replay->kept);
        replay->at = 0;
        return replay->inner->read(replay->inner, buffer, capacity, error);
    }
    if (!vec_reserve(&replay->kept, replay->kept.count + capacity))
        return error_out_of_memory(error);
    ssize_t count = replay->inner->read(replay->inner, buffer, capacity, error);
    if (count > 0) {
        memcpy(replay->kept.items + replay->kept.count, buffer, (size_t)count);
        replay->kept.count += (size_t)count;
        replay->at = replay->kept.count;
    }
    return count;
}

/* The owner frees it. */
static void replay_source_close(struct byte_source *source)
{
    (void)source;
}

void replay_source_init(struct replay_source *replay, struct byte_source *inner)
{
    *replay = (struct replay_source){.base = {replay_source_read, replay_source_close}, .inner = inner};
}

void replay_source_free(struct replay_source *replay)
{
    vec_free(&replay->kept);
}

int replay_source_peek(struct replay_source *replay, size_t count, struct slice *start, struct error *error)
{
    if (!vec_reserve(&replay->kept, count))
        return error_out_of_memory(error);
    while (replay->kept.count < count) {
        ssize_t more =
            replay->inner->read(replay->inner, replay->kept.items + replay->kept.count, count - replay->kept.count, error);
        if (more < 0)
            return (int)more;
        if (more == 0)
            break;
        replay->kept.count += (size_t)more;
    }
    *start = (struct slice){replay->kept.items, replay->kept.count < count ? replay->kept.count : count};
    return 0;
}

void replay_source_rewind(struct replay_source *replay)
{
    replay->at = 0;
}

void replay_source_commit(struct replay_source *replay)
{
    replay->committed = true;
}
