/* Two modules to ask the symbolication API about, and how to ask it. */
#ifndef SONDE_TESTS_SYMBOLS_API_SUPPORT_H
#define SONDE_TESTS_SYMBOLS_API_SUPPORT_H

#include "profile/module_ids.h"
#include "symbols/api.h"

/* `blend` is code from an assembler, the same everywhere; its build id is given to the linker. `program` was compiled. */
#define BLEND_CODE_ID "0102030405060708090a0b0c0d0e0f1011121314"
#define BLEND_ID "0403020106050807090A0B0C0D0E0F100"
#define BLEND_SOURCE TEST_DATA "/cli/blend.s"

#define BLEND_ASM(start, size)                                                                                                 \
    "{\"debugName\":\"libblend.so\",\"debugId\":\"" BLEND_ID "\",\"startAddress\":\"" start "\",\"size\":\"" size "\""

extern char program_code_id[2 * MODULE_ID_BYTES + 1], program_id[2 * BREAKPAD_ID_BYTES + 2];
extern uint64_t draw_start, draw_size;
extern const struct symbol_search search;
extern const struct source_search sources;
extern struct api_module modules[2];
extern const struct symbol_api api;

/* Set-up and tear-down of a group. */
int find_modules(void **state);
int forget_answer(void **state);

/* The answer lives until the next question. */
const char *ask_slice(const char *path, struct slice request);
const char *ask(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

void assert_refused(const char *answer);
void assert_says(const char *answer, const char *part);

#endif
