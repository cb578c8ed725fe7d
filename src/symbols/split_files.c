#include "symbols/split_files.h"

#include "symbols/file_hunt.h"

#include <stdio.h>

int dwarf_sections_of(struct elf_file *file, const char *suffix, struct dwarf_sections *out, struct error *error)
{
    const struct {
        const char *name;
        struct slice *bytes;
    } sections[] = {
        {"info", &out->info},         {"abbrev", &out->abbrev},           {"line", &out->line}, {"str", &out->str},
        {"line_str", &out->line_str}, {"str_offsets", &out->str_offsets}, {"addr", &out->addr}, {"ranges", &out->ranges},
        {"rnglists", &out->rnglists}, {"aranges", &out->aranges},
    };
    *out = (struct dwarf_sections){0};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        char name[64];
        snprintf(name, sizeof name, ".debug_%s%s", sections[i].name, suffix);
        int result = elf_file_contents(file, name, sections[i].bytes, error);
        if (result < 0)
            return result;
    }
    return elf_file_contents(file, ".debug_cu_index", &out->cu_index, error);
}

static void hunt_package(struct file_hunt *hunt, struct split_files *split)
{
    const struct symbol_search *search = hunt->search;
    const struct elf_file *files[] = {split->files->file, split->files->debug};
    for (size_t i = 0; i < 2; i++)
        if (files[i] && *elf_file_path(files[i]) && file_hunt_try(hunt, NULL, "%s.dwp", elf_file_path(files[i])))
            return;
    for (size_t i = 0; i < search->folder_count; i++)
        if (file_hunt_try(hunt, NULL, "%s/%.*s.dwp", search->folders[i], PATH_ARGUMENT(split->request->name)))
            return;
    file_hunt_try_recorded(hunt, split->request->path, ".dwp");
}

static void hunt_object(struct file_hunt *hunt, struct split_files *split, struct slice folder, struct slice name)
{
    const struct symbol_search *search = hunt->search;
    const struct elf_file *module = split->files->file;
    struct slice beside = path_folder(module ? slice_of(elf_file_path(module)) : split->request->path);
    struct slice file_name = path_name(name);
    if (name.text[0] == '/') {
        if (file_hunt_try_recorded(hunt, name, ""))
            return;
    } else if (folder.length > 0 && folder.text[0] == '/') {
        char path[4096];
        int length = snprintf(path, sizeof path, "%.*s/%.*s", PATH_ARGUMENT(folder), PATH_ARGUMENT(name));
        if ((size_t)length < sizeof path && file_hunt_try_recorded(hunt, slice_of(path), ""))
            return;
        if (file_hunt_try(hunt, NULL, "%.*s/%.*s", PATH_ARGUMENT(beside), PATH_ARGUMENT(name)))
            return;
    }
    if (file_hunt_try(hunt, NULL, "%.*s/%.*s", PATH_ARGUMENT(beside), PATH_ARGUMENT(file_name)))
        return;
    for (size_t i = 0; i < search->folder_count; i++)
        if ((name.text[0] != '/' && file_hunt_try(hunt, NULL, "%s/%.*s", search->folders[i], PATH_ARGUMENT(name))) ||
            file_hunt_try(hunt, NULL, "%s/%.*s", search->folders[i], PATH_ARGUMENT(file_name)))
            return;
}

bool split_files_open(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out)
{
    struct split_files *split = data;
    struct error error = {0};
    (void)dwo_id; /* whoever reads the units sees whether it is theirs */
    if (!split->package_tried) {
        struct file_hunt hunt = {.search = split->search, .kind = "", .has = ".debug_cu_index\0"};
        hunt_package(&hunt, split);
        split->package = hunt.found;
        split->package_tried = true;
        split->out_of_memory |= hunt.result < 0;
    }
    struct elf_file *file = split->package;
    if (!file && dwo_name.length > 0 && !memchr(dwo_name.text, '\0', dwo_name.length)) {
        struct file_hunt hunt = {.search = split->search, .kind = "", .has = ".debug_info.dwo\0"};
        hunt_object(&hunt, split, comp_dir, dwo_name);
        file = hunt.found;
        split->out_of_memory |= hunt.result < 0;
        if (file && !vec_push(&split->objects, file)) {
            elf_file_close(file);
            file = NULL;
            split->out_of_memory = true;
        }
    }
    split->missing += !file;
    if (!file || split->out_of_memory)
        return false;
    split->out_of_memory = dwarf_sections_of(file, ".dwo", out, &error) < 0;
    return !split->out_of_memory;
}

const struct elf_file *split_files_changed(const struct split_files *split)
{
    if (split->package && elf_file_has_changed(split->package))
        return split->package;
    for (size_t i = 0; i < split->objects.count; i++)
        if (elf_file_has_changed(split->objects.items[i]))
            return split->objects.items[i];
    return NULL;
}

void split_files_close(struct split_files *split)
{
    elf_file_close(split->package);
    for (size_t i = 0; i < split->objects.count; i++)
        elf_file_close(split->objects.items[i]);
    vec_free(&split->objects);
}
