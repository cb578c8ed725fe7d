#include "capture/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static char named[PATH_ROOM];
static bool expected;

const char *folder_name(const char *folder)
{
    return strcpy(named, folder);
}

const char *folder_named(void)
{
    return named;
}

void folder_expect(void)
{
    expected = true;
}

static bool is_expected(const char *folder)
{
    return expected && *folder && strcmp(folder, named) == 0;
}

bool folder_is_gone(const char *folder, int failed)
{
    return failed == -ENOENT && is_expected(folder);
}

static int make_temporary(char *path, size_t room, struct error *error)
{
    const char *parent = getauxval(AT_SECURE) ? NULL : getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    if (snprintf(path, room, "%s/sonde-XXXXXX", parent) >= (int)room)
        return error_set(error, -ENAMETOOLONG, "the name of the folder for temporary files is too long");
    if (!mkdtemp(path))
        return error_set(error, -errno, "cannot make a folder in %s: %s", parent, strerror(errno));
    return 0;
}

int folder_make(struct active_state *active, const char *wanted, struct error *error)
{
    active->folder_is_ours = !*wanted;
    if (active->folder_is_ours)
        return make_temporary(active->folder, sizeof active->folder, error);
    strcpy(active->folder, wanted);
    if (!is_expected(wanted) && mkdir(active->folder, 0700) != 0 && errno != EEXIST)
        return error_set(error, -errno, "cannot make the folder %s: %s", active->folder, strerror(errno));
    return 0;
}

void folder_remove(const struct active_state *active)
{
    if (!active->folder_is_ours || !active->folder[0])
        return;
    if (active->chunks)
        unlink(chunk_manager_path(active->chunks));
    rmdir(active->folder);
}
