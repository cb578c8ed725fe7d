/* Reading a session: live or finished, from another process or from the recorded one itself.
 *
 * The reader takes a snapshot of what is there when it is asked, chunk by chunk, as copies; chunks that are recycled while it
 * copies are left out and counted. It trusts no byte. */
#ifndef SONDE_SESSION_READER_H
#define SONDE_SESSION_READER_H

#include "common/error.h"
#include "session/entry.h"
#include "session/format.h"

#include <limits.h>

struct session_file;

/* Opens one file of a session. NULL with `error` filled where it is none; -ENODATA where it is one that was just made: its
 * process is about to write the header, or was killed before it could. */
struct session_file *session_file_open(const char *path, struct error *error);
void session_file_close(struct session_file *file);

/* As it was opened. */
const char *session_file_path(const struct session_file *file);

/* A copy of the header as it is now. */
void session_file_header(const struct session_file *file, struct session_file_header *header);

/* What happened to chunks while reading. */
struct session_reading {
    uint64_t chunks_read, chunks_missed; /* missed: recycled under the reader's hands */
    uint64_t bytes_read;
    uint64_t bad_entries; /* entries that made no sense; the rest of their chunk is left out */
    uint64_t bad_chunks;  /* chunks whose header makes no sense, or that the file should have and is too short for */
    uint64_t oldest_ns;   /* start of the oldest chunk of samples or markers; UINT64_MAX = none */
};

/* Visits every entry: first those of CHUNK_KEPT, then of CHUNK_SAMPLES, then of CHUNK_MARKERS, each in the order of their
 * chunks' sequence numbers. Chunks of samples overlap in time: entries are in order of time only within one of them, and
 * among those of one writer. Entries are valid during the call. `chunk_changed` (may be NULL) is called before the first
 * entry of each chunk of samples, which shares no frames with the chunks before it; `markers_changed` before that of each
 * chunk of markers.
 * A visitor that returns other than 0 ends the reading with that value. */
struct session_visitor {
    int (*entry)(void *data, const struct any_entry *entry, struct error *error);
    void (*chunk_changed)(void *data);
    void (*progress)(void *data, double share); /* may be NULL */
    void (*markers_changed)(void *data);        /* may be NULL */
};

int session_file_visit(struct session_file *file, const struct session_visitor *visitor, void *data,
                       struct session_reading *reading, struct error *error);

/* --- what was seen from outside -------------------------------------------------------------------------------------- */

/* Who a chunk of SESSION/looks is about: the process image whose file is PID-N.sonde. */
static inline uint64_t session_owner(int32_t pid, uint32_t image)
{
    return (uint64_t)(uint32_t)pid << 32 | image;
}

/* The path of the looks beside the file of a process, and which chunks in it are about that process. False where the file's
 * name is not that of a process, or the path is too long. */
bool session_looks_path(const char *path, char looks[static PATH_MAX], uint64_t *owner);

/* Visits, of SESSION/looks, only the chunks about one process. Which chunks there are is found out once, at the first visit, so
 * that thousands of processes cost one pass over the file. */
int session_file_visit_owner(struct session_file *file, uint64_t owner, const struct session_visitor *visitor, void *data,
                             struct session_reading *reading, struct error *error);

/* The files of a session folder, sorted by start time of their processes, so that parents come before their children, without
 * those that have no header yet; `each` returning other than 0 ends it. Files that cannot be read come last. */
int session_folder_visit(const char *folder, int (*each)(void *data, const char *path, struct error *error), void *data,
                         struct error *error);

/* The same; `unbegun` says how many there are without a header. */
int session_folder_visit_counted(const char *folder, int (*each)(void *data, const char *path, struct error *error), void *data,
                                 size_t *unbegun, struct error *error);

/* Whether files with the same number of a process and these starts (start_monotonic_ns) are of one process, which became
 * another program (exec), or of two, the later of which got the number when the other was gone. */
bool session_same_process(uint64_t start_ns, uint64_t other_start_ns);

#endif
