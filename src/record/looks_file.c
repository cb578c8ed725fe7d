#include "record/looks_file.h"

#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int looks_file_make(struct looks_file *file, const char *folder, uint64_t limit_bytes, struct error *error)
{
    struct chunk_manager_options options = {.folder = folder, .name = LOOKS_NAME, .pid = getpid(), .limit_bytes = limit_bytes};
    file->chunks = chunk_manager_create(&options, error);
    return file->chunks ? 0 : error->code;
}

void looks_file_close(struct looks_file *file)
{
    chunk_manager_free(file->chunks);
    file->chunks = NULL;
}

static uint8_t *reserve(struct looks_file *file, struct chunk *chunk, size_t max)
{
    uint8_t *out = chunk_reserve(chunk, max);
    return out || !chunk_manager_extend(file->chunks, chunk) ? out : chunk_reserve(chunk, max);
}

static void give_back(struct looks_file *file, struct chunk **chunk)
{
    if (*chunk)
        chunk_manager_give_back(file->chunks, *chunk, now_ns());
    *chunk = NULL;
}

bool looks_file_put(struct looks_file *file, struct looks_of_process *process, bool kept, size_t max,
                    size_t (*write)(uint8_t *out, size_t room, const void *entry), const void *entry)
{
    struct chunk **chunk = kept ? &process->kept : &process->samples;
    uint8_t *out = *chunk ? reserve(file, *chunk, max) : NULL;
    if (!out) {
        give_back(file, chunk);
        *chunk = chunk_manager_take(file->chunks, kept ? CHUNK_KEPT : CHUNK_SAMPLES, now_ns());
        if (*chunk)
            (*chunk)->header.owner = process->owner;
        out = *chunk ? reserve(file, *chunk, max) : NULL;
        process->is_new |= !kept;
    }
    size_t length = out ? write(out, max, entry) : 0;
    if (length > 0)
        chunk_commit(*chunk, max, length);
    return length > 0;
}

void looks_file_end(struct looks_file *file, struct looks_of_process *process)
{
    give_back(file, &process->samples);
    give_back(file, &process->kept);
}
