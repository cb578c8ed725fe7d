#include "capture/control/save.h"

#include "capture/control/background.h"
#include "capture/core/callbacks.h"
#include "capture/core/clock.h"
#include "capture/core/log.h"
#include "export/gecko.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int export_session(const char *path, int fd, const struct gecko_options *options, struct error *error)
{
    struct session_file *file = session_file_open(path, error);
    struct byte_sink *sink = file ? byte_sink_fd(fd, error) : NULL;
    if (sink)
        byte_sink_close(sink, export_gecko_session(file, options, sink, error) == 0, error);
    if (file)
        session_file_close(file);
    return error->code;
}

static int write_profile(int fd, uint64_t shutdown_ns, void (*progress)(void *data, double share), void *data)
{
    char path[PATH_ROOM];
    const struct core_locked *locked = core_lock();
    const struct active_state *active = active_state(locked);
    bool found = active && snprintf(path, sizeof path, "%s", chunk_manager_path(active->chunks)) < (int)sizeof path;
    core_unlock(locked);
    if (!found)
        return -ENOTCONN;
    callbacks_run(SONDE_GENERATING_PROFILE);
    struct gecko_options options = {.shutdown_ns = shutdown_ns, .progress = progress, .progress_data = data};
    struct error error = {0};
    int result = export_session(path, fd, &options, &error);
    if (result != 0)
        log_line(LOG_ERROR, "the profile cannot be written: %s", error.message);
    return result;
}

int save_to_fd(int fd, void (*progress)(void *data, double share), void *data)
{
    return write_profile(fd, 0, progress, data);
}

/* `path` with its first "%p" replaced by the process id and `ending` behind it, into PATH_ROOM bytes. False when that is too
 * long. */
static bool save_name(const char *path, char *name, const char *ending)
{
    const char *percent = strstr(path, "%p");
    int length = percent
                     ? snprintf(name, PATH_ROOM, "%.*s%d%s%s", (int)(percent - path), path, (int)getpid(), percent + 2, ending)
                     : snprintf(name, PATH_ROOM, "%s%s", path, ending);
    return length < PATH_ROOM;
}

/* A new file for writing, or a negative errno. What has the name already goes; whoever knew the name and put a link there does
 * not decide which file is written. */
static int create_file(const char *path)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return fd < 0 ? -errno : fd;
}

static int save_beside(const char *path, uint64_t shutdown_ns, void (*progress)(void *data, double share), void *data)
{
    char place[PATH_ROOM], beside[PATH_ROOM];
    if (!save_name(path, place, "") || !save_name(path, beside, ".part"))
        return -ENAMETOOLONG;
    int fd = create_file(beside);
    if (fd < 0) {
        log_line(LOG_ERROR, "%s: %s", beside, strerror(-fd));
        return fd;
    }
    int result = write_profile(fd, shutdown_ns, progress, data);
    if (close(fd) != 0 && result == 0)
        result = -errno;
    if (result == 0 && rename(beside, place) != 0) {
        result = -errno;
        log_line(LOG_ERROR, "%s: %s", place, strerror(-result));
    }
    if (result != 0)
        unlink(beside);
    return result;
}

int save_to_file(const char *path)
{
    return save_beside(path, 0, NULL, NULL);
}

bool save_shutdown_path(char path[PATH_ROOM])
{
    const struct core_locked *locked = core_lock();
    bool wanted = core_state(locked)->saves_at_shutdown;
    if (wanted)
        strcpy(path, core_state(locked)->shutdown_path);
    core_unlock(locked);
    return wanted;
}

void save_at_shutdown(void)
{
    char path[PATH_ROOM];
    if (save_shutdown_path(path))
        save_beside(path, clock_now(), NULL, NULL);
}

/* --- scheduled dumps ----------------------------------------------------------------------------------------------------- */

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

int dump_write(void)
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
        return -1;

    struct progress_file progress = {.fd = -1};
    if (save_name(path, progress_path, ".progress"))
        progress.fd = create_file(progress_path);
    note_progress(&progress, 0);
    int result = save_beside(path, 0, note_progress, &progress);
    if (progress.fd >= 0) {
        close(progress.fd);
        unlink(progress_path);
    }
    log_line(LOG_STATE, "the scheduled dump %s", result == 0 ? "is written" : "failed");
    locked = core_lock();
    if (mine > over)
        over = mine;
    last_result = result;
    core_unlock(locked);
    return !exit_after ? -1 : result == 0 ? 0 : 1;
}
