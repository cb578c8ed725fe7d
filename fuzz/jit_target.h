/* What is asked of code that was compiled at run time, whichever file it is from. */
#ifndef SONDE_FUZZ_JIT_TARGET_H
#define SONDE_FUZZ_JIT_TARGET_H

#include "target.h"

#include "symbols/jit.h"

static inline bool fuzz_contains(const struct jit_function *function, uint64_t address)
{
    return address >= function->start && address - function->start < function->size;
}

/* The function at an address is the last one that has it, and its line can be asked for. */
static inline void fuzz_ask(struct jit_code *code)
{
    static const uint64_t addresses[] = {0, 0x1000, 0x1014, 0x1048, 0x2004, 0x3010, 0x3050, UINT64_MAX - 1, UINT64_MAX};
    enum { COUNT = sizeof addresses / sizeof *addresses };
    uint32_t found[COUNT];
    struct error error = {0};
    bool out_of_memory = false;
    fuzz_check(jit_code_find(code, addresses, COUNT, found, &error) == 0);
    for (size_t i = 0; i < COUNT; i++) {
        size_t last = code->functions.count;
        while (last > 0 && !fuzz_contains(&code->functions.items[last - 1], addresses[i]))
            last--;
        fuzz_check(last == 0 ? found[i] == UINT32_MAX : found[i] == last - 1);
        if (last > 0) {
            const struct jit_function *function = &code->functions.items[last - 1];
            const struct jit_line *line = jit_code_line(code, function, addresses[i] - function->start, &out_of_memory);
            fuzz_check(!line || line->offset <= addresses[i] - function->start);
        }
    }
    fuzz_check(!out_of_memory);
    jit_code_free(code);
}

#endif
