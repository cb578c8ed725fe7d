/* What the files that apply symbols share.
 *
 *     apply_modules.c   which frames, funcs and addresses belong to which module
 *     apply_shape.c     answers ─▶ what native symbols, funcs and frames become
 *     apply_stacks.c    stacks with inlined calls in them, and where samples go
 *     apply_changes.c   which funcs became which
 *     apply.c           one step: all of it, then the profile's tables are exchanged
 *
 * Functions that return bool say false when the heap is empty. */
#ifndef SONDE_SYMBOLS_SYMBOLICATION_H
#define SONDE_SYMBOLS_SYMBOLICATION_H

#include "profile/func_changes.h"
#include "profile/profile.h"
#include "symbols/answers.h"

/* ---- modules ---- */

struct symbol_module {
    const uint32_t *frames; /* rows of the raw frame table, ascending */
    size_t frame_count;
    const uint32_t *funcs; /* funcs that no frame outside of this module has, ascending: their rows can be used anew */
    size_t func_count;
    struct resource_index resource; /* for new funcs */
    uint64_t *addresses;            /* ascending, each once */
    size_t address_count;
    size_t samples;

    bool is_done;     /* it was applied, or left as it is */
    bool has_answers; /* … applied: */
    struct symbol_answers answers;
    uint32_t *strings; /* the profile's string for each of the answers', INDEX_NONE until needed */
    uint32_t *rows;    /* the answer for each frame, INDEX_NONE = none */
};

/* ---- tables before any symbols ---- */

struct raw_tables {
    struct native_symbol_table native_symbols;
    struct func_table funcs;
    struct frame_table frames;
    struct stack_table stacks;
    size_t source_count;
};

/* ---- tables with symbols ---- */

struct shaped_frame {
    uint32_t origin; /* the raw frame that everything not said here comes from */
    uint32_t func, native_symbol, line, inline_depth;
    bool is_shaped; /* by an answer, or by the lack of one; otherwise it is its origin */
};

struct shaped_func {
    uint32_t name, source;
    uint32_t origin; /* the raw func whose flags it has */
    uint32_t resource;
    bool is_shaped;
};

/* The frames that a raw frame has become, outer first, are calls[first .. first + count). None: it was inlined by answers of
 * old, and is gone. */
struct expansion {
    uint32_t first, count;
};

struct shape {
    VEC(struct shaped_frame) frames; /* the first ones are the raw frames */
    VEC(struct shaped_func) funcs;
    VEC(struct native_symbol) native_symbols;
    VEC(struct source) sources;
    struct expansion *expansions; /* one for each raw frame */
    VEC(uint32_t) calls;          /* rows of `frames`; row i is frame i for raw frames, longer expansions stand behind them */
};

/* Where the stacks went, both ways; NULL = nothing moved. */
struct stack_moves {
    uint32_t *of_raw;   /* the stack that a raw one is now; INDEX_NONE = none */
    uint32_t *raw_of;   /* the raw one that a stack comes from */
    size_t count, room; /* of raw_of */
};

struct symbolication {
    struct profile *profile;
    struct symbol_module *modules; /* one for each lib */
    size_t module_count;
    uint32_t *module_frames, *module_funcs; /* what the modules' frames and funcs point into */
    struct raw_tables raw;
    bool is_updated;     /* the profile's tables (but for the stacks) are no longer the raw ones */
    bool has_own_stacks; /* neither are the stacks */
    bool keeps_names;    /* whoever made the profile knew better: answers name what has no name yet (given_names.h) */
    struct map by_file;  /* raw sources that have a file name alone, by its string */
    struct shape shape;  /* of the last update; only what came of raw frames: calls, expansions and their funcs */
    struct stack_moves moves;
};

/* apply_modules.c */
bool modules_collect(struct symbolication *symbolication);
void modules_free(struct symbolication *symbolication);
bool module_take_answers(struct symbolication *symbolication, struct symbol_module *module, struct symbol_answers *answers);

/* apply_shape.c: `shape` is zeroed, and to be freed in any case. */
bool shape_build(struct symbolication *symbolication, struct shape *shape);
void shape_free(struct shape *shape);

/* apply_stacks.c: `stacks` is initialised and empty. -EOVERFLOW where there would be too many. */
int stacks_expand(const struct symbolication *symbolication, const struct shape *shape, struct stack_table *stacks,
                  struct stack_moves *moves, struct error *error);
void stack_moves_free(struct stack_moves *moves);

/* apply_changes.c */
bool changes_collect(const struct symbolication *symbolication, const struct shape *shape, struct func_changes *changes);

#endif
