#include "record/looks_file.h"

#include "common/clock.h"

#include <time.h>
#include <unistd.h>

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

bool looks_file_put(struct looks_file *file, struct looks_of_process *process, bool kept, size_t max, entry_fill *fill,
                    const void *entry)
{
    struct entry_place *place = kept ? &process->kept : &process->samples;
    place->owner = process->owner;
    return entry_append(file->chunks, place, kept ? CHUNK_KEPT : CHUNK_SAMPLES, clock_read(CLOCK_MONOTONIC), max, fill, entry);
}

void looks_file_end(struct looks_file *file, struct looks_of_process *process)
{
    entry_place_end(file->chunks, &process->samples, clock_read(CLOCK_MONOTONIC));
    entry_place_end(file->chunks, &process->kept, clock_read(CLOCK_MONOTONIC));
}
