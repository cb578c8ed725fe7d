#include "capture/control/dump.h"

#include "capture/control/background.h"
#include "capture/control/save.h"
#include "capture/core/clock.h"
#include "capture/core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Counts the dumps that are over, made or cancelled, so that somebody who waits can tell. Guarded by the core lock. */
static uint64_t ordered, over;
static int last_result;

int dump_schedule(double delay_s, const char *path, bool exit_after)
{
    if (!(delay_s >= 0 && delay_s <= 1e9) || !path || !*path || strlen(path) >= PATH_ROOM - sizeof ".progress")
        return -EINVAL;
    const struct core_locked *locked = core_lock();
    struct core_state *core = core_state(locked);
    bool active = active_state(locked) != NULL;
    if (active) {
        over = ordered++;
        core->dump.set = true;
        core->dump.exit_after = exit_after;
        core->dump.deadline_ns = clock_now() + (uint64_t)(delay_s * 1e9);
        strcpy(core->dump_path, path);
        background_need(locked);
        background_wake(locked);
    }
    core_unlock(locked);
    return active ? 0 : -ENOTCONN;
}

bool dump_cancel(void)
{
    const struct core_locked *locked = core_lock();
    struct core_state *core = core_state(locked);
    bool was_set = core->dump.set;
    core->dump.set = false;
    if (was_set) {
        over = ordered;
        last_result = -ECANCELED;
    }
    core_unlock(locked);
    return was_set;
}

int dump_wait(void)
{
    uint64_t mine = 0;
    for (;;) {
        const struct core_locked *locked = core_lock();
        if (mine == 0)
            mine = ordered;
        bool done = over >= mine;
        bool lost = !done && !active_state(locked);
        int result = done ? last_result : -ENOTCONN;
        core_unlock(locked);
        if (done || lost)
            return mine == 0 ? -ENOENT : result;
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
}

uint64_t dump_deadline(const struct core_locked *locked)
{
    const struct core_state *core = core_state(locked);
    return core->dump.set ? core->dump.deadline_ns : UINT64_MAX;
}

struct progress_file {
    int fd;
    uint64_t next_ns; /* not more often than once a second */
};

static void note_progress(void *data, double share)
{
    struct progress_file *file = data;
    uint64_t now = clock_now();
    if (file->fd < 0 || now < file->next_ns)
        return;
    file->next_ns = now + UINT64_C(1000000000);
    char text[32];
    int thousandths = (int)(share * 1000);
    int length = snprintf(text, sizeof text, "%d.%03d\n", thousandths / 1000, thousandths % 1000);
    ssize_t written = pwrite(file->fd, text, (size_t)length, 0);
    (void)written;
}

void dump_write(void)
{
    char path[PATH_ROOM], progress_path[PATH_ROOM];
    const struct core_locked *locked = core_lock();
    struct core_state *core = core_state(locked);
    bool set = core->dump.set, exit_after = core->dump.exit_after;
    uint64_t mine = ordered;
    core->dump.set = false;
    strcpy(path, core->dump_path);
    core_unlock(locked);
    if (!set)
        return;

    struct progress_file progress = {.fd = -1};
    if (save_name(path, progress_path, ".progress"))
        progress.fd = save_create(progress_path);
    note_progress(&progress, 0);
    int result = save_to_file_with_progress(path, note_progress, &progress);
    if (progress.fd >= 0) {
        close(progress.fd);
        unlink(progress_path);
    }
    log_line(LOG_STATE, "the scheduled dump %s", result == 0 ? "is written" : "failed");
    if (exit_after)
        _exit(result == 0 ? 0 : 1);

    locked = core_lock();
    if (mine > over)
        over = mine;
    last_result = result;
    core_unlock(locked);
}
