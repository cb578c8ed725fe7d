/* A browser, opened on an address. */
#ifndef SONDE_CLI_BROWSER_H
#define SONDE_CLI_BROWSER_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Whether there is one to open: $BROWSER is set, or there is a display. */
bool browser_is_there(void);

/* Whether there is a display. */
bool browser_has_display(void);

/* Starts the first program of $BROWSER, or xdg-open, and does not wait for it: it gets a session of its own, and nothing of our
 * terminal. Whoever waits for `pid` learns whether it worked. */
int browser_open(const char *address, pid_t *pid, struct error *error);

#endif
