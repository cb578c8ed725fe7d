#include "symbols/vdso.h"

#include "profile/module_ids.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>

/* How much of the memory is the file. The kernel wrote it: it can be trusted. */
static struct slice vdso_image(void)
{
    const char *bytes = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    if (!bytes)
        return (struct slice){0};
    ElfW(Ehdr) header;
    memcpy(&header, bytes, sizeof header);
    size_t size = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
    for (size_t i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        memcpy(&segment, bytes + header.e_phoff + i * header.e_phentsize, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > size)
            size = segment.p_offset + segment.p_filesz;
    }
    return (struct slice){bytes, size};
}

bool vdso_is_name(struct slice name)
{
    return slice_is(name, "[vdso]") || slice_is(name, "linux-vdso.so.1");
}

int vdso_open(struct slice build_id, struct elf_file **out, struct symbol_outcome *outcome)
{
    struct elf_file *file;
    struct error why = {0};
    int result = elf_file_memory(vdso_image(), &file, &why);
    if (result < 0)
        return result == -ENOMEM ? result : 0;
    if (build_id.length == 0 || module_build_id_matches(build_id, elf_file_build_id(file))) {
        *out = file;
        return 0;
    }
    elf_file_close(file);
    outcome->status = SYMBOLS_OTHER_BUILD;
    snprintf(outcome->detail, sizeof outcome->detail, "[vdso]: it is that of another kernel");
    return 0;
}
