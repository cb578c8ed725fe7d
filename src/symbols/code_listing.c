#include "symbols/code_listing.h"

#include "common/text_buffer.h"
#include "symbols/file_hunt.h"
#include "symbols/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct making {
    const struct symbol_search *search;
    struct symbol_request request;
    struct code_listing *listing;
    struct module_code code;
    struct disassembler *disassemblers[ASM_SYNTAXES]; /* NULL = not asked for */
    VEC(uint64_t) asked;                              /* addresses to be looked up */
    struct symbol_answers answers;
    struct text_buffer text;
};

/* ---- decoding ---- */

/* To the end of the function, where that is asked for and known. */
static int find_size(struct making *making, const struct code_range *range, struct error *error)
{
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    uint64_t size = range->size;
    if (range->until_function_end) {
        making->request.addresses = &making->listing->start;
        making->request.address_count = 1;
        int result = module_symbols(making->search, &making->request, &answers, &outcome, error);
        const struct symbol_answer *row = result == 0 ? symbol_answers_find(&answers, making->listing->start) : NULL;
        if (row && row->symbol_size > 0) {
            uint64_t passed = making->listing->start - row->symbol_start;
            if (passed < row->symbol_size && row->symbol_size - passed > size)
                size = row->symbol_size - passed;
        }
        symbol_answers_free(&answers);
        if (result < 0)
            return result;
    }
    making->listing->is_cut = size > CODE_LISTING_MOST;
    making->listing->size = making->listing->is_cut ? CODE_LISTING_MOST : size;
    return 0;
}

static int decode_all(struct making *making, struct error *error)
{
    struct code_listing *listing = making->listing;
    struct slice bytes = module_code_at(&making->code, listing->start);
    if (bytes.length == 0)
        return error_set(error, -ENODATA, "%.*s has no code at 0x%" PRIx64, PATH_ARGUMENT(making->request.name),
                         listing->start);
    uint64_t at = 0;
    while (at < listing->size && at < bytes.length) {
        struct listed_instruction row = {
            .address = listing->start + at,
            .file = STRING_NONE,
            .function = STRING_NONE,
        };
        for (size_t syntax = 0; syntax < ASM_SYNTAXES; syntax++) {
            struct instruction instruction;
            row.text[syntax] = STRING_NONE;
            if (!making->disassemblers[syntax])
                continue;
            disassemble(making->disassemblers[syntax], slice_from(bytes, (size_t)at), row.address, &instruction);
            row.text[syntax] = string_table_add(&listing->strings, slice_of(instruction.text));
            row.size = instruction.size;
            row.has_target = instruction.has_target;
            row.target = instruction.target;
            if (!string_exists(row.text[syntax]))
                return error_out_of_memory(error);
        }
        if (!vec_push(&listing->rows, row))
            return error_out_of_memory(error);
        at += row.size;
    }
    listing->size = at;
    return 0;
}

/* ---- what is known of them ---- */

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int ask(struct making *making, struct error *error)
{
    struct symbol_outcome outcome;
    for (size_t i = 0; i < making->listing->rows.count; i++) {
        const struct listed_instruction *row = &making->listing->rows.items[i];
        if (!vec_push(&making->asked, row->address) || (row->has_target && !vec_push(&making->asked, row->target)))
            return error_out_of_memory(error);
    }
    uint64_t *asked = making->asked.items;
    size_t kept = 0;
    if (making->asked.count > 1)
        qsort(asked, making->asked.count, sizeof *asked, compare_addresses);
    for (size_t i = 0; i < making->asked.count; i++)
        if (kept == 0 || asked[i] != asked[kept - 1])
            asked[kept++] = asked[i];
    making->request.addresses = asked;
    making->request.address_count = kept;
    return module_symbols(making->search, &making->request, &making->answers, &outcome, error);
}

/* A text of the answers as one of the listing; false when the heap is empty. */
static bool take_text(struct making *making, struct string_index text, struct string_index *taken)
{
    if (!string_exists(text))
        return true;
    *taken = string_table_add(&making->listing->strings, symbol_text(&making->answers, text));
    return string_exists(*taken);
}

static bool add_line(struct making *making, struct listed_instruction *row)
{
    const struct symbol_answer *answer = symbol_answers_find(&making->answers, row->address);
    if (!answer)
        return true;
    const struct symbol_call *call =
        answer->inline_count > 0 ? &making->answers.inlines.items[answer->first_inline] : &answer->outer;
    row->line = call->line;
    return take_text(making, call->file, &row->file) &&
           (answer->inline_count == 0 || take_text(making, call->function, &row->function));
}

/* Puts the name of the function behind each text: "call 0x1200 <draw_all>". */
static bool name_target(struct making *making, struct listed_instruction *row)
{
    const struct symbol_answer *answer = row->has_target ? symbol_answers_find(&making->answers, row->target) : NULL;
    if (!answer || !string_exists(answer->symbol))
        return true;
    char offset[24] = "";
    if (row->target > answer->symbol_start)
        snprintf(offset, sizeof offset, "+0x%" PRIx64, row->target - answer->symbol_start);
    for (size_t syntax = 0; syntax < ASM_SYNTAXES; syntax++) {
        if (!string_exists(row->text[syntax]))
            continue;
        text_cut(&making->text, 0);
        text_add(&making->text, listing_text(making->listing, row->text[syntax]));
        text_add(&making->text, SLICE(" <"));
        text_add(&making->text, symbol_text(&making->answers, answer->symbol));
        text_add(&making->text, slice_of(offset));
        text_add_char(&making->text, '>');
        row->text[syntax] = string_table_add(&making->listing->strings, text_slice(&making->text));
        if (making->text.failed || !string_exists(row->text[syntax]))
            return false;
    }
    return true;
}

/* ---- all of it ---- */

static int open_disassemblers(struct making *making, unsigned syntaxes, struct error *error)
{
    for (size_t syntax = 0; syntax < ASM_SYNTAXES; syntax++) {
        if (!(syntaxes & 1u << syntax))
            continue;
        making->disassemblers[syntax] = disassembler_open(making->code.arch, (enum asm_syntax)syntax, error);
        if (!making->disassemblers[syntax])
            return error->code;
    }
    return 0;
}

int code_listing_make(const struct symbol_search *search, const struct symbol_request *request, const struct code_range *range,
                      unsigned syntaxes, struct code_listing *listing, struct error *error)
{
    struct making making = {.search = search, .request = *request, .listing = listing};
    int result = module_code_open(search, request, &making.code, error);
    if (result == 0) {
        listing->arch = making.code.arch;
        listing->start = listing->arch == CODE_AARCH64 ? range->start & ~(uint64_t)3 : range->start;
        result = find_size(&making, range, error);
    }
    if (result == 0)
        result = open_disassemblers(&making, syntaxes, error);
    if (result == 0)
        result = decode_all(&making, error);
    if (result == 0)
        result = ask(&making, error);
    for (size_t i = 0; i < listing->rows.count && result == 0; i++)
        if (!add_line(&making, &listing->rows.items[i]) || !name_target(&making, &listing->rows.items[i]))
            result = error_out_of_memory(error);
    for (size_t syntax = 0; syntax < ASM_SYNTAXES; syntax++)
        disassembler_close(making.disassemblers[syntax]);
    vec_free(&making.asked);
    text_free(&making.text);
    symbol_answers_free(&making.answers);
    module_code_close(&making.code);
    return result;
}

void code_listing_free(struct code_listing *listing)
{
    string_table_free(&listing->strings);
    vec_free(&listing->rows);
}
