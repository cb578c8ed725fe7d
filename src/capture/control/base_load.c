/* libsonde-base as a library of its own: begins when it is loaded, ends at exit. */
#include "capture/control/base.h"
#include "capture/control/beside_preload.h"
#include "capture/core/clock.h"

static bool begun;

__attribute__((constructor)) static void load(int count, char **words)
{
    begun = !beside_preload();
    if (!begun)
        return;
    clock_set_origin(); /* maybe long ago: programs load libraries when they want to */
    base_begin(count, words);
}

__attribute__((destructor)) static void unload(void)
{
    if (begun)
        base_end();
}
