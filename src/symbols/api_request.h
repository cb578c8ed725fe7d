/* What the three kinds of requests of the API share. */
#ifndef SONDE_SYMBOLS_API_REQUEST_H
#define SONDE_SYMBOLS_API_REQUEST_H

#include "common/json_reader.h"
#include "common/json_writer.h"
#include "symbols/api_scope.h"

/* One kind: reads the whole request, then writes one object. Where something is wrong `error` says what, and nothing that was
 * written counts. */
typedef int api_method(const struct symbol_api *api, struct json_reader *reader, struct json_writer *writer,
                       struct error *error);

api_method api_symbolicate, api_source, api_asm;

/* A text of the request, kept in `strings`. The reader fails where it is too long. */
struct string_index api_read_text(struct json_reader *reader, struct string_table *strings);
/* STRING_NONE for null. */
struct string_index api_read_text_or_null(struct json_reader *reader, struct string_table *strings);

/* "0x12ab" */
uint64_t api_read_hex(struct json_reader *reader);
void api_write_hex(struct json_writer *writer, const char *key, uint64_t value);

/* How a request names a module; STRING_NONE = it does not say. */
struct api_name {
    struct string_index name, code_id, debug_name, debug_id;
};

/* The first that has everything that is said, where something is; NULL = none. The case of ids does not matter. */
const struct api_module *api_find_module(const struct symbol_api *api, const struct string_table *strings,
                                         const struct api_name *name);

/* For the functions that look for it; `build_id` holds the bytes that the request points to. */
struct symbol_request api_symbol_request(const struct api_module *module, char build_id[]);

#endif
