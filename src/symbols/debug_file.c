#include "symbols/debug_file.h"

#include "symbols/file_hunt.h"
#include "symbols/vdso.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char debug_sections[] = ".debug_info\0.symtab\0";

static bool has_debug_information(const struct elf_file *file)
{
    return elf_file_has(file, ".debug_info");
}

/* ---- the module itself ---- */

static bool hunt_module(struct file_hunt *hunt, const struct symbol_request *request)
{
    const struct symbol_search *search = hunt->search;
    for (size_t i = 0; i < search->folder_count; i++)
        if ((request->name.length > 0 &&
             file_hunt_try(hunt, NULL, "%s/%.*s", search->folders[i], PATH_ARGUMENT(request->name))) ||
            file_hunt_try_build_id(hunt, NULL, search->folders[i], ""))
            return true;
    return file_hunt_try_recorded(hunt, request->path, "");
}

static int find_module(const struct symbol_search *search, const struct symbol_request *request, struct module_files *files,
                       struct symbol_outcome *outcome)
{
    struct file_hunt hunt = {.search = search, .build_id = request->build_id, .kind = "", .outcome = outcome};
    if (vdso_is_name(request->name))
        return vdso_open(request->build_id, &files->file, outcome);
    hunt_module(&hunt, request);
    files->file = hunt.found;
    return hunt.result;
}

/* ---- its debug file ---- */

static bool hunt_in_folder(struct file_hunt *hunt, const char *folder, const struct symbol_request *request, struct slice link)
{
    struct slice path = request->path;
    bool absolute = path.length > 0 && path.text[0] == '/';
    if (file_hunt_try_build_id(hunt, NULL, folder, ".debug") ||
        file_hunt_try(hunt, NULL, "%s/%.*s.debug", folder, PATH_ARGUMENT(request->name)) ||
        (absolute && file_hunt_try(hunt, NULL, "%s%.*s.debug", folder, PATH_ARGUMENT(path))))
        return true;
    return link.length > 0 && (file_hunt_try(hunt, NULL, "%s/%.*s", folder, PATH_ARGUMENT(link)) ||
                               (absolute && file_hunt_try(hunt, NULL, "%s%.*s/%.*s", folder, PATH_ARGUMENT(path_folder(path)),
                                                          PATH_ARGUMENT(link))));
}

static bool hunt_by_build_id(struct file_hunt *hunt)
{
    const struct symbol_search *search = hunt->search;
    const char *debug = file_hunt_debug_folder(hunt);
    char inside[PATH_MAX];
    for (size_t i = 0; i < search->folder_count; i++)
        if ((size_t)snprintf(inside, sizeof inside, "%s/usr/lib/debug", search->folders[i]) < sizeof inside &&
            file_hunt_try_build_id(hunt, NULL, inside, ".debug"))
            return true;
    return (search->root && file_hunt_try_build_id(hunt, search->root, debug, ".debug")) ||
           file_hunt_try_build_id(hunt, NULL, debug, ".debug");
}

/* Beside the module, where `path` says it is. */
static bool hunt_link(struct file_hunt *hunt, const char *root, struct slice path, struct slice link)
{
    struct slice folder = path_folder(path);
    return file_hunt_try(hunt, root, "%.*s/%.*s", PATH_ARGUMENT(folder), PATH_ARGUMENT(link)) ||
           file_hunt_try(hunt, root, "%.*s/.debug/%.*s", PATH_ARGUMENT(folder), PATH_ARGUMENT(link)) ||
           file_hunt_try(hunt, root, "%s%.*s/%.*s", file_hunt_debug_folder(hunt), PATH_ARGUMENT(folder), PATH_ARGUMENT(link));
}

/* And where it really is, if that was a link. */
static bool hunt_links(struct file_hunt *hunt, const struct elf_file *file, const struct symbol_request *request,
                       struct slice link)
{
    const char *root = hunt->search->root, *path = elf_file_path(file);
    char *real = realpath(path, NULL);
    bool done =
        (root && request->path.length > 0 && request->path.text[0] == '/' && hunt_link(hunt, root, request->path, link)) ||
        (*path && hunt_link(hunt, NULL, slice_of(path), link)) ||
        (real && strcmp(real, path) != 0 && hunt_link(hunt, NULL, slice_of(real), link));
    free(real);
    return done;
}

static int find_debug_file(const struct symbol_search *search, const struct symbol_request *request, struct module_files *files,
                           struct symbol_outcome *outcome)
{
    struct slice link = {0};
    uint32_t crc;
    struct slice build_id = files->file ? elf_file_build_id(files->file) : request->build_id;
    bool linked = files->file && elf_file_debug_link(files->file, &link, &crc);
    struct file_hunt hunt = {
        .search = search,
        .build_id = build_id,
        .crc = linked ? &crc : NULL,
        .has = debug_sections,
        .kind = "as its debug file, ",
        .outcome = outcome,
    };
    bool done = build_id.length == 0 && !linked; /* nothing to know it by */
    for (size_t i = 0; i < search->folder_count && !done; i++)
        done = hunt_in_folder(&hunt, search->folders[i], request, link);
    done = done || hunt_by_build_id(&hunt);
    if (!done && linked)
        done = hunt_links(&hunt, files->file, request, link);
    if (!done)
        file_hunt_try_debuginfod(&hunt);
    files->debug = hunt.found;
    return hunt.result;
}

/* ---- what dwz took out of it ---- */

static bool hunt_alternate(struct file_hunt *hunt, const struct elf_file *dwarf, struct slice link)
{
    const struct symbol_search *search = hunt->search;
    if (link.text[0] == '/') {
        if (file_hunt_try_recorded(hunt, link, ""))
            return true;
    } else {
        char *real = realpath(elf_file_path(dwarf), NULL);
        struct slice folder = path_folder(slice_of(elf_file_path(dwarf)));
        struct slice real_folder = real ? path_folder(slice_of(real)) : folder;
        bool done = file_hunt_try(hunt, NULL, "%.*s/%.*s", PATH_ARGUMENT(folder), PATH_ARGUMENT(link)) ||
                    file_hunt_try(hunt, NULL, "%.*s/%.*s", PATH_ARGUMENT(real_folder), PATH_ARGUMENT(link));
        free(real);
        if (done)
            return true;
    }
    struct slice name = path_name(link);
    for (size_t i = 0; i < search->folder_count; i++)
        if (file_hunt_try_build_id(hunt, NULL, search->folders[i], ".debug") ||
            file_hunt_try(hunt, NULL, "%s/%.*s", search->folders[i], PATH_ARGUMENT(name)) ||
            file_hunt_try(hunt, NULL, "%s/.dwz/%.*s", search->folders[i], PATH_ARGUMENT(name)))
            return true;
    return hunt_by_build_id(hunt) ||
           file_hunt_try(hunt, NULL, "%s/.dwz/%.*s", file_hunt_debug_folder(hunt), PATH_ARGUMENT(name)) ||
           file_hunt_try_debuginfod(hunt);
}

static int find_alternate(const struct symbol_search *search, struct module_files *files, struct symbol_outcome *outcome)
{
    struct elf_file *dwarf = module_files_dwarf(files);
    struct slice link, build_id;
    if (!dwarf || !elf_file_alternate_link(dwarf, &link, &build_id))
        return 0;
    struct file_hunt hunt = {.search = search, .build_id = build_id, .kind = "as what dwz shared, ", .outcome = outcome};
    hunt_alternate(&hunt, dwarf, link);
    files->alternate = hunt.found;
    return hunt.result;
}

/* ---- all of them ---- */

struct elf_file *module_files_dwarf(const struct module_files *files)
{
    if (files->file && has_debug_information(files->file))
        return files->file;
    return files->debug && has_debug_information(files->debug) ? files->debug : NULL;
}

int module_files_find(const struct symbol_search *search, const struct symbol_request *request, struct module_files *files,
                      struct symbol_outcome *outcome, struct error *error)
{
    /* A name with a NUL in it is none, and would be cut. */
    bool sound = !memchr(request->path.text ? request->path.text : "", '\0', request->path.length) &&
                 !memchr(request->name.text ? request->name.text : "", '\0', request->name.length);
    int result = sound ? find_module(search, request, files, outcome) : 0;
    if (sound && result == 0 && !(files->file && has_debug_information(files->file)))
        result = find_debug_file(search, request, files, outcome);
    if (result == 0)
        result = find_alternate(search, files, outcome);
    return result < 0 ? error_out_of_memory(error) : 0;
}

const struct elf_file *module_files_changed(const struct module_files *files)
{
    const struct elf_file *all[] = {files->file, files->debug, files->alternate};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && elf_file_has_changed(all[i]))
            return all[i];
    return NULL;
}

void module_files_close(struct module_files *files)
{
    elf_file_close(files->file);
    elf_file_close(files->debug);
    elf_file_close(files->alternate);
    *files = (struct module_files){0};
}
