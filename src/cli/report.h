/* What is said on standard error: one line, always starting with `sonde: `. */
#ifndef SONDE_CLI_REPORT_H
#define SONDE_CLI_REPORT_H

#include "common/error.h"

/* `sonde: MESSAGE`. Control characters, which names from a file may hold, are shown as `?`. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `sonde: FILE: MESSAGE`; returns EXIT_DATA. */
int report_file(const char *file, const struct error *error);

#endif
