#include "server/source_look.h"

#include "profile/module_ids.h"
#include "symbols/api_request.h"
#include "symbols/module.h"
#include "symbols/named_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static struct symbol_request request_of(const struct symbol_api *symbols, struct lib_index lib, char build_id[])
{
    struct symbol_request request = api_symbol_request(&symbols->modules[lib.i], build_id);
    request.pid = symbols->pid;
    return request;
}

/* ---- sources ---- */

static struct slice keep_text(struct looked_source *looked, struct slice text)
{
    char *copy = arena_copy(&looked->arena, text.text ? text.text : "", text.length);
    return copy ? (struct slice){copy, text.length} : SLICE("");
}

static int note(struct looked_source *looked, struct slice where, struct slice why)
{
    struct tried_place tried = {keep_text(looked, where), keep_text(looked, why)};
    return vec_push(&looked->tried, tried) ? 0 : -ENOMEM;
}

/* *path: as the debug information of the place has it; empty where that names another file, which is noted. */
static int ask_place(const struct symbol_api *symbols, const struct code_place *place, struct slice wanted,
                     struct looked_source *looked, struct slice *path)
{
    char build_id[MODULE_ID_BYTES];
    struct symbol_request request = request_of(symbols, place->lib, build_id);
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct text_buffer text = {0};
    struct error error = {0};
    request.addresses = &place->address;
    request.address_count = 1;
    *path = SLICE("");
    int result = module_symbols(symbols->search, &request, &answers, &outcome, &error);
    if (result == 0) {
        struct string_index named = named_file_find(&answers, place->address, wanted, &text);
        if (text.failed)
            result = -ENOMEM;
        else if (string_exists(named))
            *path = keep_text(looked, symbol_text(&answers, named));
        else if (outcome.detail[0])
            result = note(looked, request.name, slice_of(outcome.detail));
        else
            result = note(looked, request.name, SLICE("its debug information is not here, or names another file"));
    }
    text_free(&text);
    symbol_answers_free(&answers);
    return result;
}

/* The first place that says that its code comes from the file. */
static int find_name(const struct symbol_api *symbols, const struct source_wish *wish, struct looked_source *looked,
                     struct slice *path)
{
    int result = 0;
    *path = SLICE("");
    for (size_t i = 0; i < wish->place_count && path->length == 0 && result == 0; i++)
        if (wish->places[i].lib.i < symbols->module_count)
            result = ask_place(symbols, &wish->places[i], wish->path, looked, path);
    return result;
}

/* A folder that was named on the command line is for everybody to see; any other place is not. */
static int read_file(const struct source_search *search, struct slice wanted, struct slice named, struct looked_source *looked)
{
    int result = -ENOENT;
    for (size_t i = 0; i < search->folder_count && result == -ENOENT; i++) {
        result = source_file_read_below(search->folders[i], named.length > 0 ? named : wanted, &looked->file);
        if (result == -ENOENT && note(looked, slice_of(search->folders[i]), SLICE("the file is not in this folder")) != 0)
            return -ENOMEM;
    }
    if (result == -ENOENT && named.length > 0) {
        result = source_file_read_named(search, named, &looked->file);
        if (result == -ENOENT && note(looked, named, SLICE("there is no such file here")) != 0)
            return -ENOMEM;
    } else if (result == -ENOENT && looked->tried.count == 0) {
        return note(looked, wanted, SLICE("no debug information of the recorded code names it"));
    }
    return result == -ENOENT ? 0 : result;
}

int source_look(const struct symbol_api *symbols, const struct source_wish *wish, struct looked_source *looked)
{
    static const struct source_search nowhere_else;
    struct slice named;
    looked->found.modified = NAN;
    int result = find_name(symbols, wish, looked, &named);
    if (result == 0)
        result = read_file(symbols->sources ? symbols->sources : &nowhere_else, wish->path, named, looked);
    if (result == 0 && looked->file.place) {
        looked->found.origin = "disk";
        looked->found.text = looked->file.size > 0 ? (struct slice){looked->file.bytes, looked->file.size} : SLICE("");
        looked->found.found = slice_of(looked->file.place);
        looked->found.modified = looked->file.modified;
    }
    looked->found.tried = looked->tried.items;
    looked->found.tried_count = looked->tried.count;
    return result;
}

void looked_source_free(struct looked_source *looked)
{
    vec_free(&looked->tried);
    source_file_free(&looked->file);
    arena_free(&looked->arena);
}

/* ---- code ---- */

static bool take_rows(struct looked_code *looked, enum asm_syntax syntax)
{
    const struct code_listing *listing = &looked->listing;
    if (!vec_reserve(&looked->rows, listing->rows.count))
        return false;
    for (size_t i = 0; i < listing->rows.count; i++) {
        const struct listed_instruction *row = &listing->rows.items[i];
        looked->rows.items[looked->rows.count++] = (struct found_instruction){
            .address = row->address,
            .size = row->size,
            .text = listing_text(listing, row->text[syntax]),
            .file = listing_text(listing, row->file),
            .function = listing_text(listing, row->function),
            .line = row->line,
            .has_target = row->has_target,
            .target = row->target,
        };
    }
    return true;
}

int code_look(const struct symbol_api *symbols, const struct code_wish *wish, struct looked_code *looked)
{
    char build_id[MODULE_ID_BYTES];
    enum asm_syntax syntax = wish->att ? ASM_ATT : ASM_INTEL;
    struct code_range range = {.start = wish->start, .size = wish->size, .until_function_end = wish->until_end};
    int result = error_set(&looked->error, -ENOENT, "the profile has no such module");
    if (wish->lib.i < symbols->module_count) {
        struct symbol_request request = request_of(symbols, wish->lib, build_id);
        looked->error = (struct error){0};
        result = code_listing_make(symbols->search, &request, &range, 1u << syntax, &looked->listing, &looked->error);
    }
    if (result == 0 && !take_rows(looked, syntax))
        result = -ENOMEM;
    if (result == -ENOMEM)
        return result;
    if (result == 0) {
        looked->found.arch = code_arch_name(looked->listing.arch);
        looked->found.cut = looked->listing.is_cut;
        looked->found.rows = looked->rows.items;
        looked->found.count = looked->rows.count;
    } else {
        looked->found.failure = slice_of(looked->error.message);
    }
    return 0;
}

void looked_code_free(struct looked_code *looked)
{
    vec_free(&looked->rows);
    code_listing_free(&looked->listing);
}
