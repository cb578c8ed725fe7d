#include "managed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/session_draw.h"

struct chunk_manager *managed_create(struct managed *managed, uint64_t limit_chunks)
{
    struct chunk_manager_options options = {
        .folder = managed->folder,
        .pid = 42,
        .limit_bytes = limit_chunks * CHUNK_BYTES,
        .start_monotonic_ns = 1,
        .start_realtime_ns = 2,
        .interval_ns = 3,
        .begin_cpu_ns = 4,
    };
    return chunk_manager_create(&options, &managed->error);
}

int managed_setup(void **state)
{
    struct managed *managed = calloc(1, sizeof *managed);
    session_folder_make(managed->folder);
    managed->manager = managed_create(managed, LIMIT);
    assert_non_null(managed->manager);
    *state = managed;
    return 0;
}

int managed_teardown(void **state)
{
    struct managed *managed = *state;
    chunk_manager_free(managed->manager);
    session_folder_remove(managed->folder);
    free(managed);
    return 0;
}

uint64_t sequence_of(const struct chunk *chunk)
{
    return atomic_load(&chunk->header.sequence);
}

uint32_t chunk_count(struct chunk_manager *manager)
{
    return atomic_load(&chunk_manager_header(manager)->chunk_count);
}

uint64_t recycled(struct chunk_manager *manager)
{
    return atomic_load(&chunk_manager_header(manager)->statistics[STATISTIC_CHUNKS_RECYCLED]);
}

uint64_t held_chunks(struct chunk_manager *manager)
{
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
    return usage.bytes_held / CHUNK_BYTES;
}

struct chunk *take_whole(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now)
{
    struct chunk *chunk = chunk_manager_take(manager, kind, now);
    assert_non_null(chunk);
    chunk_manager_extend(manager, chunk);
    assert_int_equal(chunk_room(chunk), sizeof chunk->bytes);
    return chunk;
}

struct chunk *use_one(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now)
{
    struct chunk *chunk = take_whole(manager, kind, now);
    chunk_manager_give_back(manager, chunk, now);
    return chunk;
}
