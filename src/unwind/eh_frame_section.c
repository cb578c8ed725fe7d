#include "unwind/eh_frame_section.h"

#include "unwind/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool read_at(int file, void *out, size_t length, uint64_t offset)
{
    return offset <= INT64_MAX && pread(file, out, length, (off_t)offset) == (ssize_t)length;
}

/* The header in memory starts the first segment; a file that was replaced has its sections elsewhere. */
static bool is_mapped(const Elf64_Ehdr *header, uint64_t start)
{
    Elf64_Ehdr mapped;
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_shentsize == sizeof(Elf64_Shdr) && unwind_memory_copy(&mapped, start, sizeof mapped) == sizeof mapped &&
           memcmp(header, &mapped, sizeof mapped) == 0;
}

static bool find_in(int file, uint64_t start, Elf64_Shdr *found)
{
    static const char name[] = ".eh_frame";
    Elf64_Ehdr header;
    Elf64_Shdr names;
    if (!read_at(file, &header, sizeof header, 0) || !is_mapped(&header, start) || header.e_shstrndx >= header.e_shnum ||
        !read_at(file, &names, sizeof names, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof names))
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        char text[sizeof name];
        if (!read_at(file, found, sizeof *found, header.e_shoff + (uint64_t)i * sizeof *found))
            return false;
        if (found->sh_flags & SHF_ALLOC && found->sh_type != SHT_NOBITS &&
            read_at(file, text, sizeof text, names.sh_offset + found->sh_name) && memcmp(text, name, sizeof name) == 0)
            return true;
    }
    return false;
}

bool eh_frame_section_find(const char *path, uint64_t start, uint64_t bias, uint64_t *address, uint64_t *length)
{
    int saved = errno;
    Elf64_Shdr section;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool found = file >= 0 && find_in(file, start, &section);
    if (file >= 0)
        close(file);
    *address = found ? bias + section.sh_addr : 0;
    *length = found ? section.sh_size : 0;
    errno = saved;
    return found;
}
