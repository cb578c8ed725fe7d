/* The symbolication API of the Firefox Profiler's ecosystem, as functions from JSON text to JSON text (docs/symbols.md):
 *
 *     /symbolicate/v5    addresses ─▶ functions, files, lines, inlined calls
 *     /source/v1         an address and a file that is named there ─▶ its text
 *     /asm/v1            a range of addresses ─▶ instructions
 *
 * A web page asks, so nothing that is asked is trusted. Modules are known by name and id, never by a path of the request, and
 * only those that were handed in are looked for; a source file is read only if the debug information of the very address that
 * is asked for names it. Requests that are too large are refused whole. What is wrong is answered as `{ "error": "…" }`. */
#ifndef SONDE_SYMBOLS_API_H
#define SONDE_SYMBOLS_API_H

#include "common/text_buffer.h"
#include "symbols/api_scope.h"

/* Appends the answer to `response`: always one JSON object. `path` is what follows the server's token. 0, or -ENOMEM, and
 * `response` is as it was then. */
int symbol_api_answer(const struct symbol_api *api, struct slice path, struct slice request, struct text_buffer *response);

#endif
