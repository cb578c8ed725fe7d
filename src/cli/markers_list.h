/* sonde markers --list: one by one. */
#ifndef SONDE_CLI_MARKERS_LIST_H
#define SONDE_CLI_MARKERS_LIST_H

#include "cli/markers_found.h"

/* Sorts what is shown, and prints it. The exit status. */
int markers_list_print(struct markers *markers);

#endif
