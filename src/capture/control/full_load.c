/* libsonde as a library of its own. */
#include "capture/control/beside_preload.h"
#include "capture/core/full.h"

__attribute__((constructor)) static void load(void)
{
    if (!beside_preload())
        full_attach();
}
