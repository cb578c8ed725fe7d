#include "runtime/module_names.h"

#include <elf.h>
#include <string.h>

enum { WORD = sizeof(uint64_t), WORD_BITS = 64 };

static bool read_bytes(struct unwind_memory *memory, uint64_t address, void *out, size_t length)
{
    char *to = out;
    for (size_t done = 0; done < length; done += WORD) {
        uint64_t word;
        if (!unwind_memory_read(memory, address + done, &word))
            return false;
        memcpy(to + done, &word, length - done < WORD ? length - done : WORD);
    }
    return true;
}

static bool is_inside(const struct module_names *names, uint64_t address)
{
    return address >= names->start && address < names->end;
}

/* A page of the kernel's own (vdso) says where its tables are in the file; the dynamic linker has made addresses of the
 * others'. */
static uint64_t table_address(const struct module_names *names, uint64_t value)
{
    return is_inside(names, value) ? value : value + names->bias;
}

static bool find_tables(struct module_names *names, uint64_t dynamic, uint64_t length)
{
    Elf64_Dyn entry;
    for (uint64_t at = 0; at + sizeof entry <= length; at += sizeof entry) {
        if (!read_bytes(names->memory, dynamic + at, &entry, sizeof entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_GNU_HASH)
            names->hash = table_address(names, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_SYMTAB)
            names->symbols = table_address(names, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_STRTAB)
            names->strings = table_address(names, entry.d_un.d_ptr);
    }
    return is_inside(names, names->hash) && is_inside(names, names->symbols) && is_inside(names, names->strings);
}

static bool find_dynamic(struct module_names *names)
{
    Elf64_Ehdr header;
    Elf64_Phdr each;
    uint64_t dynamic = 0, length = 0;
    bool has_first = false;
    if (!read_bytes(names->memory, names->start, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof each)
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (!read_bytes(names->memory, names->start + header.e_phoff + i * sizeof each, &each, sizeof each))
            return false;
        if (each.p_type == PT_LOAD && !has_first) {
            names->bias = names->start - each.p_vaddr;
            has_first = true;
        }
        if (each.p_type == PT_DYNAMIC) {
            dynamic = each.p_vaddr;
            length = each.p_memsz;
        }
    }
    return has_first && dynamic != 0 && find_tables(names, dynamic + names->bias, length);
}

bool module_names_open(struct module_names *names, uint64_t start, uint64_t end, struct unwind_memory *memory)
{
    struct {
        uint32_t buckets, first, words, shift;
    } head;
    *names = (struct module_names){.memory = memory, .start = start, .end = end};
    if (!find_dynamic(names) || !read_bytes(memory, names->hash, &head, sizeof head) || head.buckets == 0 || head.words == 0 ||
        head.shift >= 32)
        return false;
    names->bucket_count = head.buckets;
    names->first_hashed = head.first;
    names->filter_words = head.words;
    names->filter_shift = head.shift;
    names->filter = names->hash + sizeof head;
    names->buckets = names->filter + (uint64_t)head.words * WORD;
    names->chain = names->buckets + (uint64_t)head.buckets * sizeof(uint32_t);
    return true;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

/* Most modules have none of the names, and the filter says so. */
static bool may_have(const struct module_names *names, uint32_t hash)
{
    uint64_t word, at = names->filter + hash / WORD_BITS % names->filter_words * WORD;
    return unwind_memory_read(names->memory, at, &word) && word >> hash % WORD_BITS & 1 &&
           word >> (hash >> names->filter_shift) % WORD_BITS & 1;
}

static bool is_called(const struct module_names *names, uint64_t at, const char *name)
{
    uint64_t length = strlen(name) + 1, word;
    for (uint64_t done = 0; done < length; done += WORD) {
        if (!unwind_memory_read(names->memory, at + done, &word) ||
            memcmp(&word, name + done, length - done < WORD ? length - done : WORD) != 0)
            return false;
    }
    return true;
}

uint64_t module_names_find(const struct module_names *names, const char *name, uint64_t *size)
{
    enum { CHAIN_MOST = 1 << 16 };
    uint32_t hash = hash_of(name), number = 0, each;
    if (!may_have(names, hash) ||
        !read_bytes(names->memory, names->buckets + hash % names->bucket_count * sizeof number, &number, sizeof number) ||
        number < names->first_hashed)
        return 0;
    for (uint32_t i = 0; i < CHAIN_MOST; i++, number++) {
        Elf64_Sym symbol;
        if (!read_bytes(names->memory, names->chain + (uint64_t)(number - names->first_hashed) * sizeof each, &each,
                        sizeof each))
            return 0;
        if ((each | 1) == (hash | 1) &&
            read_bytes(names->memory, names->symbols + (uint64_t)number * sizeof symbol, &symbol, sizeof symbol) &&
            symbol.st_shndx != SHN_UNDEF && is_inside(names, symbol.st_value + names->bias) &&
            is_called(names, names->strings + symbol.st_name, name)) {
            if (size)
                *size = symbol.st_size;
            return symbol.st_value + names->bias;
        }
        if (each & 1)
            return 0;
    }
    return 0;
}
