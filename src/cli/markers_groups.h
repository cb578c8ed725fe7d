/* sonde markers: added up by name, or by what --group says. */
#ifndef SONDE_CLI_MARKERS_GROUPS_H
#define SONDE_CLI_MARKERS_GROUPS_H

#include "cli/markers_found.h"

/* The exit status. */
int markers_groups_print(struct markers *markers);

#endif
