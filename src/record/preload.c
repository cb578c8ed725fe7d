#include "record/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each with the folder that it is built in, and the one of the prefix's libraries that it is installed in. */
static const struct {
    const char *name, *built, *installed;
} libraries[] = {
    [PRELOAD_RECORDER] = {"libsonde-preload.so", "src/preload/", ""},
    [PRELOAD_ALLOCATIONS] = {"libsonde-allocations.so", "src/preload_allocations/", ""},
    [PRELOAD_NODE] = {"auto.js", "bindings/node/", "sonde/node/"},
};

int preload_find(enum preload_library library, char path[PATH_MAX], struct error *error)
{
    const char *installed = libraries[library].installed;
    const char *const places[][2] = {
        {"", ""}, {"", libraries[library].built}, {"../" SONDE_LIBRARY_FOLDER "/", installed}, {"../lib/", installed}};
    char folder[PATH_MAX], tried[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length < 0)
        return error_set(error, -errno, "/proc/self/exe: %s", strerror(errno));
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(tried, sizeof tried, "%s/%s%s%s", folder, places[i][0], places[i][1], libraries[library].name) <
                PATH_MAX &&
            realpath(tried, path) && access(path, R_OK) == 0)
            return 0;
    return error_set(error, -ENOENT, "%s, which recorded programs need, is neither in %s nor in ../" SONDE_LIBRARY_FOLDER,
                     libraries[library].name, folder);
}

/* AddressSanitizer refuses to run when its library is not the first one; any program that is started may have it in it. */
static int allow_before_checker(struct environment *environment, struct error *error)
{
    const char *before = environment_get(environment, "ASAN_OPTIONS");
    char value[4 * PATH_MAX];
    if (snprintf(value, sizeof value, "%s%sverify_asan_link_order=0", before ? before : "", before && *before ? ":" : "") >=
        (int)sizeof value)
        return error_set(error, -E2BIG, "ASAN_OPTIONS is too long");
    return environment_set(environment, "ASAN_OPTIONS", value) ? 0 : error_out_of_memory(error);
}

int preload_add(struct environment *environment, const char *path, struct error *error)
{
    const char *before = environment_get(environment, "LD_PRELOAD");
    char both[4 * PATH_MAX];
    /* The dynamic linker splits the list at both, and knows no quotes. */
    if (strpbrk(path, ": "))
        return error_set(error, -EINVAL, "%s: LD_PRELOAD cannot name a path with a blank or a colon", path);
    if (!before || !*before)
        snprintf(both, sizeof both, "%s", path);
    else if (snprintf(both, sizeof both, "%s:%s", path, before) >= (int)sizeof both)
        return error_set(error, -E2BIG, "LD_PRELOAD is too long");
    return environment_set(environment, "LD_PRELOAD", both) ? allow_before_checker(environment, error)
                                                            : error_out_of_memory(error);
}

int preload_add_to_node(struct environment *environment, const char *path, struct error *error)
{
    const char *before = environment_get(environment, "NODE_OPTIONS");
    char value[4 * PATH_MAX];
    /* In quotes both would have a meaning. */
    if (strpbrk(path, "\"\\"))
        return error_set(error, -EINVAL, "%s: NODE_OPTIONS cannot name a path with a quote or a backslash", path);
    if (snprintf(value, sizeof value, "--require \"%s\"%s%s", path, before && *before ? " " : "", before ? before : "") >=
        (int)sizeof value)
        return error_set(error, -E2BIG, "NODE_OPTIONS is too long");
    return environment_set(environment, "NODE_OPTIONS", value) ? 0 : error_out_of_memory(error);
}
