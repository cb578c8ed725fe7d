#include "record/recording_folder.h"

#include "ipc/link.h"
#include "ipc/quota.h"
#include "record/memory_folder.h"
#include "session/chunk_manager.h"
#include "session/format.h"
#include "session/notes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char suffix[] = ".sonde";

static bool is_session_file(const char *name)
{
    size_t length = strlen(name);
    return length > sizeof suffix - 1 && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

static bool is_other_file(const char *name)
{
    return strcmp(name, LINK_NAME) == 0 || strcmp(name, QUOTA_NAME) == 0 || strcmp(name, NOTES_NAME) == 0 ||
           strcmp(name, LOOKS_NAME) == 0;
}

bool recording_folder_has_files(const struct recording_folder *folder)
{
    DIR *files = opendir(folder->path);
    bool found = false;
    if (!files)
        return false;
    for (const struct dirent *file; !found && (file = readdir(files));)
        found = is_session_file(file->d_name);
    closedir(files);
    return found;
}

static int use_named(const char *named, struct recording_folder *folder, struct error *error)
{
    bool made = mkdir(named, 0700) == 0;
    if (!made && errno != EEXIST)
        return error_set(error, -errno, "%s: %s", named, strerror(errno));
    if (!realpath(named, folder->path))
        return error_set(error, -errno, "%s: %s", named, strerror(errno));
    struct stat status;
    if (stat(folder->path, &status) != 0 || !S_ISDIR(status.st_mode))
        return error_set(error, -ENOTDIR, "%s: %s", named, strerror(ENOTDIR));
    /* Who could put files into it could join the session. */
    if (status.st_mode & S_IWOTH)
        return error_set(error, -EPERM, "%s: everybody may write into this folder, which is no place for a session", named);
    if (access(folder->path, W_OK | X_OK) != 0)
        return error_set(error, -errno, "%s: %s", named, strerror(errno));
    if (!made && recording_folder_has_files(folder))
        return error_set(error, -EEXIST, "%s: there is a session in this folder already", named);
    return 0;
}

static int make_under(const char *parent, struct recording_folder *folder, struct error *error)
{
    char absolute[PATH_MAX];
    if (!realpath(parent, absolute))
        return error_set(error, -errno, "%s: %s", parent, strerror(errno));
    if (snprintf(folder->path, sizeof folder->path, "%s/sonde-XXXXXX", absolute) >= (int)sizeof folder->path)
        return error_set(error, -ENAMETOOLONG, "%s: %s", parent, strerror(ENAMETOOLONG));
    if (!mkdtemp(folder->path))
        return error_set(error, -errno, "%s: no folder for the session can be made here: %s", parent, strerror(errno));
    return 0;
}

static int make_temporary(uint64_t limit_bytes, struct recording_folder *folder, struct error *error)
{
    const char *parent = getenv("TMPDIR");
    if (parent && *parent)
        return make_under(parent, folder, error);
    if (memory_folder_suits("", limit_bytes) && make_under(MEMORY_FOLDER, folder, &(struct error){0}) == 0)
        return 0;
    return make_under("/tmp", folder, error);
}

/* Beyond this limit the kernel ends who writes. The library asks for half as much, again and again, down to the least. */
static int check_file_limit(struct error *error)
{
    const rlim_t needed = SESSION_HEADER_BYTES + 2 * CHUNKS_LEAST * CHUNK_BYTES;
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
        return 0;
    return error_set(error, -EFBIG, "files may have %llu KiB at most (ulimit -f), and a recording needs %llu KiB",
                     (unsigned long long)limit.rlim_cur >> 10, (unsigned long long)needed >> 10);
}

int recording_folder_make(const char *named, uint64_t limit_bytes, struct recording_folder *folder, struct error *error)
{
    folder->temporary = !named;
    int failed = check_file_limit(error);
    if (failed)
        return failed;
    return named ? use_named(named, folder, error) : make_temporary(limit_bytes, folder, error);
}

bool recording_folder_is_full(int folder)
{
    const uint64_t least = 128 << 10;
    struct statvfs disk;
    return fstatvfs(folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < least;
}

void recording_folder_remove(const struct recording_folder *folder)
{
    if (!folder->temporary)
        return;
    DIR *files = opendir(folder->path);
    if (!files)
        return;
    for (const struct dirent *file; (file = readdir(files));)
        if (is_session_file(file->d_name) || is_other_file(file->d_name))
            unlinkat(dirfd(files), file->d_name, 0);
    closedir(files);
    rmdir(folder->path);
}
