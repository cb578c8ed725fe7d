#include "symbols/api_request.h"

#include "profile/module_ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* ---- modules ---- */

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
