#include "record/live.h"

#include "session/reader.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

void live_session_begin(struct live_session *live, const char *folder, int pid)
{
    *live = (struct live_session){.folder = folder, .pid = pid, .number = -1};
}

/* Opens the newest file of the process. */
static void follow(struct live_session *live)
{
    for (;;) {
        char path[PATH_MAX];
        struct error error = {0};
        if (snprintf(path, sizeof path, "%s/%d-%d.sonde", live->folder, live->pid, live->number + 1) >= PATH_MAX ||
            access(path, R_OK) != 0)
            return;
        /* A file that was made this moment may not have its header yet. */
        struct session_file *next = session_file_open(path, &error);
        if (!next)
            return;
        session_file_close(live->file);
        live->file = next;
        live->number++;
    }
}

static unsigned count_threads(int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    unsigned count = 0;
    if (!tasks)
        return 0;
    for (const struct dirent *task; (task = readdir(tasks));)
        count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

bool live_session_read(struct live_session *live, struct live_figures *figures)
{
    follow(live);
    if (!live->file)
        return false;
    struct session_file_header header;
    session_file_header(live->file, &header);
    const _Atomic uint64_t *statistics = header.statistics;
    uint64_t samples =
        statistics[STATISTIC_SAMPLES_SIGNALLED] + statistics[STATISTIC_SAMPLES_REMOTE] + statistics[STATISTIC_SAMPLES_SAME];
    uint64_t ticks = statistics[STATISTIC_TICKS];
    /* A turn that was missed is a sample less of each thread. */
    double missed = ticks > 0 ? (double)statistics[STATISTIC_TICKS_MISSED] * (double)samples / (double)ticks : 0;
    unsigned threads = count_threads(live->pid);
    *figures = (struct live_figures){
        /* One of them is the sampler. */
        .threads = threads > 1 ? threads - 1 : threads,
        .samples = samples,
        .buffer_bytes = (uint64_t)header.chunk_count * CHUNK_BYTES,
        .lost = statistics[STATISTIC_SAMPLES_LOST] + statistics[STATISTIC_ENTRIES_LOST] + (uint64_t)missed,
    };
    return true;
}

void live_session_end(struct live_session *live)
{
    session_file_close(live->file);
    live->file = NULL;
}
