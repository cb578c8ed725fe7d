#include "symbols/elf_symbols.h"

#include "common/memory.h"
#include "common/vec.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

/* A symbol that covers an address that was asked for. Of two with one start, the one that gives the name is `better`. */
struct candidate {
    uint64_t start, end; /* the end is the section's where the symbol has no size */
    struct slice names;
    uint32_t name;   /* in `names` */
    uint32_t number; /* of those seen */
    uint8_t binding, type;
};

/* Between two addresses that were asked for (or before the first): the first and the last start of a symbol that was seen
 * there. Where none was, the first is behind the last. */
struct gap {
    uint64_t first, last;
};

struct finder {
    const uint64_t *addresses;
    size_t count;
    struct gap *gaps;               /* gap i ends with address i; one more behind the last */
    struct candidate *without_size; /* of each gap the last symbol that has none; names.text is NULL where there is none */
    /* bucket[(address - first) >> shift]: the number of addresses in lower buckets */
    uint32_t *buckets;
    size_t bucket_count;
    unsigned shift;
    VEC(struct candidate) sized;
    uint32_t seen;
};

/* ---- which of several names ---- */

static struct slice name_of(const struct candidate *symbol)
{
    struct slice rest = slice_from(symbol->names, symbol->name);
    const char *end = memchr(rest.text, '\0', rest.length);
    return end ? slice_until(rest, (size_t)(end - rest.text)) : SLICE("");
}

static size_t leading_underscores(const struct candidate *symbol)
{
    struct slice name = name_of(symbol);
    size_t count = 0;
    while (count < name.length && name.text[count] == '_')
        count++;
    return count;
}

static bool is_local(const struct candidate *symbol)
{
    return symbol->binding == STB_LOCAL;
}

/* > 0: x gives the name; both have the same start and size. */
static int compare_names(const struct candidate *x, const struct candidate *y)
{
    bool x_label = x->type == STT_NOTYPE, y_label = y->type == STT_NOTYPE;
    if (x_label != y_label)
        return x_label ? -1 : 1;
    if (is_local(x) != is_local(y))
        return is_local(x) ? -1 : 1;
    size_t x_underscores = leading_underscores(x), y_underscores = leading_underscores(y);
    if (x_underscores != y_underscores)
        return x_underscores < y_underscores ? 1 : -1;
    bool x_weak = x->binding == STB_WEAK, y_weak = y->binding == STB_WEAK;
    if (x_weak != y_weak)
        return x_weak ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* By start, the better ones later. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return compare_names(x, y);
}

/* ---- where an address is among those asked for ---- */

static bool make_buckets(struct finder *finder)
{
    uint64_t span = finder->addresses[finder->count - 1] - finder->addresses[0];
    while (span >> finder->shift >= finder->count * 4)
        finder->shift++;
    finder->bucket_count = (size_t)(span >> finder->shift) + 1;
    finder->buckets = memory_zeroed(finder->bucket_count + 1, sizeof *finder->buckets);
    if (!finder->buckets)
        return false;
    for (size_t i = 0; i < finder->count; i++)
        finder->buckets[((finder->addresses[i] - finder->addresses[0]) >> finder->shift) + 1]++;
    for (size_t i = 0; i < finder->bucket_count; i++)
        finder->buckets[i + 1] += finder->buckets[i];
    return true;
}

/* The first address that is not below `start`, or `count`. */
static size_t first_from(const struct finder *finder, uint64_t start)
{
    if (start <= finder->addresses[0])
        return 0;
    uint64_t bucket = (start - finder->addresses[0]) >> finder->shift;
    if (bucket >= finder->bucket_count)
        return finder->count;
    size_t low = finder->buckets[bucket], high = finder->buckets[bucket + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (finder->addresses[middle] < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the pass over a table ---- */

static bool see_symbol(struct finder *finder, struct candidate *symbol, uint64_t size)
{
    size_t first = first_from(finder, symbol->start);
    struct gap *gap = &finder->gaps[first];
    gap->first = gap->first < symbol->start ? gap->first : symbol->start;
    gap->last = gap->last > symbol->start ? gap->last : symbol->start;
    if (first == finder->count)
        return true;
    symbol->number = finder->seen++;
    if (size > 0) {
        if (__builtin_add_overflow(symbol->start, size, &symbol->end))
            symbol->end = UINT64_MAX;
        return finder->addresses[first] >= symbol->end || vec_push(&finder->sized, *symbol);
    }
    struct candidate *kept = &finder->without_size[first];
    if (!kept->names.text || kept->start < symbol->start || (kept->start == symbol->start && compare_names(symbol, kept) > 0))
        *kept = *symbol;
    return true;
}

static Elf64_Sym symbol_at(const struct elf_file *file, const char *at)
{
    Elf64_Sym symbol;
    if (elf_file_is_64(file)) {
        memcpy(&symbol, at, sizeof symbol);
        return symbol;
    }
    Elf32_Sym narrow;
    memcpy(&narrow, at, sizeof narrow);
    return (Elf64_Sym){
        .st_name = narrow.st_name,
        .st_info = narrow.st_info,
        .st_other = narrow.st_other,
        .st_shndx = narrow.st_shndx,
        .st_value = narrow.st_value,
        .st_size = narrow.st_size,
    };
}

/* Functions, and what assemblers leave without a type; not the marks `$x` and `$d` between code and data. */
static bool is_wanted(const Elf64_Sym *symbol, struct slice names)
{
    int type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_name == 0 || symbol->st_name >= names.length || symbol->st_shndx == SHN_UNDEF)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    char first = names.text[symbol->st_name];
    return type == STT_NOTYPE && first != '$' && first != '.' && first != '\0';
}

/* The executable section that a symbol is in, or NULL. */
static const struct elf_section *code_of(const struct elf_file *file, const Elf64_Sym *symbol)
{
    if (symbol->st_shndx >= SHN_LORESERVE)
        return NULL;
    const struct elf_section *section = elf_file_section_at(file, symbol->st_shndx);
    return section && section->flags & SHF_EXECINSTR ? section : NULL;
}

/* False when the heap is empty. */
static bool read_table(struct finder *finder, const struct elf_file *file, const struct elf_section *table)
{
    struct slice symbols = elf_file_raw(file, table);
    struct slice names = elf_file_raw(file, elf_file_section_at(file, table->link));
    size_t step = elf_file_is_64(file) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    for (size_t i = 1; i < symbols.length / step; i++) {
        Elf64_Sym symbol = symbol_at(file, symbols.text + i * step);
        if (!is_wanted(&symbol, names))
            continue;
        const struct elf_section *code = code_of(file, &symbol);
        uint64_t code_end;
        if (!code || __builtin_add_overflow(code->address, code->size, &code_end))
            continue;
        struct candidate candidate = {
            .start = symbol.st_value,
            .end = code_end,
            .names = names,
            .name = symbol.st_name,
            .binding = ELF64_ST_BIND(symbol.st_info),
            .type = ELF64_ST_TYPE(symbol.st_info),
        };
        if (!see_symbol(finder, &candidate, symbol.st_size))
            return false;
    }
    return true;
}

/* All tables that say something that the others do not. */
static int read_tables(struct finder *finder, struct elf_file *file, struct elf_file *debug, enum elf_symbol_tables *tables,
                       struct error *error)
{
    const struct elf_section *whole = file ? elf_file_section_of_type(file, SHT_SYMTAB) : NULL;
    const struct elf_section *debug_whole = debug ? elf_file_section_of_type(debug, SHT_SYMTAB) : NULL;
    const struct elf_section *exports = file && !whole ? elf_file_section_of_type(file, SHT_DYNSYM) : NULL;
    struct elf_file *mini = NULL;
    if (debug_whole && elf_file_raw(debug, debug_whole).length > 0)
        whole = exports = NULL;
    else if (exports && elf_file_mini_debug(file, &mini, error) < 0)
        return -ENOMEM;
    const struct elf_section *mini_whole = mini ? elf_file_section_of_type(mini, SHT_SYMTAB) : NULL;
    *tables = whole || debug_whole || mini_whole ? ELF_ALL_SYMBOLS : exports ? ELF_EXPORTS : ELF_NO_SYMBOLS;
    bool fits = (!exports || read_table(finder, file, exports)) && (!mini_whole || read_table(finder, mini, mini_whole)) &&
                (!whole || read_table(finder, file, whole)) && (!debug_whole || read_table(finder, debug, debug_whole));
    return fits ? 0 : error_out_of_memory(error);
}

/* ---- answering ---- */

/* Of a batch in ascending order: symbols that have begun stand on a stack, the innermost on top. */
static void answer_sized(struct finder *finder, struct elf_symbol *found)
{
    struct candidate *sized = finder->sized.items;
    size_t depth = 0, next = 0; /* the stack grows over candidates that were looked at already */
    for (size_t i = 0; i < finder->count; i++) {
        for (; next < finder->sized.count && sized[next].start <= finder->addresses[i]; next++)
            sized[depth++] = sized[next];
        while (depth > 0 && sized[depth - 1].end <= finder->addresses[i])
            depth--;
        if (depth == 0)
            continue;
        const struct candidate *symbol = &sized[depth - 1];
        found[i] = (struct elf_symbol){symbol->start, symbol->end - symbol->start, name_of(symbol)};
    }
}

/* A symbol without a size reaches to the next one, whatever that is. */
static void answer_without_size(struct finder *finder, struct elf_symbol *found)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = finder->count + 1; i-- > 0;) {
        struct gap *gap = &finder->gaps[i];
        gap->first = next = gap->first <= gap->last ? gap->first : next; /* which leaves empty gaps empty */
    }
    const struct candidate *nearest = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct gap *gap = &finder->gaps[i];
        const struct candidate *last = &finder->without_size[i];
        if (gap->first <= gap->last)
            nearest = last->names.text && last->start == gap->last ? last : NULL;
        if (!nearest || found[i].name.length > 0 || finder->addresses[i] >= nearest->end)
            continue;
        next = finder->gaps[i + 1].first;
        uint64_t end = next < nearest->end ? next : nearest->end;
        found[i] = (struct elf_symbol){nearest->start, end - nearest->start, name_of(nearest)};
    }
}

static bool begin(struct finder *finder)
{
    finder->gaps = memory_array(finder->count + 1, sizeof *finder->gaps);
    finder->without_size = memory_zeroed(finder->count + 1, sizeof *finder->without_size);
    if (finder->count >= UINT32_MAX || !finder->gaps || !finder->without_size || !make_buckets(finder))
        return false;
    for (size_t i = 0; i <= finder->count; i++)
        finder->gaps[i] = (struct gap){UINT64_MAX, 0};
    return true;
}

int elf_symbols_find(struct elf_file *file, struct elf_file *debug, const uint64_t *addresses, size_t count,
                     struct elf_symbol *found, enum elf_symbol_tables *tables, struct error *error)
{
    struct finder finder = {.addresses = addresses, .count = count};
    *tables = ELF_NO_SYMBOLS;
    if (count == 0)
        return 0;
    memset(found, 0, count * sizeof *found);
    int result = begin(&finder) ? read_tables(&finder, file, debug, tables, error) : error_out_of_memory(error);
    if (result == 0) {
        if (finder.sized.count > 0)
            qsort(finder.sized.items, finder.sized.count, sizeof *finder.sized.items, compare_candidates);
        answer_sized(&finder, found);
        answer_without_size(&finder, found);
    }
    vec_free(&finder.sized);
    memory_release(finder.buckets);
    memory_release(finder.without_size);
    memory_release(finder.gaps);
    return result;
}
