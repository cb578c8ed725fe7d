/* A program with large unwind tables, and a library. It says how often they are mapped from their files: one time is its own.
 *
 *     large_program              as usual
 *     large_program --loader     it starts itself once more, as an argument of the dynamic linker */
#include "../support/large_library.h"
#include "../support/large_tables.h"

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *loader;

struct file {
    char path[PATH_MAX];
    unsigned long index_offset;
};
static struct file program, library;

static bool has(const struct dl_phdr_info *info, const void *address)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD &&
            (uintptr_t)address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
            return true;
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    struct file *file = has(info, &program) ? &program : has(info, large_library()) ? &library : NULL;
    for (size_t i = 0; file && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            file->index_offset = info->dlpi_phdr[i].p_offset;
        if (info->dlpi_phdr[i].p_type == PT_INTERP)
            loader = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    if (file == &library && !realpath(info->dlpi_name, library.path))
        abort();
    return 0;
}

static unsigned times_mapped(const struct file *file)
{
    char line[2 * PATH_MAX], path[PATH_MAX];
    unsigned times = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end, offset;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start, &end, &offset, path) == 4 && strcmp(path, file->path) == 0)
            times += file->index_offset >= offset && file->index_offset - offset < end - start;
    }
    if (maps)
        fclose(maps);
    return times;
}

int main(int count, char **words)
{
    alarm(60);
    dl_iterate_phdr(look, NULL);
    if (!realpath(words[0], program.path))
        abort();
    if (count > 1 && strcmp(words[1], "--loader") == 0) {
        execl(loader, loader, words[0], (char *)NULL);
        return 1;
    }
    printf("the program %u times, the library %u times\n", times_mapped(&program), times_mapped(&library));
    return 0;
}
