/* The part of a report that is the same in all: the page and the engine as WebAssembly, up to where the profiles stand.
 * web/report/assemble makes it when the command is built. */
#ifndef SONDE_REPORT_TEMPLATE_H
#define SONDE_REPORT_TEMPLATE_H

#include "common/slice.h"

/* Packed with gzip; empty where the command was built without it. */
struct slice report_template(void);

#endif
