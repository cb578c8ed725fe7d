/* Any bytes as /tmp/perf-PID.map. */
#include "jit_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit_code code = {0};
    fuzz_check(perf_map_read((struct slice){(const char *)data, size}, &code));
    for (size_t i = 0; i < code.functions.count; i++)
        fuzz_check(code.functions.items[i].name.length > 0);
    fuzz_ask(&code);
    return 0;
}
