#include "import/session_state.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Written by somebody who may say what the code is, and not left behind by an older process with the same number. */
static bool is_good(const struct session_process *process, const char *path)
{
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) || (status.st_uid != 0 && status.st_uid != geteuid()))
        return false;
    return (uint64_t)status.st_mtim.tv_sec >= process->header.start_realtime_ns / 1000000000;
}

static bool look_at(const struct session_process *process, const char *root, char path[PATH_MAX])
{
    char whole[PATH_MAX + 40];
    if (*root) {
        snprintf(whole, sizeof whole, "%s%s", root, path);
        if (is_good(process, whole))
            return true;
    }
    return is_good(process, path);
}

/* `perf record` of others moves it to a folder of its own. */
static bool look_into_home(const struct session_process *process, char path[PATH_MAX])
{
    const char *home = getenv("HOME");
    glob_t places;
    bool found = false;
    if (!home || home[0] != '/' ||
        snprintf(path, PATH_MAX, "%s/.debug/jit/*/jit-%d.dump", home, process->header.pid) >= PATH_MAX)
        return false;
    if (glob(path, 0, NULL, &places) != 0)
        return false;
    for (size_t i = 0; i < places.gl_pathc && !found; i++) {
        found = strlen(places.gl_pathv[i]) < PATH_MAX && is_good(process, places.gl_pathv[i]);
        if (found)
            strcpy(path, places.gl_pathv[i]);
    }
    globfree(&places);
    return found;
}

/* The folder that the process works in; when it is gone, ours, where it was started most likely. */
static bool look_into_folder(const struct session_process *process, char path[PATH_MAX])
{
    char link[40], folder[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/cwd", process->header.pid);
    ssize_t length = readlink(link, folder, sizeof folder - 1);
    if (length > 0)
        folder[length] = '\0';
    else if (!getcwd(folder, sizeof folder))
        return false;
    return snprintf(path, PATH_MAX, "%s/jit-%d.dump", folder, process->header.pid) < PATH_MAX && path[0] == '/' &&
           is_good(process, path);
}

/* As a path of the recorded process, while that lives, else of this machine. A jitdump says more than a map. */
static bool find_file(const struct session_process *process, char path[PATH_MAX])
{
    char root[40];
    snprintf(root, sizeof root, "/proc/%d/root", process->header.pid);
    if (access(root, X_OK) < 0)
        root[0] = '\0';
    snprintf(path, PATH_MAX, "/tmp/jit-%d.dump", process->header.pid);
    if (look_at(process, root, path) || look_into_folder(process, path) || look_into_home(process, path))
        return true;
    snprintf(path, PATH_MAX, "/tmp/perf-%d.map", process->header.pid);
    return look_at(process, root, path);
}

bool session_jit(struct session_import *import, struct session_module **jit)
{
    struct session_process *process = &import->process;
    char path[PATH_MAX];
    if (!process->jit_known) {
        process->jit_known = true;
        process->jit = (struct session_module){
            .path = STRING_NONE,
            .build_id = import->no_text,
            .lib = lib_none(),
            .resource = resource_none(),
        };
        if (process->header.pid > 0 && find_file(process, path)) {
            process->jit.path = session_text(import, slice_of(path));
            if (!string_exists(process->jit.path))
                return false;
        }
    }
    *jit = string_exists(process->jit.path) ? &process->jit : NULL;
    return true;
}
