/* The entries that say what a session is: PROCESS and CONFIGURATION. */
#ifndef SONDE_CAPTURE_CORE_SESSION_FACTS_H
#define SONDE_CAPTURE_CORE_SESSION_FACTS_H

#include "capture/core/core.h"
#include "capture/core/kept.h"
#include "capture/core/settings.h"

/* Before the program runs: its arguments, as main() will get them. Until the second call they are what the kernel knows. */
void session_facts_arguments(int count, char *const *words);
void session_facts_arguments_may_change(void);

/* False when there was no room for them. */
bool session_facts_put(const struct core_locked *locked, const struct settings *settings);

/* What the profile calls the process; NULL = the file name of its executable. */
void process_name_set(const char *name);

#endif
