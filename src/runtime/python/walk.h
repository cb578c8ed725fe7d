/* The Python frames of a thread, with function, file and line, each at the place of the native frame that runs it. */
#ifndef SONDE_RUNTIME_PYTHON_WALK_H
#define SONDE_RUNTIME_PYTHON_WALK_H

#include "runtime/python/layout.h"

void python_walk(const struct python_layout *layout, struct runtime_walk *walk);

#endif
