#include "symbols/api_request.h"

#include "profile/module_ids.h"
#include "symbols/module.h"
#include "symbols/named_file.h"

#include <errno.h>

struct source_question {
    struct string_table strings;
    struct api_name module;
    struct string_index file;
    uint64_t address;
    bool has_address;
};

static int read_question(struct json_reader *reader, struct source_question *question, struct error *error)
{
    if (json_begin_object(reader))
        for (struct slice key; json_next_key(reader, &key);) {
            if (slice_is(key, "debugName"))
                question->module.debug_name = api_read_text(reader, &question->strings);
            else if (slice_is(key, "debugId"))
                question->module.debug_id = api_read_text(reader, &question->strings);
            else if (slice_is(key, "file"))
                question->file = api_read_text(reader, &question->strings);
            else if (slice_is(key, "moduleOffset")) {
                question->address = api_read_hex(reader);
                question->has_address = true;
            } else
                json_skip(reader);
        }
    int result = json_finish(reader);
    if (result != 0)
        return result;
    if (!string_exists(question->module.debug_name) || !string_exists(question->module.debug_id) ||
        !string_exists(question->file) || !question->has_address)
        return error_set(error, -EINVAL, "debugName, debugId, moduleOffset and file are needed");
    return 0;
}

static int read_source(const struct symbol_api *api, const struct source_question *question, struct source_file *file,
                       struct error *error)
{
    static const struct source_search nowhere_else;
    const struct api_module *module = api_find_module(api, &question->strings, &question->module);
    char build_id[MODULE_ID_BYTES];
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct text_buffer text = {0};
    if (!module)
        return error_set(error, -ENOENT, "the profile has no such module");
    struct symbol_request request = api_symbol_request(module, build_id);
    request.addresses = &question->address;
    request.address_count = 1;
    int result = module_symbols(api->search, &request, &answers, &outcome, error);
    if (result == 0) {
        struct string_index path =
            named_file_find(&answers, question->address, string_table_get(&question->strings, question->file), &text);
        if (text.failed)
            result = error_out_of_memory(error);
        else if (!string_exists(path))
            result = error_set(error, -EACCES, "the debug information of this address does not name this file");
        else
            result = source_file_read(api->sources ? api->sources : &nowhere_else, symbol_text(&answers, path), file, error);
    }
    text_free(&text);
    symbol_answers_free(&answers);
    return result;
}

static void write_answer(struct json_writer *writer, struct slice name, const struct source_file *file)
{
    json_write_begin_object(writer);
    json_write_key(writer, "symbolsLastModified");
    json_write_null(writer);
    json_write_key(writer, "sourceLastModified");
    json_write_null(writer);
    json_write_key(writer, "file");
    json_write_string(writer, name);
    json_write_key(writer, "source");
    json_write_string(writer, file->size > 0 ? (struct slice){file->bytes, file->size} : SLICE(""));
    json_write_end_object(writer);
}

int api_source(const struct symbol_api *api, struct json_reader *reader, struct json_writer *writer, struct error *error)
{
    struct source_question question = {
        .module = {STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE},
        .file = STRING_NONE,
    };
    struct source_file file = {0};
    int result = read_question(reader, &question, error);
    if (result == 0)
        result = read_source(api, &question, &file, error);
    if (result == 0)
        write_answer(writer, string_table_get(&question.strings, question.file), &file);
    source_file_free(&file);
    string_table_free(&question.strings);
    return result;
}
