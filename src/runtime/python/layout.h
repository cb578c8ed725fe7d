/* Where a CPython keeps its threads, frames and code, by version.
 *
 * CPython 3.9 to 3.12 say nothing of it: their offsets are in a table here, one row for each minor version. 3.13 and 3.14
 * begin `_PyRuntime` with a table of their own. A version that is in neither is not walked: layouts change with every minor
 * version, and a guess would show functions that do not run. So do free-threaded builds. */
#ifndef SONDE_RUNTIME_PYTHON_LAYOUT_H
#define SONDE_RUNTIME_PYTHON_LAYOUT_H

#include "runtime/module_names.h"
#include "runtime/runtime.h"

/* How frames of Python are tied to the native frames that run them. */
enum python_chain {
    PYTHON_FRAME_EACH,   /* to 3.10: each has a native frame of its own */
    PYTHON_CFRAMES,      /* 3.11: a native frame has a _PyCFrame, and runs the frames up to one that `is_entry` */
    PYTHON_CFRAME_SHIMS, /* 3.12: a _PyCFrame, and a frame of its own on the stack that ends the chain of those it runs */
    PYTHON_SHIMS,        /* 3.13 on: only the latter */
};

enum python_lines {
    PYTHON_LINES_LNOTAB,   /* to 3.9 */
    PYTHON_LINES_RANGES,   /* 3.10 */
    PYTHON_LINES_LOCATIONS /* 3.11 on */
};

struct python_offsets {
    uint16_t interpreters, next_interpreter, threads; /* of _PyRuntime; of an interpreter */
    uint16_t next_thread, thread_id, frame;           /* of a thread state; `frame`: the youngest one, or its _PyCFrame */
    uint16_t cframe_frame, cframe_previous;
    uint16_t previous, code, instruction; /* of a frame */
    uint16_t owner, is_entry;
    uint16_t file, name, first_line, line_table, bytecode; /* of code */
    uint16_t ascii, compact;                               /* of a string: where its characters are */
    uint16_t bytes;                                        /* … of a bytes object */
    uint16_t code_size;                                    /* of the type: sizeof(PyCodeObject) */
    uint8_t chain, lines;                                  /* enum python_chain, python_lines */
    uint8_t instruction_bytes; /* what a step of `instruction` is, where that is an index; 0 = an address */
    uint8_t shim_owner;        /* owners from this one on are of frames that run no code of Python */
};

/* What a walker reads of each at once: what it needs of them lies within. */
enum {
    PYTHON_THREAD_BYTES = 256,
    PYTHON_FRAME_BYTES = 120,
    PYTHON_CFRAME_BYTES = 24,
    PYTHON_CODE_BYTES = 208,
    PYTHON_STRING_BYTES = 72,
};

struct python_layout {
    struct runtime_layout head;
    uint64_t runtime;              /* &_PyRuntime */
    uint64_t code_type;            /* &PyCode_Type */
    uint64_t eval_start, eval_end; /* _PyEval_EvalFrameDefault() */
    struct python_offsets offsets;
};

/* What the names of a module lead to; 0 = it has none of that name. */
struct python_symbols {
    uint64_t runtime, code_type;   /* _PyRuntime, PyCode_Type */
    uint64_t version;              /* Py_Version (3.11 on) */
    uint64_t eval_start, eval_end; /* _PyEval_EvalFrameDefault */
    bool has_gc_is_enabled;        /* PyGC_IsEnabled: 3.10 on */
    bool has_get_frame;            /* PyThreadState_GetFrame: 3.9 on */
};

/* False: the module is no CPython, and has none in it. */
bool python_symbols_find(struct python_symbols *symbols, const struct module_names *names);

/* Fills in all but the module's bounds. The layout says itself whether it is known. */
void python_layout_make(struct python_layout *layout, const struct python_symbols *symbols, struct unwind_memory *memory);

bool python_layout_check(const struct python_layout *layout);

#endif
