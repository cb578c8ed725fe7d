#include "session/brief_file.h"

#include "session/chunk_manager_private.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

void brief_file_limit(struct chunk *chunk)
{
    atomic_store_explicit(&chunk->header.missing, CHUNK_BYTES - SHORT_BYTES, memory_order_relaxed);
}

static size_t chunk_length(const struct chunk *chunk)
{
    return sizeof chunk->header + atomic_load_explicit(&chunk->header.used, memory_order_relaxed);
}

uint64_t brief_file_bytes(const struct chunk *chunk)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (SESSION_HEADER_BYTES + chunk_length(chunk) + page - 1) / page * page;
}

/* The header last: with it the file is a session's. */
static int write_file(struct brief_file *brief, const struct chunk_manager_options *options, const struct chunk *chunk)
{
    struct session_file_header header = {.chunk_count = 1, .room_taken = brief->taken};
    session_header_fill(&header, options);
    int failed = chunk_file_extend(&brief->file, SESSION_HEADER_BYTES + CHUNK_BYTES);
    if (!failed)
        failed = chunk_file_write(&brief->file, SESSION_HEADER_BYTES, chunk, chunk_length(chunk));
    return failed ? failed : chunk_file_write(&brief->file, 0, &header, sizeof header);
}

int brief_file_create(struct brief_file *brief, const struct chunk_manager_options *options, struct chunk *chunk,
                      uint64_t taken, struct error *error)
{
    int failed = chunk_file_create(&brief->file, options->folder, options->pid, options->own_table, error);
    if (failed)
        return failed;
    brief->taken = taken;
    brief->written = SESSION_HEADER_BYTES + chunk_length(chunk);
    atomic_store_explicit(&chunk->header.kind, CHUNK_KEPT, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.sequence, 1, memory_order_relaxed);
    failed = write_file(brief, options, chunk);
    brief->is_there = failed == 0;
    if (failed) {
        error_set(error, failed, "%.300s: no room for a recording: %s", brief->file.path, strerrordesc_np(-failed));
        unlink(brief->file.path);
    }
    /* Whoever goes on with it may have another table of descriptors. */
    chunk_file_close(&brief->file);
    return failed;
}

void brief_file_say(struct brief_file *brief, enum session_state state, uint64_t end_ns)
{
    struct session_file_header said = {.state = state, .chunk_count = 1, .end_ns = end_ns};
    const size_t start = offsetof(struct session_file_header, state);
    const size_t end = offsetof(struct session_file_header, end_ns) + sizeof said.end_ns;
    /* Where that cannot be, the process has no end, as if it were killed. */
    (void)chunk_file_write(&brief->file, start, (const char *)&said + start, end - start);
    chunk_file_close(&brief->file);
}

void brief_file_hand_over(struct brief_file *brief, struct chunk_file *file, bool own_table)
{
    *file = brief->file;
    file->owner = own_table ? gettid() : 0;
    brief->is_there = false;
}
