/* Asks for the symbols of the variants that variants.sh builds of one program, and compares the answers. */
#ifndef SONDE_TESTS_SYMBOLS_VARIANT_H
#define SONDE_TESTS_SYMBOLS_VARIANT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/module.h"

/* Each function that is looked at, mangled, and how many of its bytes. */
#define AREA "_ZN6shapes4areaERKNS_3boxEi"
#define TOTAL "_ZN6shapes5totalIlEET_RKSt6vectorINS_3boxESaIS3_EES1_"
#define HIDDEN "_ZN6shapesL6hiddenERKSt6vectorINS_3boxESaIS1_EE"
enum { VARIANT_AREA, VARIANT_TOTAL, VARIANT_HIDDEN, VARIANT_MAIN, VARIANT_FUNCTIONS, VARIANT_OFFSETS = 24 };

struct asked {
    uint64_t start[VARIANT_FUNCTIONS]; /* relative addresses of the functions */
    struct symbol_answers answers;
    struct symbol_outcome outcome;
};

/* VARIANTS/variant/file, until the next call but three. */
const char *variant_path(const char *variant, const char *file);

/* Skips the test where the tools to build a variant were missing. */
void variant_needed(const char *variant, const char *file);

/* Where the functions are in a variant; `link` is the one that was linked, which nm listed. */
void variant_functions(const char *link, uint64_t start[VARIANT_FUNCTIONS]);

/* The build id of most variants, as a recording has it. */
struct slice variant_build_id(char bytes[64]);

/* All bytes of all functions. `asked` has their starts, and no answers. */
int variant_ask_path(const struct symbol_search *search, const char *path, struct slice build_id, struct asked *asked,
                     struct error *error);

/* The same, where it is sure to work; `asked` may hold anything before. */
void variant_ask(const struct symbol_search *search, const char *path, struct slice build_id, const char *link,
                 struct asked *asked);

/* The row of one byte of a function, or NULL. */
const struct symbol_answer *variant_row(const struct asked *asked, size_t function, size_t offset);

/* `lines`: or else only names. */
void variant_assert_same(const struct asked *a, const struct asked *b, size_t function, bool lines);

/* The file at a path has what the plain variant has, or only its names where `status` says so. */
void variant_assert_as_plain(const struct symbol_search *search, const char *path, struct slice build_id, const char *link,
                             enum symbol_status status);

#endif
