#include "capture/core/session_facts.h"

#include "capture/core/clock.h"
#include "common/proc_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the folder ------------------------------------------------------------------------------------------------------- */

static const char *expected;               /* NULL = none */
_Alignas(64) static char other[PATH_ROOM]; /* of the session, where it is not that one */

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
    /* ESRCH: its root is the /proc folder of a process that is gone, as in sandboxes of browsers. */
    bool unreached =
        failed == -ENOENT || failed == -EACCES || failed == -EPERM || failed == -EROFS || failed == -ESRCH || failed == -ENOSPC;
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
    active->settings.folder = other;
    return 0;
}

int folder_make(struct active_state *active, const char *wanted, struct error *error)
{
    active->folder_is_ours = !*wanted;
    if (active->folder_is_ours)
        return make_temporary(active, error);
    active->settings.folder = is_expected(wanted) ? expected : strcpy(other, wanted);
    if (!is_expected(wanted) && mkdir(active->settings.folder, 0700) != 0 && errno != EEXIST)
        return error_set(error, -errno, "cannot make the folder %s: %s", active->settings.folder, error_text(errno));
    return 0;
}

void folder_remove(const struct active_state *active)
{
    if (!active->folder_is_ours || !active->settings.folder[0])
        return;
    if (active->chunks)
        unlink(chunk_manager_path(active->chunks));
    rmdir(active->settings.folder);
}

/* --- PROCESS and CONFIGURATION ---------------------------------------------------------------------------------------- */

enum { ARGUMENTS_ROOM = 4096 };

ENTRY_WRITER(process)
ENTRY_WRITER(configuration)

static struct slice file_name(struct slice path)
{
    const char *slash = path.length ? memrchr(path.text, '/', path.length) : NULL;
    return slash ? slice_from(path, (size_t)(slash + 1 - path.text)) : path;
}

static bool write_process_entry(const struct core_locked *locked)
{
    char path[PATH_ROOM], arguments[ARGUMENTS_ROOM];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    ssize_t arguments_length = proc_file_read("/proc/self/cmdline", arguments, sizeof arguments);
    struct process_entry entry = {.executable = {path, length > 0 ? (size_t)length : 0},
                                  .arguments = {arguments, arguments_length > 0 ? (size_t)arguments_length : 0}};
    struct core_state *core = core_state(locked);
    if (!*core->program && entry.executable.length < sizeof core->program)
        memcpy(core->program, path, entry.executable.length);
    const char *name = core->process_name;
    entry.name = *name ? slice_of(name) : file_name(entry.executable);
    return kept_put(locked, 64 + entry.name.length + entry.executable.length + entry.arguments.length, write_process, &entry);
}

static bool write_configuration_entry(const struct core_locked *locked, const struct settings *settings)
{
    char names[FEATURES_LONGEST];
    struct configuration_entry entry = {
        .interval_ns = settings->interval_ns,
        .features = settings->features,
        .feature_names = {names, features_list(settings->features, ",", names)},
        .filters = slice_of(settings->filters),
        .capacity_bytes = settings->buffer_bytes,
        .duration_ns = settings->duration_ns,
        .time = clock_now(),
    };
    return kept_put(locked, 128 + entry.feature_names.length + entry.filters.length, write_configuration, &entry);
}

bool session_facts_put(const struct core_locked *locked, const struct settings *settings)
{
    return write_process_entry(locked) && write_configuration_entry(locked, settings);
}

void process_name_set(const char *name)
{
    if (!core_may_lock())
        return;
    const struct core_locked *locked = core_lock();
    struct core_state *core = core_state(locked);
    text_copy(core->process_name, sizeof core->process_name, name);
    if (active_state(locked))
        write_process_entry(locked);
    core_unlock(locked);
}
