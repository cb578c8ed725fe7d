#include "symbols/api.h"

#include "profile/module_ids.h"
#include "symbols/api_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* ---- modules ---- */

bool api_modules_of_profile(const struct profile *profile, struct api_modules *modules)
{
    for (size_t i = 0; i < profile->libs.rows.count; i++) {
        const struct lib *lib = &profile->libs.rows.items[i];
        struct api_module module = {
            .name = profile_text(profile, lib->name),
            .path = profile_text(profile, string_exists(lib->path) ? lib->path : lib->name),
            .debug_name = profile_text(profile, lib->debug_name),
            .breakpad_id = profile_text(profile, lib->breakpad_id),
            .code_id = profile_text(profile, lib->code_id),
        };
        if (!vec_push(&modules->items, module))
            return false;
    }
    return true;
}

void api_modules_free(struct api_modules *modules)
{
    vec_free(&modules->items);
}

static bool same_id(struct slice a, struct slice b)
{
    return a.length == b.length && strncasecmp(a.text, b.text, a.length) == 0;
}

const struct api_module *api_find_module(const struct symbol_api *api, const struct string_table *strings,
                                         const struct api_name *name)
{
    bool by_name = string_exists(name->name), by_code_id = string_exists(name->code_id);
    bool by_debug_name = string_exists(name->debug_name), by_debug_id = string_exists(name->debug_id);
    if (!by_name && !by_code_id && !by_debug_name && !by_debug_id)
        return NULL;
    for (size_t i = 0; i < api->module_count; i++) {
        const struct api_module *module = &api->modules[i];
        if ((!by_debug_id || same_id(module->breakpad_id, string_table_get(strings, name->debug_id))) &&
            (!by_debug_name || slice_equal(module->debug_name, string_table_get(strings, name->debug_name))) &&
            (!by_code_id || same_id(module->code_id, string_table_get(strings, name->code_id))) &&
            (!by_name || slice_equal(module->name, string_table_get(strings, name->name))))
            return module;
    }
    return NULL;
}

struct symbol_request api_symbol_request(const struct api_module *module, char build_id[])
{
    return (struct symbol_request){
        .path = module->path,
        .name = module->name,
        .build_id = module_build_id(module->code_id, module->breakpad_id, build_id),
    };
}

/* ---- values ---- */

struct string_index api_read_text(struct json_reader *reader, struct string_table *strings)
{
    struct slice text = json_string(reader);
    if (!json_ok(reader))
        return STRING_NONE;
    if (text.length > API_MOST_TEXT) {
        json_fail(reader, "a text of %zu bytes is too long", text.length);
        return STRING_NONE;
    }
    struct string_index index = string_table_add(strings, text);
    if (!string_exists(index))
        json_fail_out_of_memory(reader);
    return index;
}

struct string_index api_read_text_or_null(struct json_reader *reader, struct string_table *strings)
{
    return json_null(reader) ? STRING_NONE : api_read_text(reader, strings);
}

uint64_t api_read_hex(struct json_reader *reader)
{
    struct slice text = json_string(reader);
    uint64_t value = 0;
    if (!json_ok(reader))
        return 0;
    bool good = text.length > 2 && text.length <= 18 && slice_starts_with(text, SLICE("0x"));
    for (size_t i = 2; i < text.length && good; i++) {
        char c = text.text[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        good = digit < 16;
        value = value << 4 | (digit & 15);
    }
    if (!good)
        json_fail(reader, "a number like \"0x12ab\" is expected");
    return good ? value : 0;
}

void api_write_hex(struct json_writer *writer, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    json_write_key(writer, key);
    json_write_text(writer, text);
}

/* ---- requests ---- */

static const struct {
    struct slice path;
    api_method *answer;
} methods[] = {
    {{"/symbolicate/v5", sizeof "/symbolicate/v5" - 1}, api_symbolicate},
    {{"/source/v1", sizeof "/source/v1" - 1}, api_source},
    {{"/asm/v1", sizeof "/asm/v1" - 1}, api_asm},
};

static api_method *method_at(struct slice path)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (slice_equal(path, methods[i].path))
            return methods[i].answer;
    return NULL;
}

/* Writes into the response, and no more than may be: a small request can ask for the same large answer many times. */
struct response_sink {
    struct byte_sink base;
    struct text_buffer *response;
    size_t end;
};

static int response_write(struct byte_sink *base, struct slice bytes, struct error *error)
{
    struct response_sink *sink = (struct response_sink *)base;
    size_t written = sink->response->bytes.count;
    if (written > sink->end || bytes.length > sink->end - written)
        return error_set(error, -E2BIG, "the answer would be larger than %d bytes", API_MOST_ANSWER);
    text_add(sink->response, bytes);
    return sink->response->failed ? error_out_of_memory(error) : 0;
}

static int response_close(struct byte_sink *base, bool keep, struct error *error)
{
    (void)base, (void)keep, (void)error;
    return 0;
}

/* What is wrong, as an object of one text. */
static api_method answer_error;
static int answer_error(const struct symbol_api *api, struct json_reader *reader, struct json_writer *writer,
                        struct error *error)
{
    (void)api, (void)reader;
    json_write_begin_object(writer);
    json_write_key(writer, "error");
    json_write_text(writer, error->message);
    json_write_end_object(writer);
    return 0;
}

/* One object at the end of the response. On failure there may be a part of it. */
static int write_answer(const struct symbol_api *api, api_method *method, struct json_reader *reader,
                        struct text_buffer *response, struct error *error)
{
    struct response_sink sink = {
        .base = {response_write, response_close},
        .response = response,
        .end = response->bytes.count + API_MOST_ANSWER,
    };
    struct error write_error = {0};
    struct json_writer *writer = json_writer_open(&sink.base, 0, &write_error);
    if (!writer)
        return -ENOMEM;
    int result = method(api, reader, writer, error), written = json_writer_close(writer);
    return result != 0 || written == 0 ? result : error_set(error, written, "%s", write_error.message);
}

static int answer(const struct symbol_api *api, struct slice path, struct slice request, struct text_buffer *response,
                  struct error *error)
{
    api_method *method = method_at(path);
    if (!method)
        return error_set(error, -ENOENT, "there is no %.*s: only /symbolicate/v5, /source/v1 and /asm/v1",
                         (int)(path.length < 100 ? path.length : 100), path.text);
    if (request.length > API_MOST_BYTES)
        return error_set(error, -E2BIG, "the request is larger than %d bytes", API_MOST_BYTES);
    struct byte_source *source = byte_source_memory(request, 0, false, error);
    struct json_reader *reader = source ? json_reader_open(source, error) : NULL;
    int result = reader ? write_answer(api, method, reader, response, error) : -ENOMEM;
    json_reader_close(reader);
    byte_source_close(source);
    return result;
}

int symbol_api_answer(const struct symbol_api *api, struct slice path, struct slice request, struct text_buffer *response)
{
    size_t before = response->bytes.count;
    struct error error = {0};
    int result = answer(api, path, request, response, &error);
    if (result < 0) {
        text_cut(response, before);
        response->failed = false;
    }
    if (result < 0 && result != -ENOMEM)
        result = write_answer(api, answer_error, NULL, response, &error);
    if (result < 0) {
        text_cut(response, before);
        response->failed = false;
        return -ENOMEM;
    }
    return 0;
}
