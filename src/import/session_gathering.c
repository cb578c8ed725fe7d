/* What was read of a session, and what its recorder had to say about it. */
#include "import/session_state.h"

#include "session/notes.h"

#include <limits.h>
#include <stdio.h>

/* ---- notes ---- */

bool session_read_notes(struct session_import *import, const char *folder)
{
    char path[PATH_MAX], line[NOTES_LINE];
    FILE *file = snprintf(path, sizeof path, "%s/" NOTES_NAME, folder) < PATH_MAX ? fopen(path, "re") : NULL;
    bool done = true;
    if (!file)
        return true;
    for (int i = 0; done && i < NOTES_MOST && fgets(line, sizeof line, file); i++) {
        line[strcspn(line, "\n")] = '\0';
        struct string_index text = *line ? session_text(import, slice_of(line)) : import->no_text;
        done = string_exists(text) && (!*line || vec_push(&import->quality.said, text));
    }
    fclose(file);
    return done;
}

/* ---- the log ---- */

/* More than these would make a profile of thousands of short processes a log of files. */
enum { FILES_LOGGED = 500 };

bool session_log_file(struct session_import *import, const struct session_reading *reading)
{
    struct session_gathered file = {
        .pid = import->process.pid,
        .chunks = reading->chunks_read,
        .bytes = reading->bytes_read,
        .missed = reading->chunks_missed,
        .damaged = reading->bad_entries + reading->bad_chunks,
    };
    return import->gathered.count >= FILES_LOGGED || vec_push(&import->gathered, file);
}

static bool put_file(struct session_import *import, struct value_bytes *out, const struct session_gathered *file)
{
    return value_put_object(out, 5) && session_put_key(import, out, "pid") && value_put_string(out, file->pid) &&
           session_put_number(import, out, "chunks", (double)file->chunks) &&
           session_put_number(import, out, "bytes", (double)file->bytes) &&
           session_put_number(import, out, "recycledMeanwhile", (double)file->missed) &&
           session_put_number(import, out, "damaged", (double)file->damaged);
}

bool session_put_gathering(struct session_import *import, struct value_bytes *out)
{
    size_t place = value_put_object(out, 2) && session_put_number(import, out, "files", (double)import->files_read) &&
                           session_put_key(import, out, "log")
                       ? value_open(out)
                       : SIZE_MAX;
    bool done = place != SIZE_MAX;
    for (size_t i = 0; i < import->gathered.count && done; i++)
        done = put_file(import, out, &import->gathered.items[i]);
    return done && value_close_array(out, place, (uint32_t)import->gathered.count);
}
