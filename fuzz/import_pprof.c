/* Any bytes as a pprof profile: an error or a profile whose tables are in order, the same for every way of cutting the bytes.
 */
#include "import_target.h"

#include "import/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_target(pprof_import, data, size);
    return 0;
}
