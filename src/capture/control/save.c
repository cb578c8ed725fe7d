#include "capture/control/save.h"

#include "capture/core/callbacks.h"
#include "capture/core/clock.h"
#include "capture/core/log.h"
#include "export/gecko.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The path of the session's file. False when nothing is recorded. */
static bool session_path(char *path, size_t room)
{
    const struct core_locked *locked = core_lock();
    const struct active_state *active = active_state(locked);
    bool found = active && snprintf(path, room, "%s", chunk_manager_path(active->chunks)) < (int)room;
    core_unlock(locked);
    return found;
}

static int write_profile(int fd, uint64_t shutdown_ns, void (*progress)(void *data, double share), void *data,
                         struct error *error)
{
    char path[PATH_ROOM];
    if (!session_path(path, sizeof path))
        return error_set(error, -ENOTCONN, "nothing is recorded");
    callbacks_run(SONDE_GENERATING_PROFILE);
    struct session_file *file = session_file_open(path, error);
    struct byte_sink *sink = file ? byte_sink_fd(fd, error) : NULL;
    if (sink) {
        struct gecko_options options = {.shutdown_ns = shutdown_ns, .progress = progress, .progress_data = data};
        int result = export_gecko_session(file, &options, sink, error);
        byte_sink_close(sink, result == 0, error);
    }
    if (file)
        session_file_close(file);
    return error->code;
}

static int save_open_file(int fd, uint64_t shutdown_ns, void (*progress)(void *data, double share), void *data)
{
    struct error error = {0};
    int result = write_profile(fd, shutdown_ns, progress, data, &error);
    if (result != 0 && result != -ENOTCONN)
        log_line(LOG_ERROR, "the profile cannot be written: %s", error.message);
    return result;
}

int save_to_fd(int fd, void (*progress)(void *data, double share), void *data)
{
    return save_open_file(fd, 0, progress, data);
}

bool save_name(const char *path, char *name, const char *ending)
{
    const char *percent = strstr(path, "%p");
    int length = percent
                     ? snprintf(name, PATH_ROOM, "%.*s%d%s%s", (int)(percent - path), path, (int)getpid(), percent + 2, ending)
                     : snprintf(name, PATH_ROOM, "%s%s", path, ending);
    return length < PATH_ROOM;
}

int save_create(const char *path)
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
    int fd = save_create(beside);
    if (fd < 0) {
        log_line(LOG_ERROR, "%s: %s", beside, strerror(-fd));
        return fd;
    }
    int result = save_open_file(fd, shutdown_ns, progress, data);
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

int save_to_file_with_progress(const char *path, void (*progress)(void *data, double share), void *data)
{
    return save_beside(path, 0, progress, data);
}

int save_to_file(const char *path)
{
    return save_beside(path, 0, NULL, NULL);
}

void save_at_shutdown(void)
{
    char path[PATH_ROOM];
    const struct core_locked *locked = core_lock();
    bool wanted = core_state(locked)->saves_at_shutdown;
    if (wanted)
        strcpy(path, core_state(locked)->shutdown_path);
    core_unlock(locked);
    if (wanted)
        save_beside(path, clock_now(), NULL, NULL);
}
