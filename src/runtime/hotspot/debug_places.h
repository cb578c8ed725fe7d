/* What the compilers of the VM write down of their code.
 *
 * Usually they say which calls were inlined where only at places at which a thread can be stopped; samples between them are
 * taken for the outermost method. With the VM's own switch DebugNonSafepoints they say it everywhere. Its agents have that as
 * soon as they ask for compiled methods, so it is what other profilers of Java show. */
#ifndef SONDE_RUNTIME_HOTSPOT_DEBUG_PLACES_H
#define SONDE_RUNTIME_HOTSPOT_DEBUG_PLACES_H

#include "runtime/hotspot/memory.h"

/* The address of the switch, a byte that is 0. 0: the VM has none, it is on, or somebody has said what it is to be. Not in a
 * signal handler: reads a thousand names. */
uint64_t hotspot_debug_places_find(struct hotspot_reader *reader);

/* Switches it on in the caller's own process, for what is compiled from now on. Writes through the kernel. */
bool hotspot_debug_places_on(uint64_t address);

#endif
