/* Leaves the code of a HotSpot: the hook of the unwinder (unwind.h) for the VM's code cache.
 *
 *     interpreter        rbp frame: method, bytecode and the caller's stack pointer are words of it
 *     compiled code      the caller's sp = sp + frame size of the blob; rbp is a register like any other there
 *     stubs              by rbp, by frame size, or as leaves
 *     call stub          what C++ calls Java through: the native walk goes on behind it
 *
 * On the way it tells the Java frames it passes, youngest first: of one place are those that were inlined and the one that they
 * were inlined into. */
#ifndef SONDE_RUNTIME_HOTSPOT_STEP_H
#define SONDE_RUNTIME_HOTSPOT_STEP_H

#include "runtime/hotspot/walk.h"
#include "unwind/unwind.h"

/* The hook for a walk; start = end as long as the VM has no code. */
struct unwind_hook hotspot_hook(struct hotspot_walk *walk);

#endif
