/* What a process is called, as `ps` shows it.
 *
 *     cc1 -quiet -I src src/main.c …          nginx: worker process
 *
 * The first word is what the program was called by (`as`, where the file is x86_64-linux-gnu-as), without folders, unless it
 * gave itself a name (sonde_set_process_name). Needs no memory. */
#ifndef SONDE_SESSION_PROCESS_TITLE_H
#define SONDE_SESSION_PROCESS_TITLE_H

#include "session/entry.h"

enum { PROCESS_TITLE_BYTES = 80 };

/* The recorder read it from outside: there are arguments only. */
static inline bool process_is_seen(const struct process_entry *entry)
{
    return entry->name.length == 0 && entry->executable.length == 0;
}

/* Its name alone; stands in the entry. */
struct slice process_called(const struct process_entry *entry);

/* Its name and arguments, for where there are several processes; cut where it gets long. Stands in `room`. */
struct slice process_title(const struct process_entry *entry, char room[PROCESS_TITLE_BYTES]);

#endif
