/* Built with musl-gcc, another C library: nothing of ours that needs glibc can be loaded into it. Computes, so that it is no
 * matter of time whether it is seen. */
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    uint32_t value = 1;
    for (unsigned i = 0; i < 100000000; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    printf("%08x\n", value);
    return 7;
}
