/* What sonde info says of modules. */
#ifndef SONDE_CLI_INFO_MODULES_H
#define SONDE_CLI_INFO_MODULES_H

#include "cli/modules.h"
#include "cli/output.h"
#include "cli/terminal.h"

/* The key `modules`, with all of them. */
void info_put_modules(struct json_output *output, const struct profile *profile, const struct module_list *modules);

/* A table of the modules whose functions are not fully known, `limit` of them, and what to do about it; those with next to no
 * samples are only counted. False when the heap is empty. */
bool info_print_modules(const struct profile *profile, const struct module_list *modules, const struct terminal *terminal,
                        size_t limit);

#endif
