/* Where a module's symbols can come from. Each source is asked in turn until one knows the module. */
#ifndef SONDE_SYMBOLS_SYMBOL_SOURCE_H
#define SONDE_SYMBOLS_SYMBOL_SOURCE_H

#include "common/error.h"
#include "symbols/answers.h"
#include "symbols/request.h"

enum { SYMBOLS_NOT_MINE, SYMBOLS_ANSWERED };

/* SYMBOLS_ANSWERED with `answers` and the status filled; SYMBOLS_NOT_MINE with `answers` as they were (what was wrong may stand
 * in `outcome`); or -ENOMEM. */
typedef int symbol_source(const struct symbol_search *search, const struct symbol_request *request,
                          struct symbol_answers *answers, struct symbol_outcome *outcome, struct error *error);

/* ELF files: of the module, and those with its debug information. The vdso is one, though it is in memory only. */
symbol_source file_symbols;

/* perf-PID.map and jit-PID.dump: code that was compiled while the program ran. */
symbol_source jit_symbols;

/* The running kernel, if it is the recorded one. */
symbol_source kernel_symbols;

#endif
