#include "capture/core/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *expected;               /* NULL = none */
_Alignas(64) static char other[PATH_ROOM]; /* of the session, where it is not that one */

const char *folder_name(const struct core_locked *locked, const char *folder)
{
    return strcpy(core_state(locked)->named_folder, folder);
}

void folder_expect(const char *named)
{
    expected = named;
}

static bool is_expected(const char *folder)
{
    return expected && *folder && strcmp(folder, expected) == 0;
}

bool folder_is_unreached(const char *folder, int failed)
{
    bool unreached = failed == -ENOENT || failed == -EACCES || failed == -EPERM || failed == -EROFS;
    return unreached && is_expected(folder);
}

static int make_temporary(struct active_state *active, struct error *error)
{
    const char *parent = getauxval(AT_SECURE) ? NULL : getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    if (snprintf(other, sizeof other, "%s/sonde-XXXXXX", parent) >= (int)sizeof other)
        return error_set(error, -ENAMETOOLONG, "the name of the folder for temporary files is too long");
    if (!mkdtemp(other))
        return error_set(error, -errno, "cannot make a folder in %s: %s", parent, error_text(errno));
    active->folder = other;
    return 0;
}

int folder_make(struct active_state *active, const char *wanted, struct error *error)
{
    active->folder_is_ours = !*wanted;
    if (active->folder_is_ours)
        return make_temporary(active, error);
    active->folder = is_expected(wanted) ? expected : strcpy(other, wanted);
    if (!is_expected(wanted) && mkdir(active->folder, 0700) != 0 && errno != EEXIST)
        return error_set(error, -errno, "cannot make the folder %s: %s", active->folder, error_text(errno));
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
