/* Lines of the code that V8 tells of. It says positions in the script first, then which code they are of, and of which script.
 *
 * Positions in optimised code may be of a function that was inlined, of any script, and V8 does not say of which. But each
 * function was interpreted before: only positions that its bytecode has are taken for its own; at others its line is not
 * known. */
#ifndef SONDE_CAPTURE_RUNTIME_V8_LINES_H
#define SONDE_CAPTURE_RUNTIME_V8_LINES_H

#include "runtime/v8/code_name.h"

struct v8_line_functions { /* each may be missing: then there are no lines */
    int (*line_of)(const void *script, int position);
    void (*scope_begin)(void *scope, void *isolate);
    void (*scope_end)(void *scope);
};

/* What is called for an isolate is called for one thing after the other. */

/* An isolate that is new, on its thread. */
void v8_lines_forget(void *isolate);

/* NULL, which the others take, too: they cannot be kept. */
void *v8_lines_begin(const void *isolate);
void v8_lines_add(void *lines, uint64_t offset, uint64_t position);
void v8_lines_end(void *lines, uint64_t start);

/* The lines of the code at `start`, as a CODE entry has them; empty where there are none. Valid until the next call. */
struct slice v8_lines_take(void *isolate, uint64_t start, bool is_bytecode, const struct v8_code_name *name, const void *script,
                           const struct v8_line_functions *functions);

#endif
