#include "capture/core/state.h"

#include <sys/mman.h>

/* As large as the pages of any machine, and alone in them: all of it is wiped. */
#ifdef __x86_64__
enum { STATE_PAGE_BYTES = 4 << 10 };
#else
enum { STATE_PAGE_BYTES = 64 << 10 };
#endif

_Alignas(STATE_PAGE_BYTES) static union {
    _Atomic uint64_t word;
    char pages[STATE_PAGE_BYTES];
} state;

extern _Atomic uint64_t state_word __attribute__((alias("state")));

void state_init(void)
{
    madvise(&state, sizeof state, MADV_WIPEONFORK); /* a kernel before 4.14 does not: then only fork() turns it off */
}
