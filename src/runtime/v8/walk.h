/* Which of the native frames are of functions that V8 interprets, and where in them they are. Of compiled functions the native
 * frames say it themselves: their code is known by CODE entries. */
#ifndef SONDE_RUNTIME_V8_WALK_H
#define SONDE_RUNTIME_V8_WALK_H

#include "runtime/v8/layout.h"

void v8_walk(const struct v8_layout *layout, struct runtime_walk *walk);

#endif
