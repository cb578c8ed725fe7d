/* What a process is called where there are several: its name and its arguments, as `ps` shows them.
 *
 *     cc1 -quiet -I src src/main.c …
 *
 * The first word is what the program was called by (`as`, where the file is x86_64-linux-gnu-as), without folders, unless it
 * gave itself a name. Cut where it gets long. Needs no memory. */
#ifndef SONDE_SESSION_PROCESS_TITLE_H
#define SONDE_SESSION_PROCESS_TITLE_H

#include "session/entry.h"

enum { PROCESS_TITLE_BYTES = 80 };

/* The title, which stands in `room`. */
struct slice process_title(const struct process_entry *entry, char room[PROCESS_TITLE_BYTES]);

#endif
