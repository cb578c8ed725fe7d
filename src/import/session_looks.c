/* What was seen of processes from outside: the file beside theirs. */
#include "import/session_state.h"

#include <errno.h>

/* The looks at the process that is being read are in that file or, where there is none, in its own. */
static int take_recycled(struct session_import *import)
{
    struct session_file_header header = import->process.header;
    if (import->looks)
        session_file_header(import->looks, &header);
    import->process.looks_recycled = header.statistics[STATISTIC_CHUNKS_RECYCLED] > 0;
    return 0;
}

int session_open_looks(struct session_import *import, const char *path, uint64_t *owner, struct error *error)
{
    char looks[PATH_MAX];
    struct error reason = {0};
    if (!session_looks_path(path, looks, owner))
        looks[0] = '\0';
    else if (strcmp(looks, import->looks_path) == 0)
        return take_recycled(import);
    session_file_close(import->looks);
    strcpy(import->looks_path, looks);
    import->looks = looks[0] ? session_file_open(looks, &reason) : NULL;
    if (import->looks) {
        struct session_file_header header;
        session_file_header(import->looks, &header);
        for (size_t i = 0; i < STATISTIC_COUNT; i++)
            import->quality.statistics[i] += header.statistics[i];
        import->quality.looks_ns += header.looks_ns;
        return take_recycled(import);
    }
    bool missing = reason.code == 0 || reason.code == -ENOENT || reason.code == -ENODATA;
    if (reason.code == -ENOMEM || (!missing && !session_add_damage(import, looks, reason.message)))
        return error_out_of_memory(error);
    return take_recycled(import);
}

void session_add_reading(struct session_reading *sum, const struct session_reading *reading)
{
    sum->chunks_read += reading->chunks_read;
    sum->chunks_missed += reading->chunks_missed;
    sum->bytes_read += reading->bytes_read;
    sum->bad_entries += reading->bad_entries;
    sum->bad_chunks += reading->bad_chunks;
}
