/* libsonde as a library of its own. */
#include "capture/beside_preload.h"
#include "capture/full.h"

__attribute__((constructor)) static void load(void)
{
    if (!beside_preload())
        full_attach();
}
