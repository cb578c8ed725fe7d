#include "symbols/elf_names.h"

#include "common/text_buffer.h"
#include "common/vec.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <libiberty/demangle.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbol {
    uint64_t start, size;
    uint32_t name;   /* in the file's texts */
    uint8_t binding; /* of several at one place, the more visible one gives the name */
};

/* A file that was asked for, also where it turned out to be of no use: then it has no symbols. */
struct symbol_file {
    char *path;
    VEC(struct symbol) symbols; /* sorted by start, one each */
    struct text_buffer texts;   /* NUL-terminated */
};

struct elf_names {
    VEC(struct symbol_file *) files;
    struct text_buffer answer;
};

/* ---- reading a file ---- */

static bool build_id_is(Elf *elf, struct slice wanted)
{
    size_t section_names, segments;
    if (wanted.length == 0)
        return true; /* the recorder did not see one: there is nothing to compare */
    if (elf_getphdrnum(elf, &segments) != 0 || elf_getshdrstrndx(elf, &section_names) != 0)
        return false;
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
                                              segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        GElf_Nhdr note;
        size_t name, content;
        for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0;) {
            const char *bytes = data->d_buf;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
                memcmp(bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
                return slice_equal(wanted, (struct slice){bytes + content, note.n_descsz});
        }
    }
    return false;
}

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == type && header->sh_entsize > 0)
            return section;
    return NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_name != 0;
}

static bool add_symbol(struct symbol_file *file, const GElf_Sym *found, const char *name)
{
    if (file->texts.bytes.count > UINT32_MAX)
        return true;
    struct symbol symbol = {
        .start = found->st_value,
        .size = found->st_size,
        .name = (uint32_t)file->texts.bytes.count,
        .binding = GELF_ST_BIND(found->st_info),
    };
    text_add(&file->texts, (struct slice){name, strlen(name) + 1});
    return !file->texts.failed && vec_push(&file->symbols, symbol);
}

static int visibility(const struct symbol *symbol)
{
    return symbol->binding == STB_GLOBAL ? 2 : symbol->binding == STB_WEAK;
}

/* By start; of one start the one that gives the name comes first. */
static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if ((x->size > 0) != (y->size > 0))
        return x->size > 0 ? -1 : 1;
    if (visibility(x) != visibility(y))
        return visibility(x) > visibility(y) ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void sort_symbols(struct symbol_file *file)
{
    size_t kept = 0;
    if (file->symbols.count > 0)
        qsort(file->symbols.items, file->symbols.count, sizeof *file->symbols.items, compare_symbols);
    for (size_t i = 0; i < file->symbols.count; i++)
        if (kept == 0 || file->symbols.items[kept - 1].start != file->symbols.items[i].start)
            file->symbols.items[kept++] = file->symbols.items[i];
    file->symbols.count = kept;
}

static void read_table(Elf *elf, struct symbol_file *file)
{
    GElf_Shdr header;
    Elf_Scn *section = find_table(elf, SHT_SYMTAB, &header);
    if (!section)
        section = find_table(elf, SHT_DYNSYM, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t count = data ? header.sh_size / header.sh_entsize : 0;
    for (size_t i = 0; i < count && i <= INT_MAX; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol))
            continue;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name && *name && !add_symbol(file, &symbol, name))
            break;
    }
    sort_symbols(file);
}

static void read_file(struct symbol_file *file, struct slice build_id)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF && build_id_is(elf, build_id))
        read_table(elf, file);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

static void free_file(struct symbol_file *file)
{
    if (!file)
        return;
    memory_release(file->path);
    vec_free(&file->symbols);
    text_free(&file->texts);
    memory_release(file);
}

/* NULL when the heap is empty. */
static struct symbol_file *find_file(struct elf_names *names, struct slice path, struct slice build_id)
{
    for (size_t i = 0; i < names->files.count; i++)
        if (slice_equal(slice_of(names->files.items[i]->path), path))
            return names->files.items[i];
    struct symbol_file *file = memory_zeroed(1, sizeof *file);
    char *copy = memory_array(path.length + 1, 1);
    if (!file || !copy || !vec_push(&names->files, file)) {
        memory_release(copy);
        memory_release(file);
        return NULL;
    }
    memcpy(copy, path.text, path.length);
    copy[path.length] = '\0';
    file->path = copy;
    /* Only what the system has under a path of its own: not [vdso], nor a file relative to whoever was recorded. */
    if (*copy == '/' && strlen(copy) == path.length)
        read_file(file, build_id);
    return file;
}

/* ---- answering ---- */

static const struct symbol *find_symbol(const struct symbol_file *file, uint64_t address)
{
    size_t low = 0, high = file->symbols.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->symbols.items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    /* Hand-written code often has no size: it reaches to the next symbol. */
    const struct symbol *symbol = &file->symbols.items[low - 1];
    return symbol->size == 0 || address - symbol->start < symbol->size ? symbol : NULL;
}

static struct slice readable_name(struct elf_names *names, const char *name)
{
    char *readable = strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0
                         ? cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO)
                         : NULL;
    text_cut(&names->answer, 0);
    text_add(&names->answer, slice_of(readable ? readable : name));
    free(readable);
    return names->answer.failed ? slice_of(name) : text_slice(&names->answer);
}

static bool find(void *data, struct slice path, struct slice build_id, uint64_t address, struct address_name *found)
{
    struct elf_names *names = data;
    const struct symbol_file *file = find_file(names, path, build_id);
    const struct symbol *symbol = file ? find_symbol(file, address) : NULL;
    if (!symbol)
        return false;
    found->name = readable_name(names, file->texts.bytes.items + symbol->name);
    found->start = symbol->start;
    found->size = symbol->size;
    return true;
}

struct elf_names *elf_names_open(void)
{
    elf_version(EV_CURRENT);
    return memory_zeroed(1, sizeof(struct elf_names));
}

void elf_names_close(struct elf_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->files.count; i++)
        free_file(names->files.items[i]);
    vec_free(&names->files);
    text_free(&names->answer);
    memory_release(names);
}

struct address_names elf_names_interface(struct elf_names *names)
{
    return (struct address_names){find, names};
}
