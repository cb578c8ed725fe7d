/* The file that -o names, for commands that write a profile. */
#ifndef SONDE_CLI_OUTPUT_FILE_H
#define SONDE_CLI_OUTPUT_FILE_H

#include "cli/options.h"
#include "common/byte_sink.h"

/* The option, for a struct whose member `output` is a const char *. */
#define OPTION_ENTRY_OUTPUT(type)                                                                                              \
    {                                                                                                                          \
        .name = "output", .letter = 'o', .kind = OPTION_TEXT, .target = offsetof(type, output), .argument = "OUT",             \
        .help = "where to write; - is standard output. A name that ends in\n"                                                  \
                ".gz or .zst is packed. An existing file is replaced only\n"                                                   \
                "when the new one is complete",                                                                                \
    }

/* As messages call it. */
const char *output_file_name(const char *output);

/* Has it written, packed as its name says; what was there before stays until all of it is there. EXIT_OK, or EXIT_DATA after
 * saying what is wrong. */
int output_file_write(const char *output, int (*write)(const void *data, struct byte_sink *sink, struct error *error),
                      const void *data);

#endif
