#include "debug_program.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct debug_object {
    struct debug_object *next;
    Elf *elf;
    int fd;
};

static struct slice *section_named(struct dwarf_sections *sections, const char *name)
{
    struct {
        const char *name;
        struct slice *section;
    } known[] = {
        {"info", &sections->info},       {"abbrev", &sections->abbrev},     {"line", &sections->line},
        {"str", &sections->str},         {"line_str", &sections->line_str}, {"str_offsets", &sections->str_offsets},
        {"addr", &sections->addr},       {"ranges", &sections->ranges},     {"rnglists", &sections->rnglists},
        {"aranges", &sections->aranges}, {"cu_index", &sections->cu_index},
    };
    size_t length = strcspn(name, "."); /* .debug_info.dwo is .debug_info */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0)
            return known[i].section;
    return NULL;
}

static void take_section(struct debug_program *program, Elf_Scn *section, const GElf_Shdr *header, const char *name,
                         struct dwarf_sections *sections)
{
    Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
    if (!data)
        return;
    struct slice bytes = {data->d_buf, data->d_size};
    if (strcmp(name, ".text") == 0) {
        program->text = header->sh_addr;
        program->text_size = header->sh_size;
        program->code = bytes;
    }
    struct slice *wanted = strncmp(name, ".debug_", 7) == 0 ? section_named(sections, name + 7) : NULL;
    if (wanted)
        *wanted = bytes;
}

static bool open_object(struct debug_program *program, const char *path, struct dwarf_sections *sections)
{
    struct debug_object *object = calloc(1, sizeof *object);
    size_t names;
    object->next = program->objects;
    program->objects = object;
    elf_version(EV_CURRENT);
    object->fd = open(path, O_RDONLY | O_CLOEXEC);
    object->elf = object->fd >= 0 ? elf_begin(object->fd, ELF_C_READ_MMAP, NULL) : NULL;
    if (!object->elf || elf_getshdrstrndx(object->elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(object->elf, names, header.sh_name) : NULL;
        if (name)
            take_section(program, section, &header, name, sections);
    }
    return true;
}

static bool split(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out)
{
    struct debug_program *program = data;
    struct slice code = program->code;
    char path[PATH_MAX];
    (void)dwo_id;
    program->split_calls++;
    snprintf(path, sizeof path, "%.4000s.dwp", program->path);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%.*s/%.*s", (int)comp_dir.length, comp_dir.text, (int)dwo_name.length, dwo_name.text);
    bool found = open_object(program, path, out);
    program->code = code;
    return found;
}

bool debug_program_open(struct debug_program *program, const char *name)
{
    char alternate[PATH_MAX];
    *program = (struct debug_program){0};
    snprintf(program->path, sizeof program->path, "%s/%s/program", PROGRAMS, name);
    snprintf(alternate, sizeof alternate, "%s/%s/alternate", PROGRAMS, name);
    program->files.split = split;
    program->files.data = program;
    if (access(alternate, R_OK) == 0 && open_object(program, alternate, &program->alternate))
        program->files.alternate = &program->alternate;
    if (open_object(program, program->path, &program->sections))
        return true;
    debug_program_close(program);
    return false;
}

void debug_program_close(struct debug_program *program)
{
    while (program->objects) {
        struct debug_object *object = program->objects;
        program->objects = object->next;
        elf_end(object->elf);
        if (object->fd >= 0)
            close(object->fd);
        free(object);
    }
}

bool command_exists(const char *name)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    return system(command) == 0;
}
