/* Which threads are recorded: a comma-separated list of parts of their names.
 *
 * An empty list selects all, as does the filter "*". "pid:N" selects all threads of the process N. Anything else is looked for
 * in the name, whatever the case of its (ASCII) letters. */
#ifndef SONDE_CAPTURE_CORE_FILTERS_H
#define SONDE_CAPTURE_CORE_FILTERS_H

#include <stdbool.h>

bool filters_select_thread(const char *filters, const char *name, int pid);

/* The list has only filters of processes, none of them this one. */
bool filters_exclude_process(const char *filters, int pid);

#endif
