#include "symbols/file_hunt.h"

#include "profile/module_ids.h"
#include "symbols/root_open.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct slice path_folder(struct slice path)
{
    const char *slash = path.length > 0 ? memrchr(path.text, '/', path.length) : NULL;
    return slash ? slice_until(path, (size_t)(slash - path.text)) : SLICE(".");
}

struct slice path_name(struct slice path)
{
    const char *slash = path.length > 0 ? memrchr(path.text, '/', path.length) : NULL;
    return slash ? slice_from(path, (size_t)(slash + 1 - path.text)) : path;
}

const char *file_hunt_debug_folder(const struct file_hunt *hunt)
{
    return hunt->search->debug_folder ? hunt->search->debug_folder : "/usr/lib/debug";
}

/* Of a path that is too long the end is told: it has the name. */
static void tell(struct file_hunt *hunt, enum symbol_status status, const char *path, const char *what)
{
    enum { MOST_PATH = 150, MOST_TEXT = 60 };
    struct symbol_outcome *outcome = hunt->outcome;
    size_t length = strlen(path);
    if (!outcome || outcome->detail[0])
        return;
    outcome->status = status;
    snprintf(outcome->detail, sizeof outcome->detail, "%.*s: %s%.*s", MOST_PATH,
             path + (length > MOST_PATH ? length - MOST_PATH : 0), hunt->kind, MOST_TEXT, what);
}

/* ---- is it the one? ---- */

static bool has_any(const struct elf_file *file, const char *names)
{
    if (!names)
        return true;
    for (; *names; names += strlen(names) + 1)
        if (elf_file_has(file, names))
            return true;
    return false;
}

static bool checksum_is(const struct elf_file *file, uint32_t wanted)
{
    struct slice bytes = elf_file_bytes(file);
    return crc32_z(0, (const unsigned char *)bytes.text, bytes.length) == wanted;
}

static bool is_the_build(const struct file_hunt *hunt, const struct elf_file *file)
{
    struct slice build_id = elf_file_build_id(file);
    if (hunt->build_id.length == 0)
        return !hunt->crc || checksum_is(file, *hunt->crc);
    if (build_id.length > 0)
        return module_build_id_matches(hunt->build_id, build_id);
    char bytes[BREAKPAD_ID_BYTES];
    const struct elf_section *text = elf_file_section_named(file, ".text");
    return hunt->build_id.length == BREAKPAD_ID_BYTES &&
           slice_equal(module_text_id(elf_file_raw(file, text), bytes), hunt->build_id);
}

/* ---- the places ---- */

static bool try_path(struct file_hunt *hunt, const char *root, const char *path)
{
    struct elf_file *file;
    struct error why = {0};
    int result = elf_file_open(root, path, &file, &why);
    if (result == -ENOMEM) {
        hunt->result = -ENOMEM;
        return true;
    }
    if (result == -EBADMSG)
        tell(hunt, SYMBOLS_DAMAGED, path, why.message);
    else if (result < 0 && result != -ENOENT && result != -ENOTDIR)
        tell(hunt, SYMBOLS_NO_FILE, path, why.message);
    if (result < 0)
        return false;
    if (has_any(file, hunt->has)) {
        if (is_the_build(hunt, file)) {
            hunt->found = file;
            if (hunt->outcome)
                hunt->outcome->detail[0] = '\0'; /* what was wrong with others does not matter any more */
            return true;
        }
        tell(hunt, SYMBOLS_OTHER_BUILD, path, "it is not the build that was recorded");
    }
    elf_file_close(file);
    return false;
}

bool file_hunt_try(struct file_hunt *hunt, const char *root, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length > 0 && (size_t)length < sizeof path && try_path(hunt, root, path);
}

/* Whether a file "yyyy" with the suffix, in the folder "xx", is named after the build id that is wanted. */
static bool is_named_after(struct slice build_id, const char *xx, struct slice name, const char *suffix)
{
    char digits[2 * MODULE_ID_BYTES + 1], bytes[MODULE_ID_BYTES];
    struct slice end = slice_of(suffix);
    if (!slice_ends_with(name, end))
        return false;
    name = slice_until(name, name.length - end.length);
    int length = snprintf(digits, sizeof digits, "%.2s%.*s", xx, PATH_ARGUMENT(name));
    if ((size_t)length >= sizeof digits)
        return false;
    struct slice found = module_build_id(slice_of(digits), SLICE(""), bytes);
    return found.length > 0 && module_build_id_matches(build_id, found);
}

/* All that a breakpad id leaves of a build id are 16 bytes of usually 20: the names in its folder are gone through. */
static bool try_beginning(struct file_hunt *hunt, const char *root, const char *folder, const char *xx, const char *suffix)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/.build-id/%.2s", folder, xx);
    int fd = (size_t)length < sizeof path ? root_open(root, path) : -1;
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    bool done = false;
    if (!names) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    for (struct dirent *entry; !done && (entry = readdir(names));)
        if (is_named_after(hunt->build_id, xx, slice_of(entry->d_name), suffix))
            done = file_hunt_try(hunt, root, "%s/%s", path, entry->d_name);
    closedir(names);
    return done;
}

bool file_hunt_try_build_id(struct file_hunt *hunt, const char *root, const char *folder, const char *suffix)
{
    char id[2 * MODULE_ID_BYTES + 1];
    if (hunt->build_id.length < 2)
        return false;
    module_code_id(hunt->build_id, id);
    return file_hunt_try(hunt, root, "%s/.build-id/%.2s/%s%s", folder, id, id + 2, suffix) ||
           (hunt->build_id.length == BREAKPAD_ID_BYTES && try_beginning(hunt, root, folder, id, suffix));
}

bool file_hunt_try_debuginfod(struct file_hunt *hunt)
{
    char id[2 * MODULE_ID_BYTES + 1], path[PATH_MAX];
    struct stat status;
    if (!hunt->search->debuginfod_cache || hunt->build_id.length < 2)
        return false;
    module_code_id(hunt->build_id, id);
    /* An empty file says that the servers have none. */
    return (size_t)snprintf(path, sizeof path, "%s/%s/debuginfo", hunt->search->debuginfod_cache, id) < sizeof path &&
           stat(path, &status) == 0 && status.st_size > 0 && try_path(hunt, NULL, path);
}

bool file_hunt_try_recorded(struct file_hunt *hunt, struct slice path, const char *suffix)
{
    const struct symbol_search *search = hunt->search;
    if (path.length == 0 || path.text[0] != '/')
        return false;
    for (size_t i = 0; i < search->folder_count; i++)
        if (file_hunt_try(hunt, NULL, "%s%.*s%s", search->folders[i], PATH_ARGUMENT(path), suffix))
            return true;
    return (search->root && file_hunt_try(hunt, search->root, "%.*s%s", PATH_ARGUMENT(path), suffix)) ||
           file_hunt_try(hunt, NULL, "%.*s%s", PATH_ARGUMENT(path), suffix);
}
