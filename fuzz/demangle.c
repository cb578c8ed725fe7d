/* Any bytes as the name of a function. */
#include "target.h"

#include "symbols/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_buffer text = {0};
    text_add(&text, SLICE("before"));
    bool readable = demangle((struct slice){(const char *)data, size}, &text);
    fuzz_check(slice_starts_with(text_slice(&text), SLICE("before")));
    fuzz_check(readable ? text.bytes.count > 6 : text.bytes.count == 6);
    text_free(&text);
    return 0;
}
