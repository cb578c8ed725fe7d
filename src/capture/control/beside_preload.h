/* Where libsonde-preload is loaded, which has all of the other libraries in it, those have nothing to do: it stands in front of
 * them, and whatever a program that links them asks for by name, it gets from there. */
#ifndef SONDE_CAPTURE_CONTROL_BESIDE_PRELOAD_H
#define SONDE_CAPTURE_CONTROL_BESIDE_PRELOAD_H

#include <link.h>
#include <stdbool.h>
#include <string.h>

static inline int beside_preload_look(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *name = strrchr(library->dlpi_name, '/');
    return strcmp(name ? name + 1 : library->dlpi_name, "libsonde-preload.so") == 0;
}

static inline bool beside_preload(void)
{
    return dl_iterate_phdr(beside_preload_look, NULL) != 0;
}

#endif
