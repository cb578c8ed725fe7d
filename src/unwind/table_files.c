#include "unwind/table_files.h"

#include "unwind/memory.h"
#include "unwind/module_load.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The segment that both tables are in, unless the linker was told something unusual. What may be written to in memory may be
 * something else there than in the file. */
static const struct module_segment *segment_of_tables(const struct seen_module *seen)
{
    for (size_t i = 0; i < seen->segment_count; i++) {
        const struct module_segment *segment = &seen->segments[i];
        if (seen->header >= segment->start && seen->header < segment->end)
            return segment->writable ? NULL : segment;
    }
    return NULL;
}

/* The ELF header, the program headers, mostly the build id. It is another file where the program was started through the
 * dynamic linker, or where it has been replaced. */
static bool starts_as_module(int fd, const struct seen_module *seen)
{
    enum { START_BYTES = 1024 };
    uint8_t in_file[START_BYTES], in_memory[START_BYTES];
    const struct module_segment *first = &seen->segments[0];
    uint64_t bytes = first->end - first->start;
    size_t length = bytes < START_BYTES ? (size_t)bytes : START_BYTES;
    return first->offset == 0 && length >= sizeof(ElfW(Ehdr)) && pread(fd, in_file, length, 0) == (ssize_t)length &&
           unwind_memory_copy(in_memory, first->start, length) == length && memcmp(in_file, in_memory, length) == 0;
}

static bool map_segment(int fd, const struct module_segment *segment, struct table_file *out)
{
    uint64_t before = segment->offset % getauxval(AT_PAGESZ), length = segment->end - segment->start;
    struct stat status;
    /* A page behind the end of the file cannot be read. */
    if (fstat(fd, &status) != 0 || segment->offset > (uint64_t)status.st_size ||
        length > (uint64_t)status.st_size - segment->offset)
        return false;
    size_t bytes = (size_t)(before + length);
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, (off_t)(segment->offset - before));
    if (mapped == MAP_FAILED)
        return false;
    *out = (struct table_file){mapped, bytes, segment->start - before};
    return true;
}

bool table_files_add(struct table_files *files, const struct dl_phdr_info *module, const char *path)
{
    _Alignas(struct seen_module) char room[SEEN_MODULE_MOST];
    struct seen_module *seen = (void *)room;
    if (files->count == TABLE_FILES_MAX || !seen_module_read(seen, module->dlpi_addr, module->dlpi_phdr, module->dlpi_phnum))
        return false;
    const struct module_segment *segment = segment_of_tables(seen);
    int saved = errno, fd = segment ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool added = fd >= 0 && starts_as_module(fd, seen) && map_segment(fd, segment, &files->files[files->count]);
    if (fd >= 0)
        close(fd);
    errno = saved;
    files->count += added;
    return added;
}

struct adding {
    struct table_files *files;
    size_t least;
};

static int add_if_large(struct dl_phdr_info *module, size_t size, void *data)
{
    (void)size;
    const struct adding *adding = data;
    if (module_stays(module))
        return 0;
    for (size_t i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME && module->dlpi_phdr[i].p_memsz >= adding->least)
            table_files_add(adding->files, module, module->dlpi_name[0] ? module->dlpi_name : "/proc/self/exe");
    return 0;
}

void table_files_map(struct table_files *files, size_t least)
{
    struct adding adding = {files, least};
    dl_iterate_phdr(add_if_large, &adding);
}

bool table_files_take(struct table_files *files, uint64_t address, struct table_file *out)
{
    for (size_t i = 0; i < files->count; i++) {
        struct table_file *file = &files->files[i];
        if (address < file->address || address - file->address >= file->length)
            continue;
        *out = *file;
        *file = files->files[--files->count];
        return true;
    }
    return false;
}

void table_file_unmap(struct table_file *file)
{
    if (file->length > 0)
        munmap((void *)(uintptr_t)file->bytes, file->length);
    *file = (struct table_file){0};
}

void table_files_unmap(struct table_files *files)
{
    while (files->count > 0)
        table_file_unmap(&files->files[--files->count]);
}
