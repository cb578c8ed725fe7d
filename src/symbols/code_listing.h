/* A piece of a module's code as instructions, with what is known of each: its source line, and the function that it jumps to.
 *
 *     address  size  text                        file     line  inlined
 *     0x1130      4  lea edx, [rdi + rsi]        mix.h      17  mix
 *     0x1134      5  call 0x1200 <draw_all>      scene.c    88      targets in a function: <draw_all+0x12> */
#ifndef SONDE_SYMBOLS_CODE_LISTING_H
#define SONDE_SYMBOLS_CODE_LISTING_H

#include "common/string_table.h"
#include "common/vec.h"
#include "symbols/disassemble.h"

/* More code is not listed at once: a page of the web asks for it. */
enum { CODE_LISTING_MOST = 1 << 20 };

struct code_range {
    uint64_t start, size;    /* a relative address, and bytes; an instruction that begins in them is listed */
    bool until_function_end; /* and all that follows in the function of `start` */
};

struct listed_instruction {
    uint64_t address; /* relative */
    uint32_t size;
    uint32_t line;                          /* of the innermost inlined call; 0 = unknown */
    struct string_index file;               /* STRING_NONE = unknown */
    struct string_index function;           /* the innermost inlined call that it is of; STRING_NONE = of none */
    bool has_target;                        /* it jumps to, or calls, a place that it names */
    uint64_t target;                        /* … a relative address */
    struct string_index text[ASM_SYNTAXES]; /* STRING_NONE where a syntax was not asked for */
};

struct code_listing {
    enum code_arch arch;
    uint64_t start, size; /* what was listed */
    bool is_cut;          /* there was more than CODE_LISTING_MOST */
    struct string_table strings;
    VEC(struct listed_instruction) rows; /* ascending */
};

/* `syntaxes` is a set of bits, 1 << ASM_INTEL and so on. The request's addresses do not matter. `listing` is zeroed before and
 * to be freed in any case. Errors are those of module_code_open(), and -ENODATA where the module has no code at `start`. */
int code_listing_make(const struct symbol_search *search, const struct symbol_request *request, const struct code_range *range,
                      unsigned syntaxes, struct code_listing *listing, struct error *error);
void code_listing_free(struct code_listing *listing);

static inline struct slice listing_text(const struct code_listing *listing, struct string_index text)
{
    return string_table_get(&listing->strings, text);
}

#endif
