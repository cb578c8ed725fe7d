/* Finds .eh_frame through the section headers of a module's file, where the module itself does not say where it is. */
#ifndef SONDE_UNWIND_EH_FRAME_SECTION_H
#define SONDE_UNWIND_EH_FRAME_SECTION_H

#include <stdbool.h>
#include <stdint.h>

/* The module is mapped at `start`; its section is at `*address`, `*length` bytes. False, and both 0, where the file is no
 * longer the one that is mapped, or has no such section. */
bool eh_frame_section_find(const char *path, uint64_t start, uint64_t bias, uint64_t *address, uint64_t *length);

#endif
