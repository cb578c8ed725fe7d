#include "debug_program.h"

#include "symbols/split_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool open_file(struct debug_program *program, const char *path, const char *suffix, struct dwarf_sections *sections,
                      struct elf_file **file)
{
    struct error error = {0};
    if (program->file_count == DEBUG_PROGRAM_FILES || elf_file_open(NULL, path, file, &error) != 0)
        return false;
    program->opened[program->file_count++] = *file;
    return dwarf_sections_of(*file, suffix, sections, &error) == 0;
}

static bool split(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out)
{
    struct debug_program *program = data;
    struct elf_file *file;
    char path[sizeof program->path + 8];
    (void)dwo_id;
    program->split_calls++;
    snprintf(path, sizeof path, "%s.dwp", program->path);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%.*s/%.*s", (int)comp_dir.length, comp_dir.text, (int)dwo_name.length, dwo_name.text);
    return open_file(program, path, ".dwo", out, &file);
}

bool debug_program_open(struct debug_program *program, const char *name)
{
    struct elf_file *file;
    *program = (struct debug_program){.files.split = split};
    program->files.data = program;
    snprintf(program->path, sizeof program->path, "%s/%s/alternate", PROGRAMS, name);
    if (open_file(program, program->path, "", &program->alternate, &file))
        program->files.alternate = &program->alternate;
    snprintf(program->path, sizeof program->path, "%s/%s/program", PROGRAMS, name);
    const struct elf_section *text = NULL;
    if (open_file(program, program->path, "", &program->sections, &file))
        text = elf_file_section_named(file, ".text");
    if (!text) {
        debug_program_close(program);
        return false;
    }
    program->text = text->address;
    program->code = elf_file_raw(file, text);
    return true;
}

void debug_program_close(struct debug_program *program)
{
    while (program->file_count > 0)
        elf_file_close(program->opened[--program->file_count]);
}

bool command_exists(const char *name)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    return system(command) == 0;
}
