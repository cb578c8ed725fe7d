/* The names that a module exports, in its memory: the bytes are the module. */
#include "target.h"

#include "runtime/module_names.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const wanted[] = {"_PyRuntime", "gHotSpotVMStructs", "f", ""};
    /* A copy that begins with a page, as modules do. */
    size_t room = (size + 4096) & ~(size_t)4095;
    uint8_t *module = aligned_alloc(4096, room);
    fuzz_check(module != NULL);
    memset(module, 0, room);
    memcpy(module, data, size);
    uint64_t start = (uintptr_t)module, length;
    struct unwind_memory memory = {.start = start, .end = start + room};
    struct module_names names;
    if (module_names_open(&names, start, start + room, &memory))
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            (void)module_names_find(&names, wanted[i], &length);
    free(module);
    return 0;
}
