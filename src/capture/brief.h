/* Processes that are there and do next to nothing: the shells and drivers of a build, which wait for a compiler.
 *
 * Where CPUs are scarce a session for each of them, with mappings, a connection and a file of each thing that is looked at,
 * costs more than all looks at the compiler. So at first a process only leaves a file that says who it is (brief_file.h), and
 * when it ended. follow.h knows when there is more to say.
 *
 * All with the core lock. */
#ifndef SONDE_CAPTURE_BRIEF_H
#define SONDE_CAPTURE_BRIEF_H

#include "capture/core.h"
#include "capture/settings.h"
#include "session/brief_file.h"

/* Whether a process is to be brief: CPUs are scarce, looks are to cost little, and it is not the very one that somebody wanted
 * to see. */
bool brief_suits(const struct core_locked *locked, const struct settings *settings);

/* Leaves the file. False: it cannot. `own_table`: descriptors of the calling thread are its own. */
bool brief_begin(const struct core_locked *locked, const struct settings *settings, bool own_table);

/* The process is about to become another program, or has ended; or goes on. If there is a file. */
void brief_say(const struct core_locked *locked, enum session_state state);

/* What a session that begins goes on with. NULL = there is none. */
struct brief_file *brief_file_of(const struct core_locked *locked);

/* It is the parent's, in a forked child; or all is said. */
void brief_forget(const struct core_locked *locked);

#endif
