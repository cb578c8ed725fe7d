#include "symbols/answer_names.h"
#include "symbols/file_hunt.h"
#include "symbols/file_map.h"
#include "symbols/jit.h"
#include "symbols/root_open.h"
#include "symbols/symbol_source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum kind { NOT_JIT, PERF_MAP, JITDUMP };

static enum kind kind_of(struct slice name)
{
    if (slice_starts_with(name, SLICE("perf-")) && slice_ends_with(name, SLICE(".map")))
        return PERF_MAP;
    return slice_starts_with(name, SLICE("jit-")) && slice_ends_with(name, SLICE(".dump")) ? JITDUMP : NOT_JIT;
}

/* Empty where it is not there. */
static struct slice map_file(const char *root, const char *path)
{
    struct slice bytes = {0};
    struct error ignored = {0};
    int fd = root_open(root, path);
    if (fd < 0)
        return bytes;
    file_map(fd, false, &bytes, &ignored);
    close(fd);
    return bytes;
}

static struct slice find_file(const struct symbol_search *search, const struct symbol_request *request)
{
    struct slice bytes = {0};
    char path[PATH_MAX];
    if (memchr(request->path.text, '\0', request->path.length))
        return bytes;
    for (size_t i = 0; i < search->folder_count && !bytes.text; i++)
        if ((size_t)snprintf(path, sizeof path, "%s/%.*s", search->folders[i], PATH_ARGUMENT(request->name)) < sizeof path)
            bytes = map_file(NULL, path);
    if (request->path.text[0] != '/' ||
        (size_t)snprintf(path, sizeof path, "%.*s", PATH_ARGUMENT(request->path)) >= sizeof path)
        return bytes;
    if (!bytes.text && search->root)
        bytes = map_file(search->root, path);
    return bytes.text ? bytes : map_file(NULL, path);
}

/* ---- answers ---- */

static bool add_row(struct answer_names *names, struct jit_code *code, const struct jit_function *function, uint64_t address,
                    struct symbol_answers *answers, bool *any_line)
{
    struct symbol_answer row = {
        .address = address,
        .symbol_start = function->start,
        .symbol_size = function->size,
        .symbol = STRING_NONE,
        .mangled = STRING_NONE,
        .outer = {STRING_NONE, STRING_NONE, STRING_NONE, 0},
    };
    bool out_of_memory = false;
    row.symbol = answer_names_add(names, function->name, &row.mangled);
    row.outer.function = row.symbol;
    row.outer.mangled = row.mangled;
    const struct jit_line *line = jit_code_line(code, function, address - function->start, &out_of_memory);
    if (!string_exists(row.symbol) || out_of_memory)
        return false;
    if (line && line->file.length > 0) {
        row.outer.line = line->line;
        row.outer.file = string_table_add(&answers->strings, line->file);
        *any_line = true;
        if (!string_exists(row.outer.file))
            return false;
    }
    return vec_push(&answers->rows, row);
}

static int answer(struct jit_code *code, const struct symbol_request *request, struct symbol_answers *answers, bool *any_line,
                  struct error *error)
{
    struct answer_names names = {.strings = &answers->strings};
    uint32_t *found = memory_array(request->address_count + 1, sizeof *found);
    int failed =
        found ? jit_code_find(code, request->addresses, request->address_count, found, error) : error_out_of_memory(error);
    for (size_t i = 0; i < request->address_count && !failed; i++) {
        if (found[i] == UINT32_MAX || (i > 0 && request->addresses[i] == request->addresses[i - 1]))
            continue;
        if (!add_row(&names, code, &code->functions.items[found[i]], request->addresses[i], answers, any_line))
            failed = error_out_of_memory(error);
    }
    memory_release(found);
    answer_names_free(&names);
    return failed;
}

int jit_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                struct symbol_outcome *outcome, struct error *error)
{
    enum kind kind = kind_of(request->name);
    struct jit_code code = {0};
    struct error why = {0};
    bool any_line = false;
    if (kind == NOT_JIT || request->path.length == 0)
        return SYMBOLS_NOT_MINE;
    struct slice bytes = find_file(search, request);
    if (!bytes.text)
        return SYMBOLS_ANSWERED; /* with nothing: there is no other place */
    int failed = 0;
    if (kind == JITDUMP)
        failed = jitdump_read(bytes, &code, &why);
    else if (!perf_map_read(bytes, &code))
        failed = -ENOMEM;
    if (failed == -EBADMSG) {
        outcome->status = SYMBOLS_DAMAGED;
        snprintf(outcome->detail, sizeof outcome->detail, "%.*s: %.60s",
                 (int)(request->path.length < 150 ? request->path.length : 150), request->path.text, why.message);
        failed = 0;
    } else if (failed) {
        failed = error_out_of_memory(error);
    } else {
        failed = answer(&code, request, answers, &any_line, error);
        outcome->status = any_line ? SYMBOLS_FULL : answers->rows.count > 0 ? SYMBOLS_NAMES_ONLY : SYMBOLS_NONE;
    }
    jit_code_free(&code);
    file_unmap(bytes);
    return failed ? failed : SYMBOLS_ANSWERED;
}
