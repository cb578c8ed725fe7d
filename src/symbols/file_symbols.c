#include "symbols/answer_names.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf/lookup.h"
#include "symbols/elf_symbols.h"
#include "symbols/split_files.h"
#include "symbols/symbol_source.h"
#include "symbols/unnamed_functions.h"

#include <stdio.h>

/* One lookup: the batch, what the tables said of it, and the answers that are being written. */
struct lookup {
    const struct symbol_request *request;
    struct module_files files;
    uint64_t base;       /* of relative addresses */
    uint64_t *addresses; /* as in the file, each once */
    size_t count;
    struct elf_symbol *symbols; /* of each address */
    size_t answered;            /* addresses that have their row, or none */
    size_t with_lines;
    bool is_changed; /* a file of it, while it was read */
    struct answer_names names;
    struct symbol_answers *answers;
};

/* ---- rows ---- */

static bool add_name(struct lookup *lookup, struct slice name, struct string_index *readable, struct string_index *mangled)
{
    if (name.length == 0)
        return true;
    *readable = answer_names_add(&lookup->names, name, mangled);
    return string_exists(*readable);
}

static struct slice name_of(const struct dwarf_call *call)
{
    return call->lambda.length > 0 ? call->lambda : call->name;
}

static bool add_call(struct lookup *lookup, const struct dwarf_call *call, struct symbol_call *out)
{
    *out = (struct symbol_call){STRING_NONE, STRING_NONE, STRING_NONE, call->line};
    if (call->file.length > 0) {
        out->file = string_table_add(&lookup->answers->strings, call->file);
        if (!string_exists(out->file))
            return false;
    }
    return add_name(lookup, name_of(call), &out->function, &out->mangled);
}

static bool is_known(const struct elf_symbol *symbol)
{
    return symbol->name.length > 0 || symbol->size > 0;
}

/* `calls` are innermost first, and none where only the symbol is known. */
static bool add_row(struct lookup *lookup, size_t index, const struct dwarf_call *calls, size_t count)
{
    const struct elf_symbol *symbol = &lookup->symbols[index];
    struct symbol_answers *answers = lookup->answers;
    struct symbol_answer row = {
        .address = lookup->addresses[index] - lookup->base,
        .symbol = STRING_NONE,
        .mangled = STRING_NONE,
        .outer = {STRING_NONE, STRING_NONE, STRING_NONE, 0},
        .first_inline = (uint32_t)answers->inlines.count,
    };
    char room[UNNAMED_FUNCTION_MAX];
    struct slice name = symbol->name;
    if (name.length == 0 && is_known(symbol) && count == 0)
        name = unnamed_function_name(symbol->start - lookup->base, room);
    if (name.length > 0) {
        row.symbol_start = symbol->start - lookup->base;
        row.symbol_size = symbol->size;
        if (!add_name(lookup, name, &row.symbol, &row.mangled))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct symbol_call call;
        if (!add_call(lookup, &calls[i], &call))
            return false;
        if (i + 1 == count)
            row.outer = call;
        else if (!vec_push(&answers->inlines, call))
            return false;
    }
    if (string_exists(row.symbol)) {
        row.outer.function = row.symbol;
        row.outer.mangled = row.mangled;
    } else if (count > 0) {
        uint64_t start = calls[count - 1].start;
        row.symbol_start = start > lookup->base && start <= lookup->addresses[index] ? start - lookup->base : row.address;
        if (!add_name(lookup, name_of(&calls[count - 1]), &row.symbol, &row.mangled))
            return false;
    }
    row.inline_count = (uint32_t)(answers->inlines.count - row.first_inline);
    return vec_push(&answers->rows, row);
}

/* Rows of the addresses before `end` of which only the symbol is known. */
static bool add_symbol_rows(struct lookup *lookup, size_t end)
{
    for (; lookup->answered < end; lookup->answered++)
        if (is_known(&lookup->symbols[lookup->answered]) && !add_row(lookup, lookup->answered, NULL, 0))
            return false;
    return true;
}

static bool found_in_dwarf(void *data, size_t index, const struct dwarf_call *calls, size_t count)
{
    struct lookup *lookup = data;
    if (index < lookup->answered || count == 0)
        return true;
    if (!add_symbol_rows(lookup, index) || !add_row(lookup, index, calls, count))
        return false;
    lookup->with_lines++;
    lookup->answered = index + 1;
    return true;
}

/* ---- the lookup ---- */

/* What was read of a file while it was written to may be of neither build, or of none. */
static void tell_changed(struct lookup *lookup, const struct elf_file *file, struct symbol_outcome *outcome)
{
    enum { MOST_PATH = 150 };
    const char *path = elf_file_path(file);
    size_t length = strlen(path);
    lookup->is_changed = true;
    snprintf(outcome->detail, sizeof outcome->detail, "%s: it was written to while it was read",
             path + (length > MOST_PATH ? length - MOST_PATH : 0));
}

static int look_into_dwarf(struct lookup *lookup, const struct symbol_search *search, struct symbol_outcome *outcome,
                           struct error *error)
{
    struct elf_file *dwarf = module_files_dwarf(&lookup->files);
    struct dwarf_sections sections, alternate;
    struct split_files split = {.search = search, .request = lookup->request, .files = &lookup->files};
    struct dwarf_files others = {.split = split_files_open, .data = &split};
    size_t damaged = 0;
    if (!dwarf)
        return 0;
    int result = dwarf_sections_of(dwarf, "", &sections, error);
    if (result == 0 && lookup->files.alternate) {
        result = dwarf_sections_of(lookup->files.alternate, "", &alternate, error);
        others.alternate = &alternate;
    }
    /* Only lack of memory ends a lookup, here or there. */
    struct error ended = {0};
    if (result == 0 &&
        (dwarf_lookup(&sections, &others, lookup->addresses, lookup->count, found_in_dwarf, lookup, &damaged, &ended) < 0 ||
         split.out_of_memory))
        result = error_out_of_memory(error);
    if (result == 0 && outcome->detail[0] == '\0') {
        const char *path = elf_file_path(dwarf);
        if (damaged > 0)
            snprintf(outcome->detail, sizeof outcome->detail, "%s: %zu units of its debug information are damaged", path,
                     damaged);
        else if (split.missing > 0)
            snprintf(outcome->detail, sizeof outcome->detail,
                     "%s: the files with %zu units of its debug information (.dwo) are not here", path, split.missing);
    }
    const struct elf_file *changed = split_files_changed(&split);
    if (changed)
        tell_changed(lookup, changed, outcome);
    split_files_close(&split);
    return result;
}

/* Addresses as in the file; those that cannot be are left out. */
static int take_addresses(struct lookup *lookup, struct error *error)
{
    const struct symbol_request *request = lookup->request;
    const struct elf_file *file = lookup->files.file ? lookup->files.file : lookup->files.debug;
    lookup->base = elf_file_image_base(file);
    lookup->addresses = memory_array(request->address_count, sizeof *lookup->addresses);
    lookup->symbols = memory_array(request->address_count, sizeof *lookup->symbols);
    if (!lookup->addresses || !lookup->symbols)
        return error_out_of_memory(error);
    for (size_t i = 0; i < request->address_count; i++) {
        uint64_t address;
        if (!__builtin_add_overflow(request->addresses[i], lookup->base, &address) &&
            (lookup->count == 0 || address > lookup->addresses[lookup->count - 1]))
            lookup->addresses[lookup->count++] = address;
    }
    return 0;
}

static enum symbol_status status_of(const struct lookup *lookup, enum elf_symbol_tables tables)
{
    bool dwarf = module_files_dwarf(&lookup->files) != NULL;
    if (dwarf && (lookup->with_lines > 0 || lookup->count == 0))
        return SYMBOLS_FULL;
    return tables == ELF_ALL_SYMBOLS ? SYMBOLS_NAMES_ONLY : tables == ELF_EXPORTS ? SYMBOLS_EXPORTS_ONLY : SYMBOLS_NONE;
}

int file_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                 struct symbol_outcome *outcome, struct error *error)
{
    struct lookup lookup = {.request = request, .names = {.strings = &answers->strings}, .answers = answers};
    enum elf_symbol_tables tables;
    int result = module_files_find(search, request, &lookup.files, outcome, error);
    if (result == 0 && !lookup.files.file && !lookup.files.debug) {
        module_files_close(&lookup.files);
        return SYMBOLS_NOT_MINE;
    }
    if (result == 0)
        result = take_addresses(&lookup, error);
    if (result == 0)
        result = elf_symbols_find(lookup.files.file, lookup.files.debug, lookup.addresses, lookup.count, lookup.symbols,
                                  &tables, error);
    if (result == 0)
        unnamed_functions_find(lookup.files.file, lookup.addresses, lookup.count, lookup.symbols);
    if (result == 0)
        result = look_into_dwarf(&lookup, search, outcome, error);
    if (result == 0 && !add_symbol_rows(&lookup, lookup.count))
        result = error_out_of_memory(error);
    const struct elf_file *changed = module_files_changed(&lookup.files);
    if (changed)
        tell_changed(&lookup, changed, outcome);
    if (lookup.is_changed)
        symbol_answers_free(answers);
    if (result == 0)
        outcome->status = lookup.is_changed ? SYMBOLS_DAMAGED : status_of(&lookup, tables);
    answer_names_free(&lookup.names);
    memory_release(lookup.addresses);
    memory_release(lookup.symbols);
    module_files_close(&lookup.files);
    return result < 0 ? result : SYMBOLS_ANSWERED;
}
