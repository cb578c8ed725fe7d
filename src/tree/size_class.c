#include "tree/size_class.h"

#include <math.h>
#include <stdio.h>

/* The largest block that a thread's cache keeps, and from where on a block is a mapping of its own, unless tuned. */
enum { TCACHE_MOST = 1032, TCACHE_CLASS = 9, MAPPED_CLASS = 17 };

uint32_t size_class_of(double size)
{
    int exponent;
    if (!(size >= 2))
        return 0;
    if (size > 512 && size <= TCACHE_MOST)
        return TCACHE_CLASS;
    frexp(size, &exponent);
    return exponent - 1 < SIZE_CLASSES ? (uint32_t)(exponent - 1) : SIZE_CLASSES - 1;
}

static void add_size(char *text, size_t room, uint64_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; size % 1024 == 0 && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1024;
    snprintf(text, room, "%llu %s", (unsigned long long)size, units[unit]);
}

void size_class_name(uint32_t of, char *text, size_t room)
{
    char from[32], to[32];
    add_size(from, sizeof from, UINT64_C(1) << of);
    add_size(to, sizeof to, UINT64_C(2) << of);
    if (of == 0)
        snprintf(text, room, "1 byte");
    else if (of == TCACHE_CLASS)
        snprintf(text, room, "512 to %d bytes (up to here kept in glibc's tcache)", TCACHE_MOST);
    else if (of == TCACHE_CLASS + 1)
        snprintf(text, room, "%d to 2047 bytes", TCACHE_MOST + 1);
    else if (of < TCACHE_CLASS)
        snprintf(text, room, "%llu to %llu bytes", 1ULL << of, (2ULL << of) - 1);
    else if (of == SIZE_CLASSES - 1)
        snprintf(text, room, "%s and more", from);
    else
        snprintf(text, room, "%s to below %s%s", from, to,
                 of == MAPPED_CLASS ? " (from here on glibc maps each block, unless tuned)" : "");
}
