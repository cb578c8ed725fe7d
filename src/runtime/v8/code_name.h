/* What V8 calls a piece of code in its code events:
 *
 *     JS:*fib /home/me/app.js:12:13     a function; before V8 11: LazyCompile:, Function:, Script:, Eval:
 *     Builtin:ArrayMap                  code that V8 was built with
 *     BytecodeHandler:LdaZero           … and that runs a bytecode
 *     RegExp:[a-z]+
 *     JS:fib-0-turbofan                 WebAssembly: name, number and compiler; before V8 11: Function:fib-0-turbofan
 *     JS:wasm-function[0]-0-liftoff     … where the module does not say names
 *
 * The sign before a function's name is the tier: ~ interpreted, ^ Sparkplug, + Maglev, * Turbofan; a ' behind it says that the
 * code is for one closure only. */
#ifndef SONDE_RUNTIME_V8_CODE_NAME_H
#define SONDE_RUNTIME_V8_CODE_NAME_H

#include "common/frame_tier.h"

#include <stdbool.h>
#include <stdint.h>

struct v8_code_name {
    enum frame_tier tier;
    struct slice name, file;              /* of the text that was read; both may be empty */
    uint32_t line, column;                /* where the function begins; 0 = not said */
    struct slice place;                   /* of a function: all that stands behind the sign, the same in all tiers */
    bool is_entry, is_handler, is_resume; /* the interpreter's own */
};

/* False: it says nothing of use. */
bool v8_code_name_read(struct slice text, bool is_wasm, struct v8_code_name *out);

/* The address of a script as DevTools shows it: file:///… for a path, everything else as it is. Returns the length, cut to
 * `room`. */
size_t v8_script_address(struct slice file, char *out, size_t room);

#endif
