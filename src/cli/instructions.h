/* sonde lines --asm: the instructions of a function, with the samples that were taken on each. */
#ifndef SONDE_CLI_INSTRUCTIONS_H
#define SONDE_CLI_INSTRUCTIONS_H

#include "cli/selection.h"
#include "symbols/disassemble.h"
#include "symbols/source_file.h"

struct instructions_options {
    enum asm_syntax syntax;
    const struct symbol_options *symbols;
    const struct source_search *sources;
};

/* Prints them for people or as JSON. The exit status, after saying what is wrong. */
int instructions_show(struct selection *selection, const struct answer *answer, uint32_t func,
                      const struct instructions_options *options);

#endif
