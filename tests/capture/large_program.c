/* A program with large unwind tables. It says how often they are mapped from its file: one time is its own.
 *
 *     large_program              as usual
 *     large_program --loader     it starts itself once more, as an argument of the dynamic linker */
#include "../support/large_tables.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned long index_offset;
static const char *loader;

static int look_at_program(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            index_offset = info->dlpi_phdr[i].p_offset;
        if (info->dlpi_phdr[i].p_type == PT_INTERP)
            loader = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    return 1;
}

static unsigned times_mapped(const char *file)
{
    char line[2 * PATH_MAX], path[PATH_MAX];
    unsigned times = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end, offset;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start, &end, &offset, path) == 4 && strcmp(path, file) == 0)
            times += index_offset >= offset && index_offset - offset < end - start;
    }
    if (maps)
        fclose(maps);
    return times;
}

int main(int count, char **words)
{
    alarm(60);
    dl_iterate_phdr(look_at_program, NULL);
    if (count > 1 && strcmp(words[1], "--loader") == 0) {
        execl(loader, loader, words[0], (char *)NULL);
        return 1;
    }
    printf("mapped %u times\n", times_mapped(words[0]));
    return 0;
}
