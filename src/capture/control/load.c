/* libsonde-base and libsonde as libraries of their own: each begins when it is loaded, and the base ends at exit. This file is
 * compiled into both, and each has only its own part of the functions that are weak here. (libsonde-preload has both parts, and
 * begins in preload/load.c.) */
#include "capture/control/base.h"
#include "capture/control/lifecycle.h"
#include "capture/core/clock.h"
#include "capture/core/full.h"

#include <link.h>
#include <string.h>

/* Hidden: no function of the program may take the place of one that is missing. */
extern __typeof__(base_begin) base_begin __attribute__((weak, visibility("hidden")));
extern __typeof__(lifecycle_shutdown) lifecycle_shutdown __attribute__((weak, visibility("hidden")));
extern __typeof__(full_attach) full_attach __attribute__((weak, visibility("hidden")));

static bool begun;

static int is_preload(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *name = strrchr(library->dlpi_name, '/');
    return strcmp(name ? name + 1 : library->dlpi_name, "libsonde-preload.so") == 0;
}

/* Where libsonde-preload is loaded, which has all of the other libraries in it, those have nothing to do: it stands in front of
 * them, and whatever a program that links them asks for by name, it gets from there. */
__attribute__((constructor)) static void load(void)
{
    begun = dl_iterate_phdr(is_preload, NULL) == 0;
    (void)clock_read(CLOCK_MONOTONIC); /* the first call asks the dynamic linker: not later, under the core lock */
    if (begun && base_begin) {
        clock_set_origin(); /* maybe long ago: programs load libraries when they want to */
        base_begin();
    }
    if (begun && full_attach)
        full_attach();
}

__attribute__((destructor)) static void unload(void)
{
    if (begun && lifecycle_shutdown)
        lifecycle_shutdown();
}
