#include "symbols/api_request.h"

#include "profile/module_ids.h"
#include "symbols/code_listing.h"

#include <errno.h>

struct asm_question {
    struct string_table strings;
    struct api_name module;
    struct code_range range;
    bool has_start, has_size;
};

static int read_question(struct json_reader *reader, struct asm_question *question, struct error *error)
{
    struct api_name *module = &question->module;
    if (json_begin_object(reader))
        for (struct slice key; json_next_key(reader, &key);) {
            if (slice_is(key, "name"))
                module->name = api_read_text_or_null(reader, &question->strings);
            else if (slice_is(key, "codeId"))
                module->code_id = api_read_text_or_null(reader, &question->strings);
            else if (slice_is(key, "debugName"))
                module->debug_name = api_read_text_or_null(reader, &question->strings);
            else if (slice_is(key, "debugId"))
                module->debug_id = api_read_text_or_null(reader, &question->strings);
            else if (slice_is(key, "startAddress")) {
                question->range.start = api_read_hex(reader);
                question->has_start = true;
            } else if (slice_is(key, "size")) {
                question->range.size = api_read_hex(reader);
                question->has_size = true;
            } else if (slice_is(key, "continueUntilFunctionEnd"))
                question->range.until_function_end = json_boolean(reader);
            else
                json_skip(reader);
        }
    int result = json_finish(reader);
    if (result != 0)
        return result;
    if (!question->has_start || !question->has_size)
        return error_set(error, -EINVAL, "startAddress and size are needed");
    return 0;
}

static void write_answer(struct json_writer *writer, const struct code_listing *listing)
{
    size_t syntaxes = listing->arch == CODE_X86_64 ? ASM_SYNTAXES : 1;
    json_write_begin_object(writer);
    api_write_hex(writer, "startAddress", listing->start);
    api_write_hex(writer, "size", listing->size);
    json_write_key(writer, "arch");
    json_write_text(writer, code_arch_name(listing->arch));
    json_write_key(writer, "syntax");
    json_write_begin_array(writer);
    json_write_text(writer, syntaxes > 1 ? "Intel" : "ARM");
    if (syntaxes > 1)
        json_write_text(writer, "AT&T");
    json_write_end_array(writer);
    json_write_key(writer, "instructions");
    json_write_begin_array(writer);
    for (size_t i = 0; i < listing->rows.count; i++) {
        const struct listed_instruction *row = &listing->rows.items[i];
        json_write_begin_array(writer);
        json_write_integer(writer, (int64_t)(row->address - listing->start));
        for (size_t syntax = 0; syntax < syntaxes; syntax++)
            json_write_string(writer, listing_text(listing, row->text[syntax]));
        json_write_end_array(writer);
    }
    json_write_end_array(writer);
    json_write_end_object(writer);
}

int api_asm(const struct symbol_api *api, struct json_reader *reader, struct json_writer *writer, struct error *error)
{
    struct asm_question question = {.module = {STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE}};
    struct code_listing listing = {0};
    char build_id[MODULE_ID_BYTES];
    int result = read_question(reader, &question, error);
    const struct api_module *module = result == 0 ? api_find_module(api, &question.strings, &question.module) : NULL;
    if (result == 0 && !module)
        result = error_set(error, -ENOENT, "the profile has no such module");
    if (result == 0) {
        struct symbol_request request = api_symbol_request(module, build_id);
        result = code_listing_make(api->search, &request, &question.range, 1u << ASM_INTEL | 1u << ASM_ATT, &listing, error);
    }
    if (result == 0)
        write_answer(writer, &listing);
    code_listing_free(&listing);
    string_table_free(&question.strings);
    return result;
}
