/* The row numbers of a profile's tables, each a type of its own. */
#ifndef SONDE_PROFILE_INDICES_H
#define SONDE_PROFILE_INDICES_H

#include "common/indexed.h"
#include "common/string_table.h"

DEFINE_INDEX(lib);
DEFINE_INDEX(resource);
DEFINE_INDEX(native_symbol);
DEFINE_INDEX(source);
DEFINE_INDEX(location);
DEFINE_INDEX(func);
DEFINE_INDEX(frame);
DEFINE_INDEX(stack);
DEFINE_INDEX(category);
DEFINE_INDEX(thread);
DEFINE_INDEX(sample);
DEFINE_INDEX(marker);

#endif
