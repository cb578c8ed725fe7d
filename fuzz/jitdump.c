/* Any bytes as a jitdump. */
#include "jit_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit_code code = {0};
    struct error error = {0};
    int result = jitdump_read((struct slice){(const char *)data, size}, &code, &error);
    fuzz_check(result == 0 || (error.code == result && error.message[0]));
    fuzz_ask(&code);
    return 0;
}
