/* Which source files may be shown: those that the debug information of the recorded code names, and no others. A profile, or a
 * page, may name any. */
#ifndef SONDE_SYMBOLS_NAMED_FILE_H
#define SONDE_SYMBOLS_NAMED_FILE_H

#include "common/text_buffer.h"
#include "symbols/answers.h"

/* The path of `file` (as debug information has it, or the name that the API gives it), if the code at the address, or what is
 * inlined there, comes from it; else STRING_NONE. `text` loses its contents; memory running out is seen there. */
struct string_index named_file_find(const struct symbol_answers *answers, uint64_t address, struct slice file,
                                    struct text_buffer *text);

#endif
