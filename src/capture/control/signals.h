/* Control by signals, only where it is asked for: SIGUSR1 starts a session, SIGUSR2 stops it and writes its profile. */
#ifndef SONDE_CAPTURE_CONTROL_SIGNALS_H
#define SONDE_CAPTURE_CONTROL_SIGNALS_H

#include "sonde/api.h"

/* Installs the handlers and starts the thread that does what they say, with these options. 0 or a negative errno. */
int signals_install(const struct sonde_start_options *options);

/* In a forked child, which is not controlled. */
void signals_forked(void);

#endif
