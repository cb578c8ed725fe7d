#include "common/memory.h"
#include "profile/module_ids.h"
#include "symbols/answer_names.h"
#include "symbols/kallsyms.h"
#include "symbols/symbol_source.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Addresses from here on are those of the kernel; below, they are relative to its start. */
static const uint64_t upper_half = UINT64_C(1) << 63;

static bool is_kernel(struct slice name)
{
    return slice_is(name, "[kernel]") || slice_is(name, "vmlinux") || slice_starts_with(name, SLICE("[kernel.kallsyms]"));
}

/* Files of /proc have no size. False when the heap is empty. */
static bool read_file(const char *path, struct text_buffer *out)
{
    char piece[16384];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length;
    while (fd >= 0 && (length = read(fd, piece, sizeof piece)) > 0)
        text_add(out, (struct slice){piece, (size_t)length});
    if (fd >= 0)
        close(fd);
    return !out->failed;
}

/* The build id in notes as they are in a file: sizes, kind, name, what is noted. */
static struct slice build_id_of(struct slice notes)
{
    Elf64_Nhdr header;
    while (notes.length >= sizeof header) {
        memcpy(&header, notes.text, sizeof header);
        notes = slice_from(notes, sizeof header);
        size_t name = ((size_t)header.n_namesz + 3) & ~(size_t)3, size = ((size_t)header.n_descsz + 3) & ~(size_t)3;
        if (name > notes.length || size > notes.length - name)
            break;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && memcmp(notes.text, "GNU", 4) == 0)
            return (struct slice){notes.text + name, header.n_descsz};
        notes = slice_from(notes, name + size);
    }
    return (struct slice){0};
}

/* Without a build id there is no way to know the kernel, which is at another place after every start. */
static bool is_this_kernel(const struct symbol_request *request, struct slice notes, struct symbol_outcome *outcome)
{
    struct slice build_id = build_id_of(notes);
    if (request->build_id.length > 0 && build_id.length > 0 && module_build_id_matches(request->build_id, build_id))
        return true;
    outcome->status = SYMBOLS_OTHER_BUILD;
    snprintf(outcome->detail, sizeof outcome->detail, "%s",
             request->build_id.length == 0 ? "the kernel: the profile does not say which one it was"
             : build_id.length == 0        ? "the kernel: the running one does not say which one it is"
                                           : "the kernel: the running one is not the one that was recorded");
    return false;
}

static bool add_rows(const struct symbol_request *request, uint64_t base, const uint64_t *addresses,
                     const struct kernel_symbol *found, struct symbol_answers *answers)
{
    struct answer_names names = {.strings = &answers->strings};
    struct text_buffer text = {0};
    bool good = true;
    for (size_t i = 0; i < request->address_count && good; i++) {
        if (found[i].name.length == 0 || (i > 0 && addresses[i] == addresses[i - 1]))
            continue;
        bool relative = request->addresses[i] < upper_half;
        struct symbol_answer row = {
            .address = request->addresses[i],
            .symbol_start = found[i].start - (relative ? base : 0),
            .symbol = STRING_NONE,
            .mangled = STRING_NONE,
            .outer = {STRING_NONE, STRING_NONE, STRING_NONE, 0},
        };
        text_cut(&text, 0);
        text_add(&text, found[i].name);
        if (found[i].module.length > 0) {
            text_add_char(&text, ' ');
            text_add(&text, found[i].module);
        }
        row.symbol = text.failed ? STRING_NONE : answer_names_add(&names, text_slice(&text), &row.mangled);
        row.outer.function = row.symbol;
        row.outer.mangled = row.mangled;
        good = string_exists(row.symbol) && vec_push(&answers->rows, row);
    }
    text_free(&text);
    answer_names_free(&names);
    return good;
}

/* Relative addresses are all below the others: the order stays. */
static int look_up(const struct symbol_request *request, struct slice kallsyms, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error)
{
    uint64_t base = kallsyms_base(kallsyms);
    if (base == 0) {
        outcome->status = SYMBOLS_NONE;
        snprintf(outcome->detail, sizeof outcome->detail, "the kernel: it hides its addresses (sysctl kernel.kptr_restrict)");
        return 0;
    }
    uint64_t *addresses = memory_array(request->address_count + 1, sizeof *addresses);
    struct kernel_symbol *found = memory_array(request->address_count + 1, sizeof *found);
    bool good = addresses && found;
    for (size_t i = 0; i < request->address_count && good; i++) {
        uint64_t address = request->addresses[i] < upper_half ? base + request->addresses[i] : request->addresses[i];
        addresses[i] = i > 0 && address < addresses[i - 1] ? addresses[i - 1] : address;
    }
    if (good) {
        kallsyms_find(kallsyms, addresses, request->address_count, found);
        good = add_rows(request, base, addresses, found, answers);
        outcome->status = SYMBOLS_NAMES_ONLY;
    }
    memory_release(addresses);
    memory_release(found);
    return good ? 0 : error_out_of_memory(error);
}

int kernel_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error)
{
    struct text_buffer notes = {0}, kallsyms = {0};
    int result = SYMBOLS_NOT_MINE;
    (void)search;
    if (!is_kernel(request->name))
        return result;
    if (!read_file("/sys/kernel/notes", &notes))
        result = error_out_of_memory(error);
    else if (is_this_kernel(request, text_slice(&notes), outcome))
        result = read_file("/proc/kallsyms", &kallsyms) ? look_up(request, text_slice(&kallsyms), answers, outcome, error)
                                                        : error_out_of_memory(error);
    /* A kernel with debug information may lie somewhere: files are asked next, if nothing was found. */
    if (result == 0 && answers->rows.count > 0)
        result = SYMBOLS_ANSWERED;
    text_free(&notes);
    text_free(&kallsyms);
    return result;
}
