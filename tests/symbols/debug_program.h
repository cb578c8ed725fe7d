/* A program of tests/symbols/dwarf_programs, its sections ready for lookups. */
#ifndef SONDE_TESTS_SYMBOLS_DEBUG_PROGRAM_H
#define SONDE_TESTS_SYMBOLS_DEBUG_PROGRAM_H

#include "symbols/dwarf/lookup.h"
#include "symbols/elf_file.h"

enum { DEBUG_PROGRAM_FILES = 32 };

struct debug_program {
    char path[4096]; /* of the program */
    struct dwarf_sections sections, alternate;
    struct dwarf_files files;
    uint64_t text; /* where its code is */
    struct slice code;
    struct elf_file *opened[DEBUG_PROGRAM_FILES];
    size_t file_count;
    unsigned split_calls;
};

/* NAME/program; with program.dwp, .dwo files and `alternate` where they are beside it. False where there is no such program. */
bool debug_program_open(struct debug_program *program, const char *name);
void debug_program_close(struct debug_program *program);

/* Whether there is such a command. */
bool command_exists(const char *name);

#endif
