/* Whether all is there that the engine is built with: the C library, the linker, and 128-bit products of the compiler's own. */
#include <stdint.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 product;

__attribute__((export_name("probe"))) void *probe(uint64_t a, uint64_t b)
{
    product whole = (product)a * b;
    return malloc((size_t)(uint64_t)(whole ^ whole >> 64));
}
