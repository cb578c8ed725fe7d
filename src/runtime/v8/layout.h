/* Where V8 keeps what its frames say.
 *
 * V8 exports variables for debuggers, v8dbg_…, that say where the words of a frame are and how values are tagged; where they
 * are not exported, interpreted functions are not told apart. Where the code of its interpreter is, its code events say
 * (capture/runtime/v8.h). Nothing of it is guessed, and it does not depend on the version. */
#ifndef SONDE_RUNTIME_V8_LAYOUT_H
#define SONDE_RUNTIME_V8_LAYOUT_H

#include "runtime/module_names.h"
#include "runtime/runtime.h"

struct v8_range {
    uint64_t start, end; /* the same = nothing */
};

/* V8 maps the code that it was built with a second time, close to the code that it makes. From V8 11 on, the isolates of
 * workers each have a mapping of their own: struct runtime_thread. */
enum { V8_PLACES = 2 };

/* The code of the interpreter: the function that runs an interpreted function, and those of bytecodes, which it calls.
 * Optimised code that is given up goes on in the interpreter: its frames then return to the very start of one of few functions.
 */
enum { V8_RESUMES = 4 };

struct v8_interpreter {
    struct v8_range entry, handlers;
    uint64_t resumes[V8_RESUMES]; /* 0 = there is none */
};

struct v8_words {
    int32_t context_or_type, bytecode_array, bytecode_offset; /* words of a frame, from its frame pointer: all below it */
    int32_t object_tag, object_tag_mask;                      /* of a pointer */
    int32_t smi_shift;                                        /* of a small integer, whose lower bits are 0 */
};

struct v8_layout {
    struct runtime_layout head;
    struct v8_words words;
    struct v8_interpreter places[V8_PLACES];
};

/* What V8 exports of it. False: not all, or nothing that makes sense. */
bool v8_words_find(struct v8_words *words, const struct module_names *names);

bool v8_layout_check(const struct v8_layout *layout);

#endif
